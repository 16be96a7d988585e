//===- TrainingOptions.h - Choices of training ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H

namespace mlir::pop {

/// What replicas combine of the gradients. (PopART's OptimizerReductionType:
/// None, GradReduce, and AcclReduce or AccumReduce.)
enum class GradientReduction { None, Gradient, Accumulator };

/// Whether the parts of a batch and the replicas are averaged. (PopART's
/// ReductionType, Sum or Mean, with its two strategies for the mean.)
enum class GradientMean {
  None,
  /// The sum is divided at the end.
  Post,
  /// A mean is accumulated.
  Running,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
