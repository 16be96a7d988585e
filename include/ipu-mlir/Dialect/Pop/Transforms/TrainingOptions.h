//===- TrainingOptions.h - Options of training ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H

namespace mlir::pop {

/// The function that computes the loss from predictions and targets.
enum class LossKind {
  L1,
  L2,
  BinaryCrossEntropy,
  BinaryCrossEntropyOfLogits,
  CrossEntropy,
  Nll,
  NllOfProbabilities,
  /// The predictions are already losses.
  Identity,
};

/// The values that replicas combine. In PopART's OptimizerReductionType, these
/// are None, GradReduce, and AcclReduce or AccumReduce.
enum class GradientReduction { None, Gradient, Accumulator };

/// Whether gradients are averaged over the parts of a batch and over the
/// replicas. This corresponds to PopART's ReductionType: None is Sum, and the
/// other two are the two strategies for Mean.
enum class GradientMean {
  None,
  /// The sum of the gradients is divided at the end.
  Post,
  /// A running mean of the gradients is accumulated.
  Running,
};

/// The gradients that automatic loss scaling tracks. This is PopART's
/// GradientTensorTrackingMethod.
enum class TrackedGradients {
  /// All computed gradients except views.
  All,
  /// Gradients that are results of contractions (matrix products and
  /// convolutions).
  Contractions,
  /// Gradients of tensors that `pop-pre-automatic-loss-scale` marked.
  Marked,
};

/// The updates of weights that are merged. In PopART's MergeVarUpdateType,
/// these are None, All, AutoTight and AutoLoose.
enum class UpdateMerging {
  None,
  /// All updates that can be merged.
  All,
  /// Updates of parts of weights. The number of elements in each merged update
  /// equals a threshold, except in the last one.
  Tight,
  /// Updates of whole weights. The number of elements in each merged update is
  /// at most a threshold, except for single larger weights.
  Loose,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
