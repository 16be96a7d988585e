//===- CodeLivenessSolver.h - Equations of code liveness --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
#define IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H

#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu::detail {

/// What a piece of program makes of the graphs that are live after it: live
/// before it is `uses`, and what is live after and in `passes`. Joins of paths
/// are unions; no path at all is nothing in both.
struct CodeTransfer {
  llvm::BitVector uses, passes;

  static CodeTransfer none(unsigned size) {
    return {llvm::BitVector(size), llvm::BitVector(size)};
  }
  static CodeTransfer identity(unsigned size) {
    return {llvm::BitVector(size), llvm::BitVector(size, true)};
  }
  bool operator==(const CodeTransfer &other) const {
    return uses == other.uses && passes == other.passes;
  }
  void join(const CodeTransfer &other) {
    uses |= other.uses;
    passes |= other.passes;
  }
  llvm::BitVector before(const llvm::BitVector &after) const {
    llvm::BitVector result = after;
    result &= passes;
    result |= uses;
    return result;
  }
  /// This piece and then `next`.
  CodeTransfer then(const CodeTransfer &next) const {
    CodeTransfer result{before(next.uses), passes};
    result.passes &= next.passes;
    return result;
  }
};

/// Pieces of program that follow each other in some way: the regions of an op,
/// or the blocks of a region.
class CodePieces {
public:
  enum class Direction { Forwards, Backwards };

  explicit CodePieces(Operation *op);
  explicit CodePieces(Region &region);

  /// Joins all ways, given what each piece does: forwards from the start of all
  /// pieces to that of each, backwards from the end of each piece to that of
  /// all. The last one is from the start to the end of all. Forwards, transfers
  /// tell what holds after a piece from what holds before it.
  SmallVector<CodeTransfer> joinWays(ArrayRef<CodeTransfer> pieces,
                                     Direction direction) const;

private:
  /// Which piece goes on with which one; those that are entered first, and
  /// left last, do so from and to the outside, which is numbered as the last.
  SmallVector<std::pair<unsigned, unsigned>> edges;
};

/// Functions that a run of the module may start with.
SmallVector<FunctionOpInterface> getCodeEntries(const FunctionCalls &calls);

/// *Events* are the ops that move code, call functions, or hold such ops; all
/// others let everything pass.
class CodeLivenessSolver {
public:
  CodeLivenessSolver(ModuleOp module, FunctionOpInterface entry,
                     CodeLocation memory);
  LogicalResult solve();

  const FunctionCalls &getCalls() const { return calls; }
  ArrayRef<FunctionOpInterface> getGraphs() const { return graphs; }
  ArrayRef<FunctionOpInterface> getReached() const { return reached; }
  /// Whether all code is in the memory unless loads say otherwise.
  bool isExecutable() const { return memory == CodeLocation::Executable; }
  /// Nothing for graphs that no load names.
  std::optional<unsigned> getNumber(FunctionOpInterface graph) const;
  bool isEntry(FunctionOpInterface function) const {
    return llvm::is_contained(entries, function);
  }
  /// The graphs that `op` loads, and copies elsewhere, by their numbers.
  ArrayRef<unsigned> getLoaded(Operation *op) const;
  ArrayRef<unsigned> getRead(Operation *op) const;

  ArrayRef<Operation *> getEvents(Block *block) const;
  const CodeTransfer *getTransfer(Operation *op) const;
  const CodeTransfer *getTransfer(FunctionOpInterface function) const;

  bool isLiveAtStart(unsigned graph) const { return atStart.test(graph); }
  bool isLiveAfter(Operation *op, unsigned graph) const;
  bool isLiveBefore(Operation *op, unsigned graph) const;
  bool isLiveAtBegin(Block *block, unsigned graph) const;

  /// Regions that `op` may enter first, and that may follow `region` of it;
  /// null for what is after `op`.
  static SmallVector<Region *> getEntered(Operation *op);
  static SmallVector<Region *> getFollowing(Operation *op, Region &region);

private:
  CodeTransfer identity() const {
    return CodeTransfer::identity(graphs.size());
  }
  // Callees first: what each op and function does.
  CodeTransfer summarizeRegion(Region &region);
  CodeTransfer summarizeBlock(Block &block);
  void summarizeOp(Operation &op);
  CodeTransfer summarizeRegionOp(Operation &op);
  // Callers first: what is live where.
  void propagateRegion(Region &region, const llvm::BitVector &atExit,
                       FunctionOpInterface function);
  LogicalResult verifyLoad(Operation *load, FunctionOpInterface function);

  FunctionCalls calls;
  CodeLocation memory;
  SmallVector<FunctionOpInterface> entries, graphs, reached;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// Of ops that move code: what they bring to the memory, and take from it.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> loaded, read;

  llvm::DenseMap<Block *, SmallVector<Operation *>> events;
  llvm::DenseMap<Operation *, CodeTransfer> ofOp, ofFunction;
  /// From the end of a region to after its op, and from the end of a block, of
  /// several, to the end of its region.
  llvm::DenseMap<Region *, CodeTransfer> afterRegion;
  llvm::DenseMap<Block *, CodeTransfer> afterBlock;

  llvm::BitVector atStart;
  /// After a function's calls, and graphs that run while it does.
  llvm::DenseMap<Operation *, llvm::BitVector> afterFunction, running;
  llvm::DenseMap<Operation *, llvm::BitVector> afterOp;
  llvm::DenseMap<Block *, llvm::BitVector> atEnd;
};

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
