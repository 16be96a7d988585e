//===- CodePresence.h - Code that loads have brought to the tiles ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines, for each op, the code that loads and copies (CodeLoadOpInterface)
// have brought to each memory on the paths from the start of the first run.
// CodeLiveness is a backward analysis of future uses; this analysis is a
// forward analysis of past loads. Paths go through branches, loops and calls as
// in CodeLiveness. The state at the start of a function is the join over all
// its calls.
//
// With N ops and G graphs that loads name, the analysis takes O(N G / 64) time,
// in a few passes over the ops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H
#define IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"

namespace mlir::ipu {

/// A copy of the code of `graph` from a memory of the tiles to which the code
/// may not have been loaded.
struct UnloadedCodeCopy {
  Operation *copy;
  FunctionOpInterface graph;
  CodeLocation source;
  /// Whether no path loads the code. If not set, some paths load it.
  bool isNever;
};

/// A call of a graph to which a path leads that has not brought the code to
/// executable memory, although the program loads the code.
struct DoubtfulCodeCall {
  enum Kind {
    /// Some paths to the call load the code, and other paths do not.
    LoadedOnSomePaths,
    /// A path to the call loads the code to a buffer, but does not copy it from
    /// the buffer.
    LoadedToBuffer,
  };
  Kind kind;
  CallOpInterface call;
  FunctionOpInterface graph;
  /// For LoadedToBuffer, the buffer.
  CodeLocation buffer = CodeLocation::Executable;
};

/// The results of the analysis. Both lists are in the order of the program,
/// callers first.
struct CodePresence {
  SmallVector<UnloadedCodeCopy> unloadedCopies;
  SmallVector<DoubtfulCodeCall> doubtfulCalls;

  /// Analyses `module`, whose functions must not call themselves.
  /// CodeLiveness::create() describes `entry`.
  static CodePresence get(ModuleOp module, FunctionOpInterface entry = {});
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H
