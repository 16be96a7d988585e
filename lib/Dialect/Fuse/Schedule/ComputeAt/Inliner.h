//===- Inliner.h - Positions for given loops --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that computeAt and inlining share. Private to the
// library.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H

#include "LoopTree.h"

namespace mlir::fuse {

/// Finds positions for a schedule whose loops are made.
class Inliner {
public:
  Inliner(const Schedule &schedule, InlineMode mode, bool hoist)
      : schedule(schedule), map(schedule), tree(schedule), mode(mode),
        hoist(hoist) {
    for (TensorId t : llvm::reverse(schedule.getProgramOrder()))
      tree.raise(t, schedule.getTensor(t).computeAt, /*hoist=*/false);
  }

  /// As near to `target` as is legal; returns what could be reached, of which
  /// trailing broadcasts may have been left.
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
  /// What was refused may have become legal since, as loops that a path went
  /// through were shared by producers. To be called last.
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

  /// Sets the positions found, which are none less than those before.
  void write(Schedule &result) const {
    for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
      Tensor &tensor = result.getTensor(t);
      tensor.computeAt = std::max(tensor.computeAt, tree.getPosition(t));
      // It is stored where it is computed then.
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
  /// Tensors that the tree stopped before the position given.
  std::vector<std::pair<TensorId, unsigned>> refused;
};

/// Takes positions back, as long as the conditions on the loops are not met, to
/// what they were in `before`: first of the tensors that the violation names,
/// then of all. The tree has seen to all but the extents of loops and what is
/// computed deeper than it is stored, so this is rare. Returns the first
/// violation that was met.
MaybeViolation makeLegal(Schedule &schedule, const Schedule &before);

/// `position` is not a position of `tensor`.
Violation makeRangeViolation(const Schedule &schedule, TensorId tensor,
                             int64_t position);
/// `tensor` reaches `max` only, for the reason given.
Violation makeDepthViolation(const Schedule &schedule, TensorId tensor,
                             unsigned wanted, unsigned max, Violation reason);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
