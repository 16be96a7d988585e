//===- Options.h - Options of ipu-train -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H

#include "ipu-mlir/Tools/DeviceFlags.h"

namespace mlir::ipu::train {

using namespace tools;

/// The kind of targets with which predictions are compared for the accuracy.
enum class Targets { Values, Bits, Labels };

/// A kind of loss, with its name in `pop-add-loss` and --loss.
struct LossInfo {
  StringLiteral name;
  Targets targets;
  /// For bits: predictions above this threshold mean 1.
  double threshold = 0;
};

enum class Precision { F32, F16, Mixed };

/// Around kind and settings of an optimizer.
constexpr StringLiteral kOptimizerPrefix = "#pop.optimizer<";
constexpr StringLiteral kOptimizerSuffix = ">";

struct Options : ModelOptions, DeviceOptions {
  /// .npz files; the second one may be empty.
  std::string data, validationData;
  const LossInfo *loss = nullptr;
  /// The names of a result of the model and of an array; empty if there is only
  /// one candidate.
  std::string lossOutput, lossTarget;
  /// In the form `#pop.optimizer<...>`.
  std::string optimizer;
  /// The samples of an update; and the parts into which each replica divides
  /// its share.
  int64_t updateBatch = 0, accumulate = 1;
  int64_t epochs = 0;
  Precision precision = Precision::F32;
  bool stochasticRounding = false;
  /// Files and a folder; empty if not requested.
  std::string log, plot, profile, saveWeights, checkpoint;
  /// The number of updates between checkpoints; 0 means a checkpoint at the end
  /// of each epoch.
  int64_t checkpointEvery = 0;
  bool resume = false;
  bool printPipeline = false;

  /// The number of replicas of the requested target.
  int64_t getReplicas() const;
};

/// Reads the command line. Fails after it has reported an error.
FailureOr<Options> readCommandLine(int argc, char **argv);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H
