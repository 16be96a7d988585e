//===- History.cpp - The losses of a training -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include "ipu-mlir/Tools/Report.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The number of values in a row of the tensor. A missing value is NaN; all
/// other losses are finite.
static constexpr int64_t kColumns = 9;

static double orNaN(std::optional<double> value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

static std::optional<double> unlessNaN(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

HostTensor train::packHistory(const History &history, MLIRContext *context) {
  auto type = RankedTensorType::get({int64_t(history.size()), kColumns},
                                    Builder(context).getF64Type());
  HostTensor tensor{type, HostBytes::allocate(*getTensorBytes(type), false)};
  char *to = tensor.data.data();
  for (const HistoryRow &row : history) {
    std::optional<double> validationLoss;
    if (row.validation)
      validationLoss = row.validation->loss;
    Score validation = row.validation.value_or(Score());
    std::array<double, kColumns> values = {double(row.update),
                                           double(row.epoch),
                                           row.training.loss,
                                           orNaN(row.training.accuracy),
                                           orNaN(validationLoss),
                                           orNaN(validation.accuracy),
                                           row.deviceSeconds,
                                           orNaN(row.training.topAccuracy),
                                           orNaN(validation.topAccuracy)};
    std::memcpy(to, values.data(), sizeof(values));
    to += sizeof(values);
  }
  return tensor;
}

/// Fails if a row does not belong to update `update`, or if it has a value that
/// no update can have.
static llvm::Error checkRow(ArrayRef<double> values, int64_t update) {
  auto fails = [&](StringRef what, double value) {
    return tools::makeError(
        llvm::formatv("row {0} of its history expects {1} but has {2}",
                      update - 1, what, llvm::format("%g", value)));
  };
  // NaN is not equal to its floor, so that these checks also reject NaN.
  if (values[0] != double(update))
    return fails("update " + std::to_string(update), values[0]);
  if (values[1] != std::floor(values[1]) || values[1] < 1 ||
      values[1] > double(update))
    return fails("the number of an epoch", values[1]);
  if (!std::isfinite(values[2]))
    return fails("a finite loss", values[2]);
  if (std::isinf(values[4]))
    return fails("a finite validation loss", values[4]);
  for (double accuracy : {values[3], values[5], values[7], values[8]})
    if (accuracy < 0 || accuracy > 1)
      return fails("an accuracy from 0 to 1", accuracy);
  if (!(values[6] >= 0) || std::isinf(values[6]))
    return fails("a number of seconds", values[6]);
  return llvm::Error::success();
}

llvm::Expected<History> train::unpackHistory(const HostTensor &tensor) {
  if (!tensor.type.getElementType().isF64() || tensor.type.getRank() != 2 ||
      tensor.type.getDimSize(1) != kColumns)
    return tools::makeError("expects a checkpoint of ipu-train");
  History history(tensor.type.getDimSize(0));
  const char *from = tensor.data.data();
  for (auto [index, row] : llvm::enumerate(history)) {
    std::array<double, kColumns> values;
    std::memcpy(values.data(), from, sizeof(values));
    from += sizeof(values);
    if (llvm::Error error = checkRow(values, int64_t(index) + 1))
      return error;
    row.update = int64_t(values[0]);
    row.epoch = int64_t(values[1]);
    row.training = {values[2], unlessNaN(values[3]), unlessNaN(values[7])};
    if (!std::isnan(values[4]))
      row.validation =
          Score{values[4], unlessNaN(values[5]), unlessNaN(values[8])};
    row.deviceSeconds = values[6];
  }
  return history;
}

llvm::Error train::checkEpochs(const History &history, int64_t updatesOfEpoch) {
  for (const HistoryRow &row : history) {
    int64_t epoch = (row.update - 1) / updatesOfEpoch + 1;
    if (row.epoch != epoch)
      return tools::makeError(
          llvm::formatv("row {0} of its history expects epoch {1} but has {2}",
                        row.update - 1, epoch, row.epoch));
  }
  return llvm::Error::success();
}

std::string train::describeEnd(int64_t updates, int64_t end, int64_t epochs) {
  if (updates == end)
    return llvm::formatv("already at update {0} of {1}", updates, end);
  return llvm::formatv(
      "already at update {0}, later than update {1}, the last one of epoch {2}",
      updates, end, epochs);
}

//===----------------------------------------------------------------------===//
// The best epoch
//===----------------------------------------------------------------------===//

const HistoryRow *train::findBestEpoch(const History &history) {
  const HistoryRow *best = nullptr;
  for (const HistoryRow &row : history)
    if (row.validation &&
        (!best || row.validation->loss < best->validation->loss))
      best = &row;
  return best;
}

int64_t train::countEpochsAfterBest(const History &history) {
  const HistoryRow *best = findBestEpoch(history);
  return llvm::count_if(history, [&](const HistoryRow &row) {
    return row.validation && row.update > best->update;
  });
}

std::string train::describeBestEpoch(const HistoryRow &best) {
  return llvm::formatv("the lowest validation loss is {0}, after epoch {1}",
                       formatLoss(best.validation->loss), best.epoch);
}

std::string train::formatLoss(double loss) {
  double size = std::abs(loss);
  bool isFixed = loss == 0 || (size >= 1e-3 && size < 1e6);
  return isFixed ? llvm::formatv("{0:F4}", loss).str()
                 : llvm::formatv("{0:e4}", loss).str();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

// New columns come last, so that programs which read columns by number still
// find the others.
void train::writeHeader(llvm::raw_ostream &os, const LogColumns &columns) {
  os << "update,epoch,loss,accuracy,validation_loss,validation_accuracy,"
        "device_seconds,learning_rate";
  auto writePair = [&](const Twine &name) {
    os << ',' << name << ",validation_" << name;
  };
  if (columns.topK)
    writePair("top_" + Twine(columns.topK) + "_accuracy");
  if (columns.hasPerplexity)
    writePair("perplexity");
  os << '\n';
}

void train::writeRow(llvm::raw_ostream &os, const LogColumns &columns,
                     const HistoryRow &row, float learningRate) {
  const std::optional<Score> scores[] = {row.training, row.validation};
  auto writeAccuracy = [&](std::optional<double> accuracy) {
    os << ',';
    if (accuracy)
      os << llvm::format("%.6f", *accuracy);
  };
  os << row.update << ',' << row.epoch;
  for (const std::optional<Score> &score : scores) {
    os << ',';
    if (score)
      os << llvm::format("%.9g", score->loss);
    writeAccuracy(score ? score->accuracy : std::nullopt);
  }
  os << llvm::format(",%.9g,%.9g", row.deviceSeconds, double(learningRate));
  if (columns.topK)
    for (const std::optional<Score> &score : scores)
      writeAccuracy(score ? score->topAccuracy : std::nullopt);
  if (columns.hasPerplexity)
    for (const std::optional<Score> &score : scores) {
      os << ',';
      if (score)
        os << llvm::format("%.9g", score->getPerplexity());
    }
  os << '\n';
}
