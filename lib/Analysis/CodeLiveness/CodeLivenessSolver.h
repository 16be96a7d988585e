//===- CodeLivenessSolver.h - Backward problem of live code -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
#define IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H

#include "CodeFlow.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"

namespace mlir::ipu::detail {

/// Computes at which points of a module the code of graphs is live in a memory.
/// This is a backward problem of CodeFlow: the fact of a graph is that its code
/// is live. A use adds the fact, and a load removes it. While a graph is
/// executed, its fact holds everywhere.
class CodeLivenessSolver {
public:
  CodeLivenessSolver(ModuleOp module, FunctionOpInterface entry,
                     CodeLocation memory);
  LogicalResult solve();

  const FunctionCalls &getCalls() const { return calls; }
  ArrayRef<FunctionOpInterface> getGraphs() const { return graphs; }
  ArrayRef<FunctionOpInterface> getReached() const {
    return flow->getReached();
  }
  /// Returns whether the memory is the executable memory. The executable memory
  /// contains all code at the start, except the code that loads copy to it.
  bool isExecutable() const { return memory == CodeLocation::Executable; }
  /// Returns the number of a graph, or std::nullopt if no load names the graph.
  std::optional<unsigned> getNumber(FunctionOpInterface graph) const;
  bool isEntry(FunctionOpInterface function) const {
    return llvm::is_contained(entries, function);
  }
  /// getLoaded() returns the numbers of the graphs whose code `op` copies to
  /// the memory. getRead() returns the numbers of the graphs whose code `op`
  /// copies from the memory.
  ArrayRef<unsigned> getLoaded(Operation *op) const;
  ArrayRef<unsigned> getRead(Operation *op) const;

  ArrayRef<Operation *> getEvents(Block *block) const {
    return flow->getEvents(block);
  }
  const CodeTransfer *getTransfer(Operation *op) const {
    return flow->getTransfer(op);
  }

  bool isLiveAtStart(unsigned graph) const { return atStart.test(graph); }
  bool isLiveAfter(Operation *op, unsigned graph) const;
  bool isLiveBefore(Operation *op, unsigned graph) const;
  bool isLiveAtBegin(Block *block, unsigned graph) const;

private:
  std::optional<CodeTransfer> getOwnEffect(Operation *op) const;
  LogicalResult verifyLoad(Operation *load, FunctionOpInterface function);

  FunctionCalls calls;
  CodeLocation memory;
  SmallVector<FunctionOpInterface> entries, graphs;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// For each op that moves code: the graphs whose code it copies to the
  /// memory, and the graphs whose code it copies from the memory.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> loaded, read;

  std::optional<CodeFlow> flow;
  llvm::BitVector atStart;
};

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
