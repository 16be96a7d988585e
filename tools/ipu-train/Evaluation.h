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
  Evaluation(const Options &options, const TrainedModel &model)
      : options(options), model(model) {}

  /// Adds the losses of the first `first` of `samples` samples. The elements of
  /// `losses` are in the order of the samples, and each sample has the same
  /// number of elements. `divisor` is added to the number by which the sum of
  /// all losses is divided; by default, it is the number of added losses.
  /// Returns the number of the first added sample whose loss is not finite, or
  /// std::nullopt if all are finite.
  std::optional<int64_t> addLosses(const HostTensor &losses, int64_t first,
                                   int64_t samples,
                                   std::optional<double> divisor);
  /// Compares the predictions for the first `first` of `samples` samples with
  /// their targets, except for labels that are ignored.
  void addPredictions(const HostTensor &predictions, const HostTensor &targets,
                      int64_t first, int64_t samples);

  bool isFinite() const;
  Score getScore() const;

private:
  const Options &options;
  const TrainedModel &model;
  double lossSum = 0, divisorSum = 0;
  int64_t numRight = 0, numInTop = 0, numPredictions = 0;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_EVALUATION_H
