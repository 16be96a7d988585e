//===- Programs.h - Programs for training and tests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is created only by a pipeline of passes, as text, which
// --print-pipeline prints and ipu-opt can run.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H

#include "Dataset.h"
#include "Options.h"
#include "ipu-mlir/Session/Session.h"

namespace mlir::ipu::train {

/// What the options and the model say of training it.
struct TrainedModel {
  /// What it takes for each sample, the targets of the loss last.
  std::vector<SampleInput> inputs;
  /// The output that the loss is of, and of its classes how many there are.
  std::string output;
  int64_t classes = 0;
  /// The name of the targets; empty if the loss has none.
  std::string target;
  std::vector<std::string> weights;
  /// Samples of a part of a batch on a replica, such parts, and replicas.
  int64_t partSize = 0, accumulate = 1, replicas = 1;

  int64_t getUpdateBatch() const { return partSize * accumulate * replicas; }
};

/// The name of the result that is the loss.
constexpr StringLiteral kLossName = "loss";
/// The stream of `pop-random-setup`.
constexpr StringLiteral kSeedName = "random_seed";

/// Looks at the model's @main: its samples, weights and output. `arrays` are
/// those of the data, of which one is the targets; none if there are no data.
Status inspectModel(const Options &options, ModuleOp module,
                    ArrayRef<std::string> arrays, TrainedModel &model);

/// A diagnosis is a training that stores all tensors of floats to the host.
enum class ProgramKind { Training, Diagnosis, Validation };

/// The passes that make a program of the model.
std::string getPipeline(const Options &options, const TrainedModel &model,
                        ProgramKind kind);

/// Compiles a copy of `module` by the pipeline. Fails after it said why.
FailureOr<std::unique_ptr<Session>> compile(const Options &options,
                                            const TrainedModel &model,
                                            ModuleOp module, ProgramKind kind);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_PROGRAMS_H
