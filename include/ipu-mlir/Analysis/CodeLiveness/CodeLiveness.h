//===- CodeLiveness.h - Code liveness analysis ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward liveness analysis of the code of functions. The code is in
// executable memory or in a buffer. A load (CodeLoadOpInterface) is a
// definition; a call (CallOpInterface) or a copy to another memory is a use.
// The code of a graph is live at a point if some path from the point reaches a
// call of the graph before a load of the code. The code is also live while the
// graph is executed. Code that is live at the start of the program is part of
// the image. This code is also live at the end of the program, because another
// run may follow. If no load names a graph, the code of the graph is always
// live. See docs/code-loading.md.
//
// RegionBranchOpInterface gives the paths through branches and loops. Paths
// also go through calls. The effects of a function on code are summarised once
// for all calls. The live-out set of a function is the union of the live sets
// after all its calls, without a distinction between calling contexts. The
// analysis works on functions of pop and of ipu.
//
// The analysis takes O(N G / 64) time for N ops and for G graphs that are named
// by loads. It visits each op a few times. It needs space only for ops that
// load code, call functions, or contain such ops.
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

/// A range of ops of one block in which the code of a graph is always live. If
/// `first` is set, the range begins after `first`, otherwise at the start of
/// the block. If `last` is a call, the range ends when the call has been
/// executed. If `last` is another op, the range ends before `last`. If `last`
/// is null, the range ends at the end of the block. The code is also live in
/// the regions of the ops in the range, except in blocks that have their own
/// ranges.
struct CodeRange {
  FunctionOpInterface function;
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

/// A dead load of the code of `graph`: no path from the load reaches a call of
/// `graph` before another load of the code.
struct DeadCodeLoad {
  Operation *load;
  FunctionOpInterface graph;
};

/// Code that must already be on the chip at the op `from`. One path from this
/// op loads the code before it calls the graph, but another path from this op
/// calls the graph without a load.
struct CodeKeptAlive {
  FunctionOpInterface graph;
  /// The op from which the path without a load starts; null for the start of
  /// the program. On another path from this op, the graph is loaded before it
  /// is called.
  Operation *from = nullptr;
  /// The ops that the path enters: calls, and ops with regions. The last op is
  /// the call of the graph.
  SmallVector<Operation *> path;
};

class CodeLiveness {
public:
  /// Analyses the code in `memory`. If functions call themselves, or if a graph
  /// is loaded while it is executed, emits an error that shows the calls, and
  /// fails. The program starts at `entry`. Without an `entry`, it starts at
  /// `main` or, if there is no `main`, at the public functions without callers.
  /// For a buffer, the uses of code are the copies from the buffer. Code can
  /// only be live in a buffer if it is loaded or copied to the buffer.
  static FailureOr<CodeLiveness>
  create(ModuleOp module, FunctionOpInterface entry = {},
         CodeLocation memory = CodeLocation::Executable);
  CodeLiveness(CodeLiveness &&);
  ~CodeLiveness();

  /// Returns the functions that are named by loads, in the order of the module.
  ArrayRef<FunctionOpInterface> getLoadedGraphs() const;

  /// Returns whether no load names the graph. The code of such a graph is in
  /// the image, and is live before and after all ops.
  bool isAlwaysLive(FunctionOpInterface graph) const;
  /// Returns whether the code is on the chip when the program starts.
  bool isResidentInImage(FunctionOpInterface graph) const;

  /// Returns whether the code is live before (after) an op. If several calls
  /// lead to the op, the code needs to be live there for only one of them. The
  /// op may be in any function of the module. Returns false for an op that
  /// cannot be reached from an entry of the program.
  bool isLiveBefore(Operation *op, FunctionOpInterface graph) const;
  bool isLiveAfter(Operation *op, FunctionOpInterface graph) const;
  /// Returns whether the code takes memory while `op` itself is executed: the
  /// code is live before or after `op`, or `op` loads it. The ops in regions of
  /// `op` and in its callees are not considered.
  bool isResidentDuring(Operation *op, FunctionOpInterface graph) const;

  /// Returns the functions that are reached by calls from the start of the
  /// program, callers first.
  ArrayRef<FunctionOpInterface> getReachedFunctions() const;

  /// Returns the ranges in which the code is live, in the order of the reached
  /// functions and of their blocks, outer blocks first. If the code is live in
  /// a whole block, and before and after the op that contains the block, the
  /// block is omitted.
  SmallVector<CodeRange> getRanges(FunctionOpInterface graph) const;
  /// Return the loads of dead code, and the code that is kept alive, in the
  /// order of the program.
  SmallVector<DeadCodeLoad> getDeadLoads() const;
  SmallVector<CodeKeptAlive> getKeptAlive() const;

private:
  explicit CodeLiveness(std::unique_ptr<detail::CodeLivenessSolver> solver);

  std::unique_ptr<detail::CodeLivenessSolver> solver;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_CODELIVENESS_CODELIVENESS_H
