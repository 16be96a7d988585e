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

/// The results of one update. They do not depend on the host.
struct HistoryRow {
  int64_t update = 0, epoch = 0;
  Score training;
  /// The score of the validation; set at the end of an epoch if there are
  /// samples for validation.
  std::optional<Score> validation;
  /// The time on the simulated device, in seconds.
  double deviceSeconds = 0;
};

using History = std::vector<HistoryRow>;

/// The greatest number of updates. f64 represents all integers up to this
/// number exactly.
constexpr int64_t kMaxUpdates = int64_t(1) << 53;

/// Converts a history to a tensor of f64 with a row for each update.
HostTensor packHistory(const History &history, MLIRContext *context);
/// Converts a tensor of packHistory() to a history. Fails if `tensor` does not
/// have the form of such a tensor, or if its rows are not in the order of
/// updates 1, 2, ...
llvm::Expected<History> unpackHistory(const HostTensor &tensor);

/// Fails if an epoch of `history` does not have `updatesOfEpoch` updates. The
/// last epoch may have fewer updates.
llvm::Error checkEpochs(const History &history, int64_t updatesOfEpoch);

/// Returns a message that no updates are left, because the training is already
/// at update `updates`. The `epochs` epochs end at update `end`.
std::string describeEnd(int64_t updates, int64_t end, int64_t epochs);

/// Write the header of a CSV file, and the line of an update.
void writeHeader(llvm::raw_ostream &os);
void writeRow(llvm::raw_ostream &os, const HistoryRow &row);

/// Writes an SVG picture of losses and accuracies over updates, for light and
/// dark backgrounds.
void writePlot(llvm::raw_ostream &os, const History &history);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_HISTORY_H
