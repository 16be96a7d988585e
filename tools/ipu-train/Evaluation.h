//===- Evaluation.h - Losses and accuracies of predictions ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_EVALUATION_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_EVALUATION_H

#include "History.h"
#include "Programs.h"

namespace mlir::ipu::train {

/// The sums of losses and of correct predictions.
class Evaluation {
public:
  Evaluation(const LossInfo &loss, const TrainedModel &model)
      : loss(loss), model(model) {}

  /// Adds the losses of the first `first` of `samples` samples. The elements of
  /// `losses` are in the order of the samples, and each sample has the same
  /// number of elements. Returns the number of the first added sample whose
  /// loss is not finite, or std::nullopt if all are finite.
  std::optional<int64_t> addLosses(const HostTensor &losses, int64_t first,
                                   int64_t samples);
  /// Compares the predictions for the first `first` of `samples` samples with
  /// their targets.
  void addPredictions(const HostTensor &predictions, const HostTensor &targets,
                      int64_t first, int64_t samples);

  bool isFinite() const;
  Score getScore() const;

private:
  const LossInfo &loss;
  const TrainedModel &model;
  double lossSum = 0;
  int64_t numLosses = 0, numRight = 0, numPredictions = 0;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_EVALUATION_H
