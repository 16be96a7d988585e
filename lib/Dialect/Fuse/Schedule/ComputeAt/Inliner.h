//===- Inliner.h - Positions for given loops --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that computeAt and inlining share. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H

#include "LoopTree.h"

namespace mlir::fuse {

/// Finds positions for a schedule whose loops are final.
class Inliner {
public:
  Inliner(const Schedule &schedule, InlineMode mode, bool hoist)
      : schedule(schedule), map(schedule), tree(schedule), mode(mode),
        hoist(hoist) {
    for (TensorId t : llvm::reverse(schedule.getProgramOrder()))
      tree.raise(t, schedule.getTensor(t).computeAt, /*hoist=*/false);
  }

  /// Raises the position of `tensor` as near to `target` as is legal. Returns
  /// the position that was reached. Trailing broadcasts may be omitted from it.
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
  /// Raises refused tensors again. A refused position may have become legal,
  /// because producers now share loops of the path that forbade it. Must be
  /// called last.
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

  /// Sets the positions that were found. None of them is less than before.
  void write(Schedule &result) const {
    for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
      Tensor &tensor = result.getTensor(t);
      tensor.computeAt = std::max(tensor.computeAt, tree.getPosition(t));
      // The tensor is then stored where it is computed.
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
  /// Tensors that did not reach the given position.
  std::vector<std::pair<TensorId, unsigned>> refused;
};

/// Resets positions to those in `before` until the conditions on the loops
/// hold: first of the tensors that the violation names, then of all tensors.
/// The tree has already checked all conditions except extents of loops and
/// computeWith positions, so this is rare. Returns the first violation that was
/// found.
MaybeViolation makeLegal(Schedule &schedule, const Schedule &before);

/// Returns the violation that `position` is not a position of `tensor`.
Violation makeRangeViolation(const Schedule &schedule, TensorId tensor,
                             int64_t position);
/// Returns the violation that `tensor` only reaches position `max`, with the
/// reason.
Violation makeDepthViolation(const Schedule &schedule, TensorId tensor,
                             unsigned wanted, unsigned max, Violation reason);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_INLINER_H
