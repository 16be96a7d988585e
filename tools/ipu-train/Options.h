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

/// What predictions are compared with, for the accuracy.
enum class Targets { Values, Bits, Labels };

/// A kind of loss, by the name that `pop-add-loss` and --loss have for it.
struct LossInfo {
  StringLiteral name;
  Targets targets;
  /// Of bits: what a prediction of 1 exceeds.
  double threshold = 0;
};

enum class Precision { F32, F16, Mixed };

struct Options : ModelOptions, DeviceOptions {
  /// .npz files; the second may be empty.
  std::string data, validationData;
  const LossInfo *loss = nullptr;
  /// Names of a result of the model and of an array; empty if there is only one
  /// that it can be.
  std::string lossOutput, lossTarget;
  /// As text, `#pop.optimizer<...>`.
  std::string optimizer;
  /// Samples of an update; parts in which each replica does its share.
  int64_t updateBatch = 0, accumulate = 1;
  int64_t epochs = 0;
  Precision precision = Precision::F32;
  bool stochasticRounding = false;
  /// Files and a folder; empty if not asked for.
  std::string log, plot, profile, saveWeights, checkpoint;
  /// Updates between checkpoints; 0 for one at the end of each epoch.
  int64_t checkpointEvery = 0;
  bool resume = false;
  bool printPipeline = false;

  /// Of the target that is asked for.
  int64_t getReplicas() const;
};

/// Reads the command line; fails after it reported what is wrong.
FailureOr<Options> readCommandLine(int argc, char **argv);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H
