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
#include <cmath>
#include <optional>
#include <vector>

namespace mlir::ipu::train {

/// The mean loss of samples and, if predictions can be correct, the fraction of
/// correct predictions.
struct Score {
  double loss = 0;
  std::optional<double> accuracy;
  /// With --top-k, the fraction of labels that are among the K classes with the
  /// greatest predictions.
  std::optional<double> topAccuracy;

  /// The perplexity of predicted labels, whose losses are the negative
  /// logarithms of probabilities.
  double getPerplexity() const { return std::exp(loss); }
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

/// Returns the row of the epoch with the least validation loss, the first one
/// of several, or null if no epoch has a validation.
const HistoryRow *findBestEpoch(const History &history);
/// Returns the number of epochs with a validation after the best one.
int64_t countEpochsAfterBest(const History &history);
/// Describes the row of findBestEpoch().
std::string describeBestEpoch(const HistoryRow &best);

/// Formats a loss with a reasonable number of digits.
std::string formatLoss(double loss);

/// The columns of a CSV file that depend on options.
struct LogColumns {
  /// K of the top-K accuracy; 0 if there is none.
  int64_t topK = 0;
  bool hasPerplexity = false;
};

/// Write the header of a CSV file, and the line of an update with its learning
/// rate.
void writeHeader(llvm::raw_ostream &os, const LogColumns &columns);
void writeRow(llvm::raw_ostream &os, const LogColumns &columns,
              const HistoryRow &row, float learningRate);

/// Writes an SVG picture of losses and accuracies over updates, for light and
/// dark backgrounds.
void writePlot(llvm::raw_ostream &os, const History &history);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_HISTORY_H
