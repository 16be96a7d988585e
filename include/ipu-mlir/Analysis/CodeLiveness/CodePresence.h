//===- CodePresence.h - Code that loads have brought to the tiles ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and copies (CodeLoadOpInterface) bring code to memories. For each op
// and each memory, this analysis determines the code that was brought to the
// memory before the op. The analysis considers all paths from the start of the
// first run to the op. CodeLiveness is a backward analysis of future uses; this
// analysis is a forward analysis of past loads. Paths go through branches,
// loops and calls as in CodeLiveness. The state at the start of a function is
// the join of the states before all its calls.
//
// The analysis takes O(N G / 64) time for N ops and for G graphs that are named
// by loads. It visits each op a few times.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H
#define IPU_MLIR_ANALYSIS_CODELIVENESS_CODEPRESENCE_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"

namespace mlir::ipu {

/// An op that copies the code of `graph` from the memory `source`, although the
/// code may not have been brought to this memory.
struct UnloadedCodeCopy {
  Operation *copy;
  FunctionOpInterface graph;
  CodeLocation source;
  /// Whether no path to the copy brings the code to `source`. If this flag is
  /// not set, some paths do, and others do not.
  bool isNever;
};

/// A call of a graph. The program loads the code of this graph, but some path
/// to the call does not bring the code to executable memory.
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
