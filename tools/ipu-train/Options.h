//===- Options.h - Options of ipu-train -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H

#include "ipu-mlir/Compiler/MemoryTransforms.h"
#include "ipu-mlir/Tools/DeviceFlags.h"
#include "ipu-mlir/Tools/PlainText.h"
#include "ipu-mlir/Tools/Precision.h"

namespace mlir::ipu::train {

using namespace tools;

/// The kind of targets with which predictions are compared to compute the
/// accuracy.
enum class Targets { Values, Bits, Labels };

/// A kind of loss, with its name in `pop-add-loss` and --loss.
struct LossInfo {
  StringLiteral name;
  Targets targets;
  /// For bits, the threshold above which a prediction means 1.
  double threshold = 0;
};

/// Which labels count for a loss, and how much.
struct LabelWeights {
  /// The label of positions that do not count; PyTorch has the same default.
  int64_t ignoreIndex = -100;
  /// The weight of each class; empty if all classes have the weight 1.
  std::vector<double> classes;

  bool isIgnored(int64_t label) const { return label == ignoreIndex; }
  double get(int64_t label) const {
    if (isIgnored(label))
      return 0;
    return classes.empty() ? 1 : classes[label];
  }
};

/// The weights whose names match a pattern, and the settings of their
/// optimizer, `NAME=VALUE,...`, that differ from those of --optimizer.
struct GroupOption {
  std::string pattern, settings;
};

/// The options that select the weights that are trained.
struct SelectionOptions {
  std::vector<std::string> train, freeze;
  /// The path of a file with a name in each line; empty if not given.
  std::string trainable;
  std::vector<GroupOption> groups;
};

/// The text before and after the kind and the settings of an optimizer
/// attribute.
constexpr StringLiteral kOptimizerPrefix = "#pop.optimizer<";
constexpr StringLiteral kOptimizerSuffix = ">";

struct Options : ModelOptions, DeviceOptions {
  /// The paths of .npz files. `validationData` may be empty.
  std::string data, validationData;
  const LossInfo *loss = nullptr;
  /// The names of a result of the model and of an array. A name may be empty if
  /// there is only one candidate.
  std::string lossOutput, lossTarget;
  LabelWeights labels;
  SelectionOptions selection;
  /// The optimizer, in the form `#pop.optimizer<...>`.
  std::string optimizer;
  /// The number of samples of an update, and the number of parts into which
  /// each replica divides its share of the samples.
  int64_t updateBatch = 0, accumulate = 1;
  int64_t epochs = 0;
  /// The number of epochs without a lower validation loss after which the
  /// training ends; 0 if it does not end early.
  int64_t patience = 0;
  /// K of the top-K accuracy; 0 if there is none.
  int64_t topK = 0;
  bool printsPerplexity = false;
  Precision precision = Precision::F32;
  pop::PartialsKind partials = pop::PartialsKind::F32;
  bool stochasticRounding = false;
  /// This flag is set if the host combines gradients and updates weights.
  bool hostReduce = false;
  /// The greatest number of bytes of the operands of one merged collective; 0
  /// if collectives are not merged.
  int64_t mergedBytes = 0;
  MemoryTransforms memory;
  /// The paths of files, and of the folder for checkpoints; empty if not
  /// requested.
  std::string log, plot, profile, report, saveWeights, saveBest, saveONNX,
      checkpoint;
  /// The path of a .npz file with initial values of weights; may be empty.
  std::string initWeights;
  /// Returns the stream for text that people read.
  PlainTextStream getTextStream() const {
    return tools::getTextStream({log, plot, profile, report});
  }
  /// The command line, which the report states.
  std::vector<std::string> args;
  /// Returns whether the profile of the last update is written.
  bool needsProfile() const { return !profile.empty() || !report.empty(); }
  /// The number of updates between two checkpoints; 0 means one checkpoint at
  /// the end of each epoch.
  int64_t checkpointEvery = 0;
  bool resume = false;
  /// With `resume`, whether a checkpoint must exist.
  bool mustResume = false;
  bool printPipeline = false;
  /// The passes with which the backward pass computes values again; empty if
  /// all values are kept.
  std::string recomputePasses;

  /// Returns whether the targets are labels, so that the loss of an update is
  /// divided by the weights of the labels that count.
  bool hasLabels() const { return loss->targets == Targets::Labels; }

  /// Returns the number of replicas of the requested target.
  int64_t getReplicas() const;
};

/// Reads the command line. Reports an error and fails if the command line is
/// not valid.
FailureOr<Options> readCommandLine(int argc, char **argv);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_OPTIONS_H
