//===- History.h - The losses of a training, as table and picture -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_HISTORY_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_HISTORY_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

namespace mlir::ipu::train {

/// The mean loss of samples and, if predictions can be correct, the fraction of
/// correct predictions.
struct Score {
  double loss = 0;
  std::optional<double> accuracy;
};

/// One update. Its data do not depend on the host.
struct HistoryRow {
  int64_t update = 0, epoch = 0;
  Score training;
  /// Set at the end of an epoch, if there are samples for validation.
  std::optional<Score> validation;
  /// Seconds of the simulated device.
  double deviceSeconds = 0;
};

using History = std::vector<HistoryRow>;

/// A tensor of f64 represents each integer up to this one exactly.
constexpr int64_t kMaxUpdates = int64_t(1) << 53;

/// Convert a history to a tensor of f64 with a row for each update, and back.
HostTensor packHistory(const History &history, MLIRContext *context);
/// Fails if `tensor` does not have this form, or if its rows are not those of
/// updates 1, 2, ...
llvm::Expected<History> unpackHistory(const HostTensor &tensor);

/// Fails unless each epoch of `history` has `updatesOfEpoch` updates; the last
/// epoch may have fewer.
llvm::Error checkEpochs(const History &history, int64_t updatesOfEpoch);

/// Describe that no update is left, because a training is already at update
/// `updates`; its `epochs` end at update `end`.
std::string describeEnd(int64_t updates, int64_t end, int64_t epochs);

/// Write CSV: a header, or the line of an update.
void writeHeader(llvm::raw_ostream &os);
void writeRow(llvm::raw_ostream &os, const HistoryRow &row);

/// Writes an SVG picture of losses and accuracies over updates, for light and
/// dark backgrounds.
void writePlot(llvm::raw_ostream &os, const History &history);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_HISTORY_H
