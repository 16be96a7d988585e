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

/// The values that replicas combine. None and Gradient correspond to None and
/// GradReduce in PopART's OptimizerReductionType. Accumulator corresponds to
/// both AcclReduce and AccumReduce.
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

/// The updates of weights that are merged. The enumerators correspond to None,
/// All, AutoTight and AutoLoose in PopART's MergeVarUpdateType.
enum class UpdateMerging {
  None,
  /// All updates that can be merged.
  All,
  /// Updates of weights. A weight may be split between two merged updates. The
  /// bytes of weights in each merged update equal a threshold, except in the
  /// last update.
  Tight,
  /// Updates of whole weights. The bytes of weights in each merged update are
  /// at most a threshold, except for single larger weights.
  Loose,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
