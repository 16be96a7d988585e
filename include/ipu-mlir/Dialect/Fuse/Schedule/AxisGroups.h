//===- AxisGroups.h - Groups of axes with equal values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups the axes of different tensors that have equal values in shared loops,
// and computes the value of an axis in the loops around a statement. In
// contrast to the matching of loops in Replay.h this is exact: y and y*z are in
// different groups, even if they share a loop.
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

/// The finest partition of axes such that
///   - a logical axis of a producer that its shared loops are made of is with
///     the root axis of each consumer that reads it;
///   - equal splits and merges of axes that are together give axes that are;
///   - a merge with a broadcast that nothing makes concrete is with the other
///     input.
/// A group of broadcasts alone is not concrete: it has the extent 1.
class AxisGroups {
public:
  static AxisGroups build(const Schedule &schedule);

  /// The group of an axis, by its first member.
  AxisId getGroup(AxisId axis) const {
    while (parents[axis] != axis)
      axis = parents[axis];
    return axis;
  }
  bool areSame(AxisId a, AxisId b) const { return getGroup(a) == getGroup(b); }
  /// Whether some member is no broadcast.
  bool isConcrete(AxisId axis) const { return concrete[getGroup(axis)]; }
  /// The number of values of the group; that of the axis itself if it is a
  /// broadcast which others make concrete is the larger one.
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

/// The logical axes, and the reductions among the axes after the frozen
/// transforms, that `axes` of `tensor` are made of.
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

/// Values of axes in the statement of one tensor, as expressions whose
/// dimension k is the variable of the loop of class k and whose symbols are the
/// schedule's; semi-affine, never negative.
class IndexSolver {
public:
  /// The statement that computes `tensor`.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor);
  /// The init of the accumulator of `tensor`: it is in the loops before the
  /// first reduction, and in loops of its own over `privateLoops` (indices into
  /// the loops of `tensor`), which run to AxisGroups::getExtent and whose
  /// variables are the dimensions of the classes of these loops.
  IndexSolver(const Schedule &schedule, const LoopClasses &classes,
              TensorId tensor, ArrayRef<unsigned> privateLoops);

  /// The value of a root, logical or loop axis of the tensor, or any between;
  /// null if the loops do not determine it.
  AffineExpr solve(AxisId axis) const;

  /// The value of `axis`, a logical or loop axis of the producer of an operand,
  /// of the element that the operand reads. `windows` has the index along each
  /// logical axis of the producer that no single root axis gives; may be empty
  /// if there is none.
  AffineExpr solveRead(unsigned operand, AxisId axis,
                       ArrayRef<AffineExpr> windows = {}) const;

  /// Where the statement must run: all of them hold for each element exactly
  /// once. Those that hold anyway are left out.
  SmallVector<IndexBound> getBounds() const;

private:
  using Values = llvm::DenseMap<AxisId, AffineExpr>;

  void addLoop(unsigned position, AxisId axis);
  void complete();
  bool set(AxisId axis, AffineExpr value);
  /// Axes of bounds that uneven splits among `exprs` make necessary.
  void addUnevenBounds(SmallVectorImpl<AxisId> &axes) const;
  void addReductionBounds(SmallVectorImpl<IndexBound> &bounds) const;
  /// Groups that the tensor, or its buffer, varies along.
  using Varying = llvm::SmallDenseSet<AxisId, 8>;
  /// Of what `axis` of tensor `from` is made of, only the first value of what
  /// is not in `varying`.
  void addOnceBounds(TensorId from, AxisId axis, const Varying &varying,
                     SmallVectorImpl<IndexBound> &bounds) const;
  AffineExpr replay(AxisId axis, Values &values) const;
  AffineExpr getConstant(int64_t value) const;

  const Schedule &schedule;
  const LoopClasses &classes;
  const AxisGroups &groups;
  TensorId tensor;
  bool isInit;
  /// Transforms that lead to the loops of the tensor or of members that the
  /// loops are promoted to, in the order they were made.
  SmallVector<ExprId> exprs;
  /// By group.
  Values values;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_AXISGROUPS_H
