//===- BestEffortReplay.h - Replay of common transforms ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of replay and position matching: it finds the transforms of
// one tensor ("target") that another ("replay") already has.
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

/// Merges of an axis with an axis that the other tensor does not have. The
/// other tensor skips these merges.
struct Forwarding {
  /// Maps the other input of such a merge to the output.
  AxisMap forward;
  /// Maps the other input of such a merge to the missing input.
  AxisMap complement;

  /// `own`: the axes that the other tensor does not have.
  static Forwarding compute(const Schedule &schedule, ArrayRef<AxisId> loop,
                            ArrayRef<AxisId> own);
  /// Returns the end of the chain of merges that starts with `axis`.
  AxisId getEnd(AxisId axis) const;
  /// If `expr` is such a merge, moves the image of its input to the end of the
  /// chain, and returns true.
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
  /// In order of insertion.
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

/// The transforms that lead to some axes of the target and that the replay side
/// already has.
struct BestEffortReplay {
  struct Request {
    /// The loops of the replay side.
    ArrayRef<AxisId> replayLoop;
    /// Axes of the target side.
    ArrayRef<AxisId> targets;
    /// The axes from which the history of the targets starts.
    ArrayRef<AxisId> targetRoots;
    const Forwarding *replayForwarding = nullptr;
    const Forwarding *targetForwarding = nullptr;
    /// Expressions of the replay side that the transforms must not contradict.
    ArrayRef<ExprId> frozen;
  };

  /// `map`: from target axes to replay axes. The keys are visited in their
  /// order.
  BestEffortReplay(const Schedule &schedule, const Request &request,
                   llvm::MapVector<AxisId, AxisId> map);

  /// `map`, extended to all corresponding axes.
  llvm::MapVector<AxisId, AxisId> map;
  /// Axes of the replay side that no found transform uses.
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
