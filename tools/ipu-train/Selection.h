//===- Selection.h - Selection of weights by their names --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_SELECTION_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_SELECTION_H

#include "Options.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ipu::train {

/// Selects the weights that are trained, and their groups, by their names.
class Selection {
public:
  /// Checks the patterns, and reads the file of --trainable.
  static llvm::Expected<Selection> create(const SelectionOptions &options);

  /// Tells that the model has a variable with this name.
  void addVariable(StringRef name);
  /// Returns whether an option that selects weights has this name without
  /// wildcards.
  bool isNamed(StringRef name) const;
  /// Describes why the options exclude a weight from the training. Returns an
  /// empty string if they do not.
  std::string findExclusion(StringRef name) const;
  /// Returns the index of the group of a weight that is trained, or
  /// std::nullopt if no --group matches it. Fails if several groups match it.
  llvm::Expected<std::optional<unsigned>> findGroup(StringRef name);
  /// Fails if a pattern or a name has not matched anything.
  llvm::Error checkUses() const;

private:
  struct Pattern {
    StringRef option;
    std::string text;
    bool isUsed = false;

    bool matches(StringRef name) const;
  };

  std::vector<Pattern> train, freeze, groups;
  /// The file of --trainable, its lines, and the names of all variables.
  std::string file;
  std::vector<std::string> lines;
  llvm::StringSet<> variables;
};

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_SELECTION_H
