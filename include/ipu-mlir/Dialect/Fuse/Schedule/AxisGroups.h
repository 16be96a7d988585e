//===- AxisGroups.h - Groups of axes with equal values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the axes of different tensors that have equal values in shared loops.
// Also computes the value of an axis in the loops around a statement. A
// statement is the computation of one tensor in the loop nest. In contrast to
// the matching of loops in Replay.h, the groups are exact: an axis y and the
// merge y*z of two axes are in different groups, even if they share a loop.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_AXISGROUPS_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_AXISGROUPS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

using ClassId = unsigned;
class LoopClasses;

/// The finest partition of axes with these properties:
/// - If consumers share a loop that is made from a logical axis of the
///   producer, this logical axis and the root axes by which the consumers read
///   it are in one group.
/// - If equal splits or merges are applied to axes of the same groups, the
///   results are in the same groups.
/// - If one input of a merge is in a group of broadcasts only, the result of
///   the merge is in the group of the other input.
///
/// A group is concrete if some member is not a broadcast. A group that is not
/// concrete has the extent 1.
class AxisGroups {
public:
  static AxisGroups build(const Schedule &schedule);

  /// Returns the group of an axis, identified by its first member.
  AxisId getGroup(AxisId axis) const {
    while (parents[axis] != axis)
      axis = parents[axis];
    return axis;
  }
  bool areSame(AxisId a, AxisId b) const { return getGroup(a) == getGroup(b); }
  /// Returns whether the group of `axis` has a member that is not a broadcast.
  bool isConcrete(AxisId axis) const { return concrete[getGroup(axis)]; }
  /// Returns the number of values that the axes in the group of `axis` have. If
  /// `axis` is a broadcast in a concrete group, this number can exceed the
  /// extent of `axis`.
  AffineExpr getExtent(AxisId axis) const { return extents[getGroup(axis)]; }

private:
  bool unite(AxisId a, AxisId b);
  void uniteEdges(const Schedule &schedule);
  bool uniteTransforms(const Schedule &schedule, ArrayRef<ExprId> exprs);
  void setExtents(const Schedule &schedule, ArrayRef<ExprId> exprs);

  std::vector<AxisId> parents;
  std::vector<bool> concrete;
  std::vector<AffineExpr> extents;
};

/// Returns the axes of `tensor` from which `axes` are made: logical axes, and
/// reductions that result from the frozen transforms of the tensor
/// (Tensor::frozen).
SmallVector<AxisId> getSources(const Schedule &schedule, TensorId tensor,
                               ArrayRef<AxisId> axes);

/// The condition `index < bound`.
struct IndexBound {
  AffineExpr index;
  AffineExpr bound;
  bool operator==(const IndexBound &other) const {
    return index == other.index && bound == other.bound;
  }
};

/// Computes the values of axes in the statement of one tensor. A value is a
/// semi-affine expression that is never negative. Dimension k of an expression
/// is the index of the loop of class k (LoopNest.h), and the symbols are the
/// symbols of the schedule.
class IndexSolver {
public:
  /// Creates a solver for the statement that computes `tensor`.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor);
  /// Creates a solver for the initialisation of the accumulator of `tensor`.
  /// The initialisation is in the loops before the first reduction loop, and in
  /// separate loops that correspond to `privateLoops` (indices of loops of
  /// `tensor`). The extent of a separate loop is AxisGroups::getExtent. In
  /// expressions, the index of a separate loop is dimension k, where k is the
  /// class of the corresponding loop in `privateLoops`.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor, ArrayRef<unsigned> privateLoops);

  /// Returns the value of `axis`: a root, logical or loop axis of the tensor,
  /// or an axis between root and loop axes. Returns null if the loops do not
  /// determine the value.
  AffineExpr solve(AxisId axis) const;

  /// Returns the value of `axis` for the element that operand number `operand`
  /// reads. `axis` is a logical or loop axis of the operand's producer.
  /// For some logical axes of the producer, no single root axis of the reader
  /// determines the index (see Operand::axes). `windows` contains the indices
  /// along these logical axes, and may be empty if there are no such axes.
  AffineExpr solveRead(unsigned operand, AxisId axis,
                       ArrayRef<AffineExpr> windows = {}) const;

  /// Returns the conditions under which an iteration executes the statement.
  /// They exclude indices beyond the extents of axes and, for a reduction,
  /// iterations that would update an accumulator with the same element again.
  /// The result does not contain conditions that always hold.
  SmallVector<IndexBound> getBounds() const;

private:
  using Values = llvm::DenseMap<AxisId, AffineExpr>;

  void addLoop(unsigned position, AxisId axis);
  void complete();
  bool set(AxisId axis, AffineExpr value);
  /// Appends to `axes` the axes that need a bound because a split in `exprs`
  /// does not divide its input evenly.
  void addUnevenBounds(SmallVectorImpl<AxisId> &axes) const;
  void addReductionBounds(SmallVectorImpl<IndexBound> &bounds) const;
  /// The groups of axes along which elements of the tensor, or of its buffer,
  /// differ.
  using Varying = llvm::SmallDenseSet<AxisId, 8>;
  /// Adds bounds for the axes from which `axis` of tensor `from` is made. If
  /// the group of such an axis is not in `varying`, the bound restricts the
  /// axis to its first value.
  void addOnceBounds(TensorId from, AxisId axis, const Varying &varying,
                     SmallVectorImpl<IndexBound> &bounds) const;
  AffineExpr replay(AxisId axis, Values &values) const;
  AffineExpr getConstant(int64_t value) const;

  const Schedule &schedule;
  const LoopClasses &classes;
  const AxisGroups &groups;
  TensorId tensor;
  bool isInit;
  /// The transforms that create the loops of the tensor, or that create the
  /// promoted axes of the loop classes, in the order of their creation.
  SmallVector<ExprId> exprs;
  /// The known values of groups.
  Values values;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_AXISGROUPS_H
