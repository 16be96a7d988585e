//===- StreamingSchedule.h - Positions of transfers -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGSCHEDULE_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGSCHEDULE_H

namespace mlir::pop {

/// The positions of transfers with streaming memory in an execution phase. The
/// names are those of PopART's `ExecutionPhaseSchedule`.
enum class StreamingSchedule {
  /// A load is directly before the first op that needs the tensor, and a store
  /// directly after the op that computes it.
  Interleaving,
  /// All loads are at the beginning of the phase, and all stores at its end.
  Batch,
  /// The same, but the loads of a phase are next to the stores of the phase
  /// before.
  BatchClusteredIO,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGSCHEDULE_H
