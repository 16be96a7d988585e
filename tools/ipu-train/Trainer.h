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
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>

namespace mlir::ipu::train {

/// Samples, and the compiled program that processes them.
struct Part {
  Dataset data;
  std::unique_ptr<Session> session;

  /// Returns the number of whole batches, which is the number of updates of an
  /// epoch.
  int64_t getUpdatesOfEpoch(const TrainedModel &model) const {
    return data.getNumSamples() / model.getUpdateBatch();
  }
};

/// Runs all updates of a training, and saves, prints and plots its results.
class Trainer {
public:
  using CompileFn = function_ref<FailureOr<std::unique_ptr<Session>>()>;

  /// `validation.session` may be null. The arguments must outlive this object.
  Trainer(const Options &options, const TrainedModel &model,
          pop::OptimizerAttr optimizer, MLIRContext *context, Part &training,
          Part &validation, CheckpointFolder *folder,
          CompileFn compileDiagnosis)
      : options(options), model(model), optimizer(optimizer), context(context),
        training(training), validation(validation), folder(folder),
        compileDiagnosis(compileDiagnosis) {}

  /// Continues from a checkpoint. Must be called before run().
  Status resume(Checkpoint checkpoint);
  /// Runs the remaining updates, of which there may be none.
  Status run(const Settings &settings);

private:
  int64_t getUpdatesOfEpoch() const {
    return training.getUpdatesOfEpoch(model);
  }
  Status openLog();
  ArrayRef<int64_t> getRows(int64_t update);
  /// Returns the inputs of `session` for update `number`, counted from 0.
  TensorMap getInputs(const Session &session, int64_t number);
  Status update(int64_t number);
  /// Stores the variables before update `number`, if enough updates have run
  /// since they were last stored.
  Status keepVariables(int64_t number);
  /// Describes the first number that is not finite in the updates since the
  /// variables were last stored.
  std::string diagnose(int64_t number);
  /// Computes the score of all validation samples, in their order, with the
  /// current weights. The last batch is filled up with samples that do not
  /// count.
  Status validate(int64_t epoch, Score &score);
  Status endEpoch(int64_t epoch);
  /// Finds whether --patience ends the training.
  void checkPatience();
  /// Reports that no updates are left.
  Status endWithoutUpdate(int64_t end);
  /// Prints the best epoch if an option is about it.
  void printBestEpoch();
  /// Writes what is written at the end, and reports that a signal interrupted
  /// the training.
  Status endInterrupted();
  Status save(const Settings &settings);
  Status writeLog(const HistoryRow &row);
  Status flushLog();
  Status writePlot();
  /// Writes the weights after the last update to the files that are given.
  Status saveWeights(ArrayRef<StringRef> paths);
  /// Writes the file of --save-best if the last epoch is the best one.
  Status saveBest();
  Status writeProfile();
  FailureOr<TensorMap> readVariables(const Session &of);
  /// The values of all variables, which are finite, unless they were not finite
  /// at the beginning.
  Status readFiniteVariables(TensorMap &variables);
  /// Remembers which variables are not finite at the beginning.
  Status findMasks();
  /// Writes what is written at the end of a whole training.
  Status finish();
  void showProgress(const HistoryRow &row);
  std::string describeSpeed(size_t firstRow) const;

  const Options &options;
  const TrainedModel &model;
  pop::OptimizerAttr optimizer;
  MLIRContext *context;
  Part &training, &validation;
  CheckpointFolder *folder;
  CompileFn compileDiagnosis;

  History history;
  std::unique_ptr<llvm::raw_fd_ostream> log;
  /// The order of the samples of an epoch.
  std::vector<int64_t> order;
  int64_t orderedEpoch = -1;
  /// The variables before an update. `nextSnapshot` replaces `snapshot` only
  /// after an update with a finite loss.
  struct Snapshot {
    TensorMap variables;
    int64_t update = 0;
  };
  std::optional<Snapshot> snapshot, nextSnapshot;
  /// Variables that were not finite at the beginning.
  llvm::StringSet<> masks;
  /// The first row of the epoch that this process added; used to compute
  /// speeds.
  size_t epochRow = 0;
  /// This flag is set if --patience ends the training.
  bool isPatienceOver = false;
  /// The first row that this process added.
  size_t firstRow = 0;
  std::chrono::steady_clock::duration hostTime{};
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_TRAINER_H
