//===- Evaluation.cpp - Losses and accuracies of predictions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include "ipu-mlir/Host/HostElements.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Returns the elements of a tensor as numbers.
static std::vector<double> readNumbers(const HostTensor &tensor) {
  std::vector<double> numbers(tensor.type.getNumElements());
  Type type = tensor.type.getElementType();
  const char *data = tensor.data.data();
  // f32 is a special case, because checking the type takes longer than reading
  // an element.
  if (type.isF32()) {
    for (auto [i, number] : llvm::enumerate(numbers)) {
      float value;
      std::memcpy(&value, data + i * sizeof(value), sizeof(value));
      number = value;
    }
    return numbers;
  }
  int64_t size = getElementBytes(type);
  auto floatType = dyn_cast<FloatType>(type);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    uint64_t bits = loadBits(type, data + i * size);
    number =
        floatType
            ? decodeFloat(floatType, bits)
            : static_cast<double>(decodeInteger(cast<IntegerType>(type), bits));
  }
  return numbers;
}

std::optional<int64_t> Evaluation::addLosses(const HostTensor &losses,
                                             int64_t first, int64_t samples,
                                             std::optional<double> divisor) {
  std::vector<double> elements = readNumbers(losses);
  int64_t size = losses.type.getNumElements(), count = size * first / samples;
  std::optional<int64_t> nonFinite;
  for (int64_t i = 0; i < count; ++i) {
    lossSum += elements[i];
    if (!nonFinite && !std::isfinite(elements[i]))
      nonFinite = i * samples / size;
  }
  divisorSum += divisor.value_or(double(count));
  return nonFinite;
}

/// Returns the number of classes whose predictions are greater than that of
/// `label`; of equal predictions, the first one is the greatest. Returns the
/// number of classes if a prediction is NaN.
static int64_t getRank(ArrayRef<double> predictions, int64_t at, int64_t stride,
                       int64_t classes, int64_t label) {
  int64_t rank = 0;
  double ofLabel = predictions[at + label * stride];
  for (int64_t i = 0; i < classes; ++i) {
    double value = predictions[at + i * stride];
    if (std::isnan(value))
      return classes;
    rank += value > ofLabel || (value == ofLabel && i < label);
  }
  return rank;
}

void Evaluation::addPredictions(const HostTensor &predictions,
                                const HostTensor &targets, int64_t first,
                                int64_t samples) {
  const LossInfo &loss = *options.loss;
  if (loss.targets == Targets::Values)
    return;
  std::vector<double> predicted = readNumbers(predictions),
                      wanted = readNumbers(targets);
  int64_t positions = targets.type.getNumElements() / samples;
  for (int64_t i = 0, e = first * positions; i < e; ++i) {
    bool isRight = false;
    if (loss.targets == Targets::Bits) {
      isRight = (predicted[i] > loss.threshold) == (wanted[i] > 0.5);
    } else {
      auto label = static_cast<int64_t>(wanted[i]);
      if (options.labels.isIgnored(label))
        continue;
      // The dimensions of positions in a sample follow the dimension of
      // classes.
      int64_t sample = i / positions, position = i % positions;
      int64_t at = sample * model.classes * positions + position;
      int64_t rank = getRank(predicted, at, positions, model.classes, label);
      isRight = rank == 0;
      numInTop += rank < options.topK;
    }
    numRight += isRight;
    ++numPredictions;
  }
}

bool Evaluation::isFinite() const { return std::isfinite(lossSum); }

Score Evaluation::getScore() const {
  Score score;
  score.loss = divisorSum > 0 ? lossSum / divisorSum : 0.0;
  if (numPredictions)
    score.accuracy = double(numRight) / numPredictions;
  if (numPredictions && options.topK)
    score.topAccuracy = double(numInTop) / numPredictions;
  return score;
}
