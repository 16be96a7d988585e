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

/// Ops of one block between which the code of a graph is always live. The range
/// begins after `first`, or at the start of the block if `first` is null. It
/// ends before `last`, or while `last` is executed if `last` is a call, or at
/// the end of the block if `last` is null. The code is also live in regions of
/// the ops in between, unless blocks of these regions have ranges of their own.
struct CodeRange {
  FunctionOpInterface function;
  Block *block = nullptr;
  Operation *first = nullptr, *last = nullptr;
};

/// A load of code that no op calls before the code is loaded again.
struct DeadCodeLoad {
  Operation *load;
  FunctionOpInterface graph;
};

/// Code that a load could bring in time, but that must be on the chip before
/// the load because another path has no load.
struct CodeKeptAlive {
  FunctionOpInterface graph;
  /// The op from which the path starts; null for the start of the program. On
  /// another path from this op, the graph is loaded before it is called.
  Operation *from = nullptr;
  /// Ops that the path enters. The last op is the call.
  SmallVector<Operation *> path;
};

class CodeLiveness {
public:
  /// Fails with an error that shows the path if functions call themselves, or
  /// if a graph is loaded while it is executed. The program starts at `entry`.
  /// Without an `entry`, it starts at `main` or, if there is no `main`, at the
  /// public functions without callers. Code in a buffer is used by copies from
  /// the buffer. It can only be live in
  /// a buffer if it is loaded to or copied from this buffer.
  static FailureOr<CodeLiveness>
  create(ModuleOp module, FunctionOpInterface entry = {},
         CodeLocation memory = CodeLocation::Executable);
  CodeLiveness(CodeLiveness &&);
  ~CodeLiveness();

  /// Functions that loads name, in the order of the module.
  ArrayRef<FunctionOpInterface> getLoadedGraphs() const;

  /// Whether no load names the graph. If so, its code is in the image, and it
  /// is live before and after all ops.
  bool isAlwaysLive(FunctionOpInterface graph) const;
  /// Whether the code is on the chip when the program starts.
  bool isResidentInImage(FunctionOpInterface graph) const;

  /// Whether the code is live before (after) an op of any function of the
  /// module, on any path that leads to the op. False for ops that cannot be
  /// reached from an entry of the program.
  bool isLiveBefore(Operation *op, FunctionOpInterface graph) const;
  bool isLiveAfter(Operation *op, FunctionOpInterface graph) const;
  /// Whether the code takes memory while `op` is executed, without the ops of
  /// its regions and of its callees: the code is live before or after `op`, or
  /// `op` loads it.
  bool isResidentDuring(Operation *op, FunctionOpInterface graph) const;

  /// Functions that are reached by calls from the start of the program, callers
  /// first.
  ArrayRef<FunctionOpInterface> getReachedFunctions() const;

  /// Where the code is live, in the order of the reached functions and of their
  /// blocks, outer blocks first. A block in which the code is always live is
  /// left out if the code is also live before and after the op that contains
  /// the block.
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
