//===- AutodiffOptions.h - Options of differentiation -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H

namespace mlir::pop {

/// How values of the forward graph come into the backward graph. (PopART's
/// AutodiffStitchStrategy.)
enum class Stitch {
  AddFwdOutputs,
  SafeAddFwdOutputs,
  RecomputeMinimal,
  RecomputeAllNonInputs,
};

/// What the regions of loops and branches keep for their gradients.
enum class RegionValues {
  /// Every value that gradients need, in a buffer with a row for each
  /// iteration.
  Stash,
  /// What iterations start from; the rest is computed again.
  Recompute,
};

/// What a required gradient is that is not reached.
enum class Unreachable { Error, Zero };

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFOPTIONS_H
