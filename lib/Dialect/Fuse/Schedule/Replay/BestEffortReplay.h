//===- BestEffortReplay.h - Replay of common transforms ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of replay and of the matching of positions: finds the
// transforms of one tensor (the target) that another tensor (the replay side)
// already has.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_REPLAY_BESTEFFORTREPLAY_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_REPLAY_BESTEFFORTREPLAY_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

using AxisMap = llvm::DenseMap<AxisId, AxisId>;
using AxisSet = llvm::SmallDenseSet<AxisId, 8>;

/// The forwarding merges of a tensor: merges of two axes only one of which
/// corresponds to an axis of another tensor. Such a merge has no counterpart in
/// the other tensor. The axis that the other tensor has is forwarded to the
/// output of the merge.
struct Forwarding {
  /// Maps the input that has a corresponding axis to the output of the merge.
  AxisMap forward;
  /// Maps the input that has a corresponding axis to the input that has none.
  AxisMap complement;

  /// Finds the forwarding merges among the transforms that lead to `loop`.
  /// `own` contains the axes that correspond to no axis of the other tensor.
  static Forwarding compute(const Schedule &schedule, ArrayRef<AxisId> loop,
                            ArrayRef<AxisId> own);
  /// Returns the last output of the chain of forwarding merges that starts at
  /// `axis`.
  AxisId getEnd(AxisId axis) const;
  /// If `expr` is a forwarding merge, replaces the image of its forwarded input
  /// in `map` by the last output of the chain, and returns true.
  bool pass(const AxisExpr &expr, llvm::MapVector<AxisId, AxisId> &map) const;
};

/// An ordered set of axes.
class AxisList {
public:
  void insert(AxisId axis) {
    if (members.insert(axis).second)
      order.push_back(axis);
  }
  void erase(AxisId axis) { members.erase(axis); }
  bool contains(AxisId axis) const { return members.contains(axis); }
  /// Returns the axes in the order of their insertion.
  SmallVector<AxisId> take() const {
    SmallVector<AxisId> list;
    AxisSet seen;
    for (AxisId axis : order)
      if (contains(axis) && seen.insert(axis).second)
        list.push_back(axis);
    return list;
  }

private:
  SmallVector<AxisId> order;
  AxisSet members;
};

/// Finds the transforms that lead to given axes of the target and that the
/// replay side already has.
struct BestEffortReplay {
  struct Request {
    /// The loops of the replay side.
    ArrayRef<AxisId> replayLoop;
    /// The axes of the target side to which the transforms lead.
    ArrayRef<AxisId> targets;
    /// The axes from which the history of the targets starts.
    ArrayRef<AxisId> targetRoots;
    const Forwarding *replayForwarding = nullptr;
    const Forwarding *targetForwarding = nullptr;
    /// The expressions of the replay side that are frozen: the transforms must
    /// not differ from them.
    ArrayRef<ExprId> frozen;
  };

  /// Runs the search. `map` maps axes of the target to corresponding axes of
  /// the replay side, and its keys are visited in their order.
  BestEffortReplay(const Schedule &schedule, const Request &request,
                   llvm::MapVector<AxisId, AxisId> map);

  /// The initial map, extended to all axes of the target that have a
  /// corresponding axis on the replay side.
  llvm::MapVector<AxisId, AxisId> map;
  /// The axes of the replay side that are not inputs of a transform that was
  /// found.
  AxisList leaves;
  /// A frozen axis of the replay side to which the target applies another
  /// transform than the frozen expressions.
  std::optional<AxisId> contradicted;

private:
  void visit(const AxisExpr &expr);
  void keepMerged();
  void addComplementLeaves();
  void contradict(ArrayRef<AxisId> axes);

  const Schedule &schedule;
  const Request request;
  llvm::DenseMap<AxisId, ExprId> uses;
  AxisSet frozenInputs;
  SmallVector<AxisId> forwarded;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_REPLAY_BESTEFFORTREPLAY_H
