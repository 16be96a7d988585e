//===- TrainingOptions.h - Options of training ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H

namespace mlir::pop {

/// The loss of predictions.
enum class LossKind {
  L1,
  L2,
  BinaryCrossEntropy,
  BinaryCrossEntropyOfLogits,
  CrossEntropy,
  Nll,
  NllOfProbabilities,
  /// The predictions are losses themselves.
  Identity,
};

/// The values that replicas combine. (PopART's OptimizerReductionType: None,
/// GradReduce, and AcclReduce or AccumReduce.)
enum class GradientReduction { None, Gradient, Accumulator };

/// Whether gradients are averaged over the parts of a batch and the replicas.
/// (PopART's ReductionType, Sum or Mean, with its two strategies for the mean.)
enum class GradientMean {
  None,
  /// The sum is divided at the end.
  Post,
  /// A running mean is accumulated.
  Running,
};

/// The gradients that automatic loss scaling tracks. (PopART's
/// GradientTensorTrackingMethod.)
enum class TrackedGradients {
  /// All computed gradients except views.
  All,
  /// Gradients that contractions compute.
  Contractions,
  /// Gradients of tensors that `pop-pre-automatic-loss-scale` marked.
  Marked,
};

/// The updates of weights that are merged. (PopART's MergeVarUpdateType: None,
/// All, AutoTight, AutoLoose.)
enum class UpdateMerging {
  None,
  /// All updates that can be merged.
  All,
  /// Parts of weights with as many elements as a threshold says.
  Tight,
  /// As many whole weights as a threshold allows.
  Loose,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGOPTIONS_H
