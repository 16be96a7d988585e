//===- Checkpoint.h - Checkpoints -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_CHECKPOINT_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_CHECKPOINT_H

#include "History.h"
#include "ipu-mlir/Session/Session.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir::ipu::train {

/// The options and the hashes of files that determine the result of a training,
/// as pairs of names and values. A training can continue from a checkpoint only
/// if it has the same settings.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The state of a training after an update.
struct Checkpoint {
  /// Weights, states of optimizers, and RNG states.
  TensorMap variables;
  /// One row for each update. The number of updates determines the position in
  /// the shuffled samples.
  History history;
  Settings settings;
};

/// A folder with one checkpoint, which this process locks. The lock always ends
/// with the process.
class CheckpointFolder {
public:
  /// Creates the folder if necessary, and locks it. Fails, with an error that
  /// names the folder, if another process has locked it.
  static llvm::Expected<std::unique_ptr<CheckpointFolder>> open(StringRef path);
  ~CheckpointFolder();

  /// Returns the paths of the files in the folder `path`, whether they exist or
  /// not.
  static std::vector<std::string> getFiles(StringRef path);

  /// Reads the checkpoint. Returns std::nullopt if there is no checkpoint yet.
  /// Fails if the checkpoint is damaged.
  llvm::Expected<std::optional<Checkpoint>> load(MLIRContext *context) const;
  /// Replaces the checkpoint. If this fails, or if the process ends meanwhile,
  /// the previous checkpoint remains.
  llvm::Error save(const TensorMap &variables, const History &history,
                   const Settings &settings, MLIRContext *context);

  StringRef getFile() const { return file; }

private:
  explicit CheckpointFolder(StringRef path);
  /// Removes the temporary files of processes that ended during a save.
  void removeLeftovers();

  std::string path, file;
  int lock = -1;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_CHECKPOINT_H
