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

/// What a training does depends on: options, and hashes of files, as text. A
/// checkpoint is only for a training with the same.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// A training after an update.
struct Checkpoint {
  /// Weights, states of optimizers and of random number generators.
  TensorMap variables;
  /// The number of updates tells the position in the shuffled samples.
  History history;
  Settings settings;
};

/// A folder with one checkpoint, which this process alone uses: the lock ends
/// with the process, whatever ends it.
class CheckpointFolder {
public:
  /// Makes the folder, if need be, and locks it. Fails, naming the folder, if
  /// another process has locked it.
  static llvm::Expected<std::unique_ptr<CheckpointFolder>> open(StringRef path);
  ~CheckpointFolder();

  /// The checkpoint; none if there is none yet.
  llvm::Expected<std::optional<Checkpoint>> load(MLIRContext *context) const;
  /// Replaces the checkpoint. If that fails, or the process is ended meanwhile,
  /// the last one stays as it is.
  llvm::Error save(const TensorMap &variables, const History &history,
                   const Settings &settings, MLIRContext *context);

  StringRef getFile() const { return file; }

private:
  explicit CheckpointFolder(StringRef path);
  /// Files of processes that were ended while they saved.
  void removeLeftovers();

  std::string path, file;
  int lock = -1;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_CHECKPOINT_H
