//===- AutodiffOptions.h - Options of differentiation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H

namespace mlir::pop {

/// The way in which the backward graph gets values of the forward graph. The
/// enumerators are those of PopART's AutodiffStitchStrategy.
enum class Stitch {
  AddFwdOutputs,
  SafeAddFwdOutputs,
  RecomputeMinimal,
  RecomputeAllNonInputs,
};

/// The values that the regions of loops and branches store for the computation
/// of gradients.
enum class RegionValues {
  /// All values that gradients need. They are stored in a buffer with a row for
  /// each iteration.
  Stash,
  /// The values with which iterations start. Other values are recomputed.
  Recompute,
};

/// The treatment of a required gradient of a value on which the loss does not
/// depend.
enum class Unreachable { Error, Zero };

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H
