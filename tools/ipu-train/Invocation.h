//===- Invocation.h - One call of ipu-train ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_INVOCATION_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_INVOCATION_H

#include "Trainer.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::ipu::train {

/// One call of ipu-train, after its arguments have been parsed.
class Invocation {
public:
  Invocation(const Options &options, MLIRContext *context)
      : options(options), context(context), printer(context, options.model) {}

  Status run();

private:
  /// These functions report errors of the user before a long compilation.
  Status readOptimizers();
  Status readFiles();
  Status bindData();
  Status checkOutputs();
  Status checkModelFiles();
  Status openCheckpoint();
  /// Checks that a training with these options can continue from the
  /// checkpoint.
  Status checkCheckpoint();
  /// Prints what is trained, before the training starts.
  Status printSelection();
  Status compile();
  Settings getSettings() const;

  const Options &options;
  MLIRContext *context;
  DiagnosticPrinter printer;

  OwningOpRef<ModuleOp> module;
  /// Files that the model consists of in addition to its own.
  std::vector<std::string> externalFiles;
  uint64_t modelHash = 0;
  pop::OptimizerAttr optimizer;
  /// The optimizers of the groups of weights.
  std::vector<pop::OptimizerAttr> groupOptimizers;
  TrainedModel model;
  Part training, validation;
  std::unique_ptr<CheckpointFolder> folder;
  std::optional<Checkpoint> checkpoint;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_INVOCATION_H
