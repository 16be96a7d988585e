//===- Inliner.h - Positions for given loops --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that computeAt and inlining share. This header is private to the
// library.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H

#include "LoopTree.h"

namespace mlir::fuse {

/// Finds positions of the tensors of a schedule. The loops do not change.
class Inliner {
public:
  Inliner(const Schedule &schedule, InlineMode mode, bool hoist)
      : schedule(schedule), map(schedule), tree(schedule), mode(mode),
        hoist(hoist) {
    for (TensorId t : llvm::reverse(schedule.getProgramOrder()))
      tree.raise(t, schedule.getTensor(t).computeAt, /*hoist=*/false);
  }

  /// Raises the position of `tensor` to the greatest legal position up to
  /// `target`, and returns it. With `hoist`, the position excludes trailing
  /// broadcasts.
  unsigned raise(TensorId tensor, unsigned target, Violation *why = nullptr) {
    if (schedule.getConsumers(tensor).empty())
      return target;
    unsigned max =
        std::min(target, getMaxPosition(schedule, map, tensor, mode, why));
    Violation reason;
    unsigned reached = tree.raise(tensor, max, hoist, why ? &reason : nullptr);
    if (reached < max && why)
      *why = std::move(reason);
    if (reached < max)
      refused.emplace_back(tensor, max);
    return reached;
  }
  /// Tries again to raise the tensors that did not reach their position. The
  /// position may have become legal because producers now share the loops that
  /// forbade it. Must be called after all other calls of `raise`.
  void raiseRefused() {
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (auto [tensor, max] : refused) {
        unsigned before = tree.getPosition(tensor);
        tree.raise(tensor, max, hoist);
        hasChanged |= tree.getPosition(tensor) != before;
      }
    }
  }
  unsigned raise(TensorId tensor, unsigned target,
                 ArrayRef<TensorId> consumers) {
    unsigned max = target;
    for (TensorId consumer : consumers)
      max = std::min(max, getMaxComputeWith(schedule, tensor, consumer));
    return tree.raise(tensor, max, /*hoist=*/false, consumers, nullptr);
  }

  /// Writes the positions to `result`. No position in `result` becomes smaller.
  void write(Schedule &result) const {
    for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
      Tensor &tensor = result.getTensor(t);
      tensor.computeAt = std::max(tensor.computeAt, tree.getPosition(t));
      // A tensor whose computeWith position would be less than its computeAt
      // position has no computeWith position: it is stored where it is
      // computed.
      if (tensor.computeWith && *tensor.computeWith < tensor.computeAt)
        tensor.computeWith.reset();
    }
  }

private:
  const Schedule &schedule;
  RootDomainMap map;
  LoopTree tree;
  InlineMode mode;
  bool hoist;
  /// The tensors that did not reach the requested position, and the requested
  /// positions.
  std::vector<std::pair<TensorId, unsigned>> refused;
};

/// Resets positions of `schedule` to those in `before` until the schedule is
/// legal: first the positions of the tensors that a violation names, then the
/// positions of all tensors. Returns the first violation, or std::nullopt if
/// there was none. Violations are rare, because LoopTree has already checked
/// all conditions except those on extents of loops and on computeWith
/// positions.
MaybeViolation makeLegal(Schedule &schedule, const Schedule &before);

/// Creates the violation which states that `position` is not a position of
/// `tensor`.
Violation makeRangeViolation(const Schedule &schedule, TensorId tensor,
                             int64_t position);
/// Creates the violation which states that `tensor` can only reach position
/// `max` instead of `wanted`, and the reason.
Violation makeDepthViolation(const Schedule &schedule, TensorId tensor,
                             unsigned wanted, unsigned max, Violation reason);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
