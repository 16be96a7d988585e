//===- RecomputeOptions.h - Options of recomputation ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEOPTIONS_H

namespace mlir::pop {

/// The way in which `pop-annotate-recompute` chooses ops. The first four
/// enumerators correspond to those of PopART's RecomputationType.
enum class RecomputeMethod {
  /// Keep the values that are live where few bytes are live.
  Standard,
  /// Recompute normalizations.
  NormOnly,
  /// Recompute all ops.
  All,
  /// Keep the inputs of pipeline stages.
  Pipeline,
  /// Recompute as little as possible so that the peak stays in a budget.
  Budget,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEOPTIONS_H
