//===- Programs.h - Programs for training and tests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline of passes, which has a text form, creates each program from the
// model. --print-pipeline prints the text, and ipu-opt can run it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H

#include "Dataset.h"
#include "Options.h"
#include "ipu-mlir/Session/Session.h"

namespace mlir::ipu::train {

/// A tensor that --save-weights writes, as the model declares it.
struct SavedTensor {
  std::string name;
  /// The type on one replica.
  RankedTensorType type;
  /// Whether the model has several values, one for each group of replicas.
  bool hasSeveralValues;
  /// The value if the training does not change it, otherwise null.
  ElementsAttr constant;
};

/// A variable that the optimizer updates.
struct Weight {
  std::string name;
  RankedTensorType type;
  /// The index of its group, if it is in one.
  std::optional<unsigned> group;
};

/// A float variable that is not trained, and why.
struct Untrained {
  std::string name;
  RankedTensorType type;
  std::string reason;
};

/// The properties of training that the options and the model define.
struct TrainedModel {
  /// The inputs for each sample; the targets of the loss are last.
  std::vector<SampleInput> inputs;
  /// The output from which the loss is computed, its index, and its number of
  /// classes.
  std::string output;
  unsigned outputIndex = 0;
  int64_t classes = 0;
  /// The name of the targets; empty if the loss has no targets.
  std::string target;
  /// The variables that the optimizer updates, and all others.
  std::vector<Weight> weights;
  std::vector<Untrained> untrained;
  /// The variables that --save-weights writes. They include statistics and
  /// variables for which the loss has no gradient.
  std::vector<SavedTensor> saved;
  /// The reason for which each batch of a validation must be whole. Empty if
  /// the last batch may be smaller.
  std::string wholeBatchReason;
  /// The number of samples in one part of a batch on one replica, the number of
  /// parts on each replica, and the number of replicas.
  int64_t partSize = 0, accumulate = 1, replicas = 1;

  /// Returns the number of samples of an update. inspectModel() checks that it
  /// is the value of --batch.
  int64_t getUpdateBatch() const { return partSize * accumulate * replicas; }
};

/// The name of the model's function.
constexpr StringLiteral kMain = "main";
/// The name of the program's result that contains the loss.
constexpr StringLiteral kLossName = "loss";
/// The name of the argument that multiplies the sum of losses.
constexpr StringLiteral kFactorName = "loss_factor";
/// The name of the stream that `pop-random-setup` creates.
constexpr StringLiteral kSeedName = "random_seed";

/// Determines the samples, weights and output of the model's function @main.
/// `arrays` are the names of the arrays of the data, one of which contains the
/// targets. It is empty if there are no data.
Status inspectModel(const Options &options, ModuleOp module,
                    ArrayRef<std::string> arrays, TrainedModel &model);

/// Returns the shortest text that is the number `weight`.
std::string formatWeight(double weight);

/// A diagnosis is a training that stores all float tensors to the host.
enum class ProgramKind { Training, Diagnosis, Validation };

/// Returns the passes that create a program from the model, as text.
std::string getPipeline(const Options &options, const TrainedModel &model,
                        ProgramKind kind);

/// Compiles a copy of `module` with the pipeline. Reports an error and fails if
/// the compilation fails. In `module`, the variables get the groups that they
/// have in the program for training, which must be compiled first.
FailureOr<std::unique_ptr<Session>> compile(const Options &options,
                                            const TrainedModel &model,
                                            ModuleOp module, ProgramKind kind);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
