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

/// The effect of a piece of program on the set of live graphs: the graphs that
/// are live before it are `uses`, and the graphs that are live after it and in
/// `passes`. Joins of paths are unions. If there is no path, both sets are
/// empty.
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
  /// The effect of this piece followed by `next`.
  CodeTransfer then(const CodeTransfer &next) const {
    CodeTransfer result{before(next.uses), passes};
    result.passes &= next.passes;
    return result;
  }
};

/// Pieces of program that can follow each other: the regions of an op, or the
/// blocks of a region.
class CodePieces {
public:
  enum class Direction { Forwards, Backwards };

  explicit CodePieces(Operation *op);
  explicit CodePieces(Region &region);

  /// Joins all paths, given the effects of the pieces. Forwards: from the start
  /// of all pieces to the start of each piece. Backwards: from the end of each
  /// piece to the end of all pieces. The last result is from the start to the
  /// end of all pieces. In the forward direction, transfers map facts before a
  /// piece to facts after it.
  SmallVector<CodeTransfer> joinWays(ArrayRef<CodeTransfer> pieces,
                                     Direction direction) const;

private:
  /// The edges between pieces. The outside has the last number. Pieces that can
  /// be entered first have an edge from the outside, and pieces that can be
  /// left last have an edge to the outside.
  SmallVector<std::pair<unsigned, unsigned>> edges;
};

/// Functions with which a run of the module may start.
SmallVector<FunctionOpInterface> getCodeEntries(const FunctionCalls &calls);

/// *Events* are the ops that move code, call functions, or contain such ops.
/// All other ops have no effect.
class CodeLivenessSolver {
public:
  CodeLivenessSolver(ModuleOp module, FunctionOpInterface entry,
                     CodeLocation memory);
  LogicalResult solve();

  const FunctionCalls &getCalls() const { return calls; }
  ArrayRef<FunctionOpInterface> getGraphs() const { return graphs; }
  ArrayRef<FunctionOpInterface> getReached() const { return reached; }
  /// Whether all code is in the memory, except code that loads bring there.
  bool isExecutable() const { return memory == CodeLocation::Executable; }
  /// None for graphs that no load names.
  std::optional<unsigned> getNumber(FunctionOpInterface graph) const;
  bool isEntry(FunctionOpInterface function) const {
    return llvm::is_contained(entries, function);
  }
  /// The numbers of the graphs that `op` loads, or copies to another memory.
  ArrayRef<unsigned> getLoaded(Operation *op) const;
  ArrayRef<unsigned> getRead(Operation *op) const;

  ArrayRef<Operation *> getEvents(Block *block) const;
  const CodeTransfer *getTransfer(Operation *op) const;
  const CodeTransfer *getTransfer(FunctionOpInterface function) const;

  bool isLiveAtStart(unsigned graph) const { return atStart.test(graph); }
  bool isLiveAfter(Operation *op, unsigned graph) const;
  bool isLiveBefore(Operation *op, unsigned graph) const;
  bool isLiveAtBegin(Block *block, unsigned graph) const;

  /// The regions that `op` may enter first, or the regions that may follow
  /// `region` of it. Null means after `op`.
  static SmallVector<Region *> getEntered(Operation *op);
  static SmallVector<Region *> getFollowing(Operation *op, Region &region);

private:
  CodeTransfer identity() const {
    return CodeTransfer::identity(graphs.size());
  }
  // Callees first: the effects of each op and function.
  CodeTransfer summarizeRegion(Region &region);
  CodeTransfer summarizeBlock(Block &block);
  void summarizeOp(Operation &op);
  CodeTransfer summarizeRegionOp(Operation &op);
  // Callers first: the live graphs at each point.
  void propagateRegion(Region &region, const llvm::BitVector &atExit,
                       FunctionOpInterface function);
  LogicalResult verifyLoad(Operation *load, FunctionOpInterface function);

  FunctionCalls calls;
  CodeLocation memory;
  SmallVector<FunctionOpInterface> entries, graphs, reached;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// For ops that move code: the graphs that they bring to the memory, and
  /// those that they take from it.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> loaded, read;

  llvm::DenseMap<Block *, SmallVector<Operation *>> events;
  llvm::DenseMap<Operation *, CodeTransfer> ofOp, ofFunction;
  /// The effect from the end of a region to after its op, and, for a region of
  /// several blocks, from the end of each block to the end of the region.
  llvm::DenseMap<Region *, CodeTransfer> afterRegion;
  llvm::DenseMap<Block *, CodeTransfer> afterBlock;

  llvm::BitVector atStart;
  /// The live graphs after the calls of a function, and the graphs that are
  /// being executed while the function is executed.
  llvm::DenseMap<Operation *, llvm::BitVector> afterFunction, running;
  llvm::DenseMap<Operation *, llvm::BitVector> afterOp;
  llvm::DenseMap<Block *, llvm::BitVector> atEnd;
};

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
