//===- CodeLiveness.h - Code liveness analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward liveness of the code of functions, in executable memory or in a
// buffer. A load (CodeLoadOpInterface) is a definition; a call
// (CallOpInterface) or a copy to another memory is a use. The code of a graph
// is live wherever some path reaches a call of it before a load, and while it
// is executed. Code that is live at the start of the program is part of the
// image. It is live at the end as well, because a run is followed by another
// one. Graphs that no load names are always live. See docs/code-loading.md.
//
// RegionBranchOpInterface gives the paths through branches and loops. Paths
// also go through calls: the effects of a function on code are summarised once,
// and its live-out set is the union over all its calls (no contexts). The
// analysis works on functions of pop and of ipu.
//
// With N ops and G graphs that loads name, the analysis takes O(N G / 64) time
// in a few passes. It needs space only for ops that load, call, or contain such
// ops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_CODELIVENESS_CODELIVENESS_H
#define IPU_MLIR_ANALYSIS_CODELIVENESS_CODELIVENESS_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/CodeInterfaces.h"
#include <memory>

namespace mlir::ipu {

namespace detail {
class CodeLivenessSolver;
} // namespace detail

/// Ops of one block between which the code of a graph is live all the time:
/// from after `first` (null: from the block's start) to before, and if it is a
/// call while, `last` is run (null: to the block's end). In regions of ops in
/// between it is live as well, unless there are ranges of blocks in them.
struct CodeRange {
  FunctionOpInterface function;
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

/// A load of code that no op calls before it is loaded again.
struct DeadCodeLoad {
  Operation *load;
  FunctionOpInterface graph;
};

/// Code that a load could bring in time, but that has to be there before
/// because of a path without one.
struct CodeKeptAlive {
  FunctionOpInterface graph;
  /// The op from which the path goes, null for the start of the program. On
  /// another path from there the graph is loaded before it is called.
  Operation *from = nullptr;
  /// Ops that the path enters, the last one is the call.
  SmallVector<Operation *> path;
};

class CodeLiveness {
public:
  /// Fails with an error that shows the path if functions call themselves, or
  /// if a graph is loaded while it runs. `entry` is where the program starts;
  /// without it `main` or, if there is none, what is public and never called.
  /// Code in buffers is used by copies from there, and never live there unless
  /// it is loaded to or copied from there.
  static FailureOr<CodeLiveness>
  create(ModuleOp module, FunctionOpInterface entry = {},
         CodeLocation memory = CodeLocation::Executable);
  CodeLiveness(CodeLiveness &&);
  ~CodeLiveness();

  /// Functions that loads name, in the order of the module.
  ArrayRef<FunctionOpInterface> getLoadedGraphs() const;

  /// Whether no load names the graph. Its code is then in the image, and live
  /// before and after all ops.
  bool isAlwaysLive(FunctionOpInterface graph) const;
  /// Whether the code is on the chip when the program starts.
  bool isResidentInImage(FunctionOpInterface graph) const;

  /// Whether the code is live before (after) an op of any function of the
  /// module: on any of the paths that lead to that op. False for ops that no
  /// entry of the program reaches.
  bool isLiveBefore(Operation *op, FunctionOpInterface graph) const;
  bool isLiveAfter(Operation *op, FunctionOpInterface graph) const;
  /// Whether the code takes memory while `op`, without what is in its regions
  /// and what it calls, runs: it is live before or after it, or `op` loads it.
  bool isResidentDuring(Operation *op, FunctionOpInterface graph) const;

  /// Functions that calls from where the program starts reach, callers first.
  ArrayRef<FunctionOpInterface> getReachedFunctions() const;

  /// Where the code is live, in the order of the reached functions and of the
  /// blocks in them, outer ones first. Blocks in which it is live all the time
  /// are left out if it is so before and after the op that holds them, too.
  SmallVector<CodeRange> getRanges(FunctionOpInterface graph) const;
  /// In the order of the program.
  SmallVector<DeadCodeLoad> getDeadLoads() const;
  SmallVector<CodeKeptAlive> getKeptAlive() const;

private:
  explicit CodeLiveness(std::unique_ptr<detail::CodeLivenessSolver> solver);

  std::unique_ptr<detail::CodeLivenessSolver> solver;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_CODELIVENESS_CODELIVENESS_H
