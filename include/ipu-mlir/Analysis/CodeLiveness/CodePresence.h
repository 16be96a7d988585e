//===- CodePresence.h - Code that loads have brought to the tiles ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each op, the code that loads and copies (CodeLoadOpInterface) have
// brought to each memory on the paths from the start of the first run.
// CodeLiveness is a backward analysis of future uses; this is a forward
// analysis of past loads. Paths go through branches, loops and calls in the
// same way. The state at the start of a function is the join over all its
// calls.
//
// With N ops and G graphs that loads name, the analysis takes O(N G / 64) time
// in a few passes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H
#define IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"

namespace mlir::ipu {

/// A copy from a memory of the tiles to which code may not have been loaded.
struct UnloadedCodeCopy {
  Operation *copy;
  FunctionOpInterface graph;
  CodeLocation source;
  /// Whether no path loads the code. Otherwise some paths load it.
  bool isNever;
};

/// A call of a graph whose code may be used from another memory than the loads
/// of the program suggest.
struct DoubtfulCodeCall {
  enum Kind {
    /// Some paths load the code and others do not.
    LoadedOnSomePaths,
    /// A path loads the code to a buffer and does not copy it from there.
    LoadedToBuffer,
  };
  Kind kind;
  CallOpInterface call;
  FunctionOpInterface graph;
  /// LoadedToBuffer: the buffer.
  CodeLocation buffer = CodeLocation::Executable;
};

/// Both lists are in the order of the program, callers first.
struct CodePresence {
  SmallVector<UnloadedCodeCopy> unloadedCopies;
  SmallVector<DoubtfulCodeCall> doubtfulCalls;

  /// For functions that do not call themselves. CodeLiveness defines `entry`.
  static CodePresence get(ModuleOp module, FunctionOpInterface entry = {});
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H
