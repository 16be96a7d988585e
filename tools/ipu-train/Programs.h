//===- Programs.h - Programs for training and tests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is created only by a pipeline of passes, as text. --print-pipeline
// prints the text, and ipu-opt can run it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H

#include "Dataset.h"
#include "Options.h"
#include "ipu-mlir/Session/Session.h"

namespace mlir::ipu::train {

/// The properties of training that the options and the model define.
struct TrainedModel {
  /// The inputs for each sample; the targets of the loss are last.
  std::vector<SampleInput> inputs;
  /// The output from which the loss is computed, and its number of classes.
  std::string output;
  int64_t classes = 0;
  /// The name of the targets; empty if the loss has no targets.
  std::string target;
  std::vector<std::string> weights;
  /// The number of samples of a part of a batch on a replica, of parts, and of
  /// replicas.
  int64_t partSize = 0, accumulate = 1, replicas = 1;

  /// What --batch is, as inspectModel() checks.
  int64_t getUpdateBatch() const { return partSize * accumulate * replicas; }
};

/// The name of the result with the loss.
constexpr StringLiteral kLossName = "loss";
/// The stream of `pop-random-setup`.
constexpr StringLiteral kSeedName = "random_seed";

/// Inspects the @main of the model: its samples, weights and output. `arrays`
/// are the arrays of the data, one of which is the targets; empty if there are
/// no data.
Status inspectModel(const Options &options, ModuleOp module,
                    ArrayRef<std::string> arrays, TrainedModel &model);

/// A diagnosis is a training that stores all float tensors to the host.
enum class ProgramKind { Training, Diagnosis, Validation };

/// The passes that create a program from the model.
std::string getPipeline(const Options &options, const TrainedModel &model,
                        ProgramKind kind);

/// Compiles a copy of `module` with the pipeline. Fails after it has reported
/// the reason.
FailureOr<std::unique_ptr<Session>> compile(const Options &options,
                                            const TrainedModel &model,
                                            ModuleOp module, ProgramKind kind);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
