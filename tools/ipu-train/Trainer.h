//===- Trainer.h - Updates of a training ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_TRAINER_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_TRAINER_H

#include "Checkpoint.h"
#include "Dataset.h"
#include "Evaluation.h"
#include "Programs.h"
#include <chrono>

namespace mlir::ipu::train {

/// Samples, and a program that runs on them.
struct Part {
  Dataset data;
  std::unique_ptr<Session> session;
};

/// All updates of a training, with what is saved, printed and drawn of them.
class Trainer {
public:
  using CompileFn = function_ref<FailureOr<std::unique_ptr<Session>>()>;

  /// `validation` may have no program. What is given outlives this.
  Trainer(const Options &options, const TrainedModel &model,
          MLIRContext *context, Part &training, Part &validation,
          CheckpointFolder *folder, CompileFn compileDiagnosis)
      : options(options), model(model), context(context), training(training),
        validation(validation), folder(folder),
        compileDiagnosis(compileDiagnosis) {}

  /// Goes on from a checkpoint, before run().
  Status resume(Checkpoint checkpoint);
  Status run(const Settings &settings);

private:
  int64_t getUpdatesOfEpoch() const {
    return training.data.getNumSamples() / model.getUpdateBatch();
  }
  Status openLog();
  /// What the program gets for an update; `number` counts from 0.
  TensorMap getInputs(const Session &session, const Dataset &data,
                      ArrayRef<int64_t> rows, int64_t number) const;
  ArrayRef<int64_t> getRows(int64_t update);
  Status update(int64_t number);
  /// Keeps the variables before an update, now and then.
  Status keepVariables(int64_t number);
  /// Says where in the updates since then a number that is not finite is.
  std::string diagnose(int64_t number);
  FailureOr<Score> validate();
  Status endEpoch(int64_t epoch);
  Status save(const Settings &settings);
  Status writeLog(const HistoryRow &row);
  Status writePlot();
  Status saveWeights();
  Status writeProfile();
  FailureOr<TensorMap> readVariables(const Session &of);
  void showProgress(const HistoryRow &row);
  std::string describeSpeed(size_t firstRow) const;

  const Options &options;
  const TrainedModel &model;
  MLIRContext *context;
  Part &training, &validation;
  CheckpointFolder *folder;
  CompileFn compileDiagnosis;

  History history;
  std::unique_ptr<llvm::raw_fd_ostream> log;
  /// The order of the samples of an epoch.
  std::vector<int64_t> order;
  int64_t orderedEpoch = -1;
  TensorMap keptVariables;
  int64_t keptUpdate = 0;
  /// Of this process, for speeds.
  size_t epochRow = 0;
  std::chrono::steady_clock::duration hostTime{};
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_TRAINER_H
