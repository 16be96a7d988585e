//===- History.cpp - The losses of a training -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "History.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Format.h"
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

/// Numbers of a row; what is absent is NaN.
static constexpr int64_t kColumns = 7;

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
    std::optional<double> validationLoss, validationAccuracy;
    if (row.validation) {
      validationLoss = row.validation->loss;
      validationAccuracy = row.validation->accuracy;
    }
    std::array<double, kColumns> values = {
        double(row.update),    double(row.epoch),
        row.training.loss,     orNaN(row.training.accuracy),
        orNaN(validationLoss), orNaN(validationAccuracy),
        row.deviceSeconds};
    std::memcpy(to, values.data(), sizeof(values));
    to += sizeof(values);
  }
  return tensor;
}

std::optional<History> train::unpackHistory(const HostTensor &tensor) {
  if (!tensor.type.getElementType().isF64() || tensor.type.getRank() != 2 ||
      tensor.type.getDimSize(1) != kColumns)
    return std::nullopt;
  History history(tensor.type.getDimSize(0));
  const char *from = tensor.data.data();
  for (HistoryRow &row : history) {
    std::array<double, kColumns> values;
    std::memcpy(values.data(), from, sizeof(values));
    from += sizeof(values);
    row.update = int64_t(values[0]);
    row.epoch = int64_t(values[1]);
    row.training = {values[2], unlessNaN(values[3])};
    if (!std::isnan(values[4]))
      row.validation = Score{values[4], unlessNaN(values[5])};
    row.deviceSeconds = values[6];
  }
  return history;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

void train::writeHeader(llvm::raw_ostream &os) {
  os << "update,epoch,loss,accuracy,validation_loss,validation_accuracy,"
        "device_seconds\n";
}

void train::writeRow(llvm::raw_ostream &os, const HistoryRow &row) {
  auto writeScore = [&](const std::optional<Score> &score) {
    os << ',';
    if (score)
      os << llvm::format("%.9g", score->loss);
    os << ',';
    if (score && score->accuracy)
      os << llvm::format("%.6f", *score->accuracy);
  };
  os << row.update << ',' << row.epoch;
  writeScore(row.training);
  writeScore(row.validation);
  os << llvm::format(",%.9g\n", row.deviceSeconds);
}
