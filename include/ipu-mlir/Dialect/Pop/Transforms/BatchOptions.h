//===- BatchOptions.h - Options of batches in parts -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHOPTIONS_H

namespace mlir::pop {

/// The way in which `pop-batch-serialize` applies ops to the parts of a batch.
/// The enumerators correspond to UnrollStatic, UnrollDynamic and Loop in
/// PopART's BatchSerializationMethod.
enum class BatchMethod {
  /// There is a copy of each op for each part, with slices and concatenations.
  Static,
  /// The same with slices at computed starts, and updates in place.
  Dynamic,
  /// A loop iterates over the parts.
  Loop,
};

/// The order of the ops of a batch phase. The enumerators correspond to those
/// of PopART's BatchSerializationBatchSchedule.
enum class PhaseSchedule {
  /// The order of the program.
  Scheduler,
  /// The order of the ops in the first phase.
  Isomorphic,
  /// The same, but inputs of a phase are copied from the I/O tiles before
  /// results of the previous phase are copied to the I/O tiles.
  OverlapOnIo,
  /// The same, and inputs of a phase are loaded before the previous phase
  /// computes.
  OverlapOnCompute,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHOPTIONS_H
