//===- AxisGroups.h - Groups of axes with equal values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the axes of different tensors that have equal values in shared loops,
// and computes the value of an axis in the loops around a statement. In
// contrast to the matching of loops in Replay.h, the groups are exact: y and
// y*z are in different groups, even if they share a loop.
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
/// - A logical axis of a producer from which its shared loops are made is in
///   the group of the root axis of each consumer that reads it.
/// - Equal splits and merges of axes in the same groups result in axes in the
///   same groups.
/// - The result of a merge with a broadcast that no other axis makes concrete
///   is in the group of the other input.
///
/// A group that contains only broadcasts is not concrete and has the extent 1.
class AxisGroups {
public:
  static AxisGroups build(const Schedule &schedule);

  /// The group of an axis, identified by its first member.
  AxisId getGroup(AxisId axis) const {
    while (parents[axis] != axis)
      axis = parents[axis];
    return axis;
  }
  bool areSame(AxisId a, AxisId b) const { return getGroup(a) == getGroup(b); }
  /// Whether some member is not a broadcast.
  bool isConcrete(AxisId axis) const { return concrete[getGroup(axis)]; }
  /// The number of values of the group. For a broadcast that other axes make
  /// concrete, this is greater than the extent of the broadcast itself.
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

/// The axes of `tensor` from which `axes` are made: logical axes, and the
/// reductions among the axes after the frozen transforms.
SmallVector<AxisId> getSources(const Schedule &schedule, TensorId tensor,
                               ArrayRef<AxisId> axes);

/// index < bound.
struct IndexBound {
  AffineExpr index;
  AffineExpr bound;
  bool operator==(const IndexBound &other) const {
    return index == other.index && bound == other.bound;
  }
};

/// The values of axes in the statement of one tensor, as semi-affine
/// expressions that are never negative. Dimension k of an expression is the
/// variable of the loop of class k. The symbols are those of the schedule.
class IndexSolver {
public:
  /// For the statement that computes `tensor`.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor);
  /// For the initialisation of the accumulator of `tensor`. It is in the loops
  /// before the first reduction, and in loops of its own over `privateLoops`
  /// (indices of loops of `tensor`). These loops run to AxisGroups::getExtent,
  /// and their variables are the dimensions of the classes of the private
  /// loops.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor, ArrayRef<unsigned> privateLoops);

  /// The value of a root, logical or loop axis of the tensor, or of an axis in
  /// between. Null if the loops do not determine it.
  AffineExpr solve(AxisId axis) const;

  /// The value, for the element that the operand reads, of `axis`, a logical or
  /// loop axis of the operand's producer. `windows` has the index along each
  /// logical axis of the producer that no single root axis determines. It may
  /// be empty if there are no such axes.
  AffineExpr solveRead(unsigned operand, AxisId axis,
                       ArrayRef<AffineExpr> windows = {}) const;

  /// The conditions for the execution of the statement. All of them hold
  /// exactly once for each element. Conditions that always hold are left out.
  SmallVector<IndexBound> getBounds() const;

private:
  using Values = llvm::DenseMap<AxisId, AffineExpr>;

  void addLoop(unsigned position, AxisId axis);
  void complete();
  bool set(AxisId axis, AffineExpr value);
  /// Adds the axes whose bounds are necessary because of uneven splits among
  /// `exprs`.
  void addUnevenBounds(SmallVectorImpl<AxisId> &axes) const;
  void addReductionBounds(SmallVectorImpl<IndexBound> &bounds) const;
  /// The groups along which the tensor, or its buffer, varies.
  using Varying = llvm::SmallDenseSet<AxisId, 8>;
  /// Of the axes from which `axis` of tensor `from` is made, those that are not
  /// in `varying` are restricted to their first value.
  void addOnceBounds(TensorId from, AxisId axis, const Varying &varying,
                     SmallVectorImpl<IndexBound> &bounds) const;
  AffineExpr replay(AxisId axis, Values &values) const;
  AffineExpr getConstant(int64_t value) const;

  const Schedule &schedule;
  const LoopClasses &classes;
  const AxisGroups &groups;
  TensorId tensor;
  bool isInit;
  /// Transforms that lead to the loops of the tensor, or to the loops of
  /// members to which these loops are promoted, in the order in which they were
  /// made.
  SmallVector<ExprId> exprs;
  /// Indexed by group.
  Values values;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_AXISGROUPS_H
