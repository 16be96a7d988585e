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

/// The effect of a part of a program on the set of live graphs. A graph is live
/// before the part if it is in `uses`, or if it is live after the part and in
/// `passes`. If several paths are possible, each set is the union of the sets
/// of the paths. If there is no path, both sets are empty.
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
  /// Returns the effect of this part followed by `next`.
  CodeTransfer then(const CodeTransfer &next) const {
    CodeTransfer result{before(next.uses), passes};
    result.passes &= next.passes;
    return result;
  }
};

/// Parts of a program that can follow each other, called pieces: the regions of
/// an op, or the blocks of a region.
class CodePieces {
public:
  enum class Direction { Forwards, Backwards };

  explicit CodePieces(Operation *op);
  explicit CodePieces(Region &region);

  /// Returns the effects of all paths through the pieces. `pieces` contains the
  /// effect of each piece. Forwards, result i is the effect from the start of
  /// all pieces to the start of piece i. Backwards, result i is the effect from
  /// the end of piece i to the end of all pieces. The last result is the effect
  /// from the start to the end of all pieces. Backwards, an effect maps a set
  /// of graphs after a piece to the set before the piece, as described for
  /// CodeTransfer. Forwards, an effect maps a set before a piece to the set
  /// after the piece.
  SmallVector<CodeTransfer> joinWays(ArrayRef<CodeTransfer> pieces,
                                     Direction direction) const;

private:
  /// The edges between pieces. The program outside of the pieces has the last
  /// number. A piece that can be executed first has an edge from the outside,
  /// and a piece that can be executed last has an edge to the outside.
  SmallVector<std::pair<unsigned, unsigned>> edges;
};

/// Returns the functions with which a run of the module may start.
SmallVector<FunctionOpInterface> getCodeEntries(const FunctionCalls &calls);

/// Computes at which points of a module the code of graphs is live in a memory.
/// *Events* are the ops that move code, that call functions, or that contain
/// such ops. All other ops have no effect.
class CodeLivenessSolver {
public:
  CodeLivenessSolver(ModuleOp module, FunctionOpInterface entry,
                     CodeLocation memory);
  LogicalResult solve();

  const FunctionCalls &getCalls() const { return calls; }
  ArrayRef<FunctionOpInterface> getGraphs() const { return graphs; }
  ArrayRef<FunctionOpInterface> getReached() const { return reached; }
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

  ArrayRef<Operation *> getEvents(Block *block) const;
  const CodeTransfer *getTransfer(Operation *op) const;
  const CodeTransfer *getTransfer(FunctionOpInterface function) const;

  bool isLiveAtStart(unsigned graph) const { return atStart.test(graph); }
  bool isLiveAfter(Operation *op, unsigned graph) const;
  bool isLiveBefore(Operation *op, unsigned graph) const;
  bool isLiveAtBegin(Block *block, unsigned graph) const;

  /// getEntered() returns the regions of `op` that may be executed first.
  /// getFollowing() returns the regions that may be executed after `region`, a
  /// region of `op`. A null region stands for the program after `op`.
  static SmallVector<Region *> getEntered(Operation *op);
  static SmallVector<Region *> getFollowing(Operation *op, Region &region);

private:
  CodeTransfer identity() const {
    return CodeTransfer::identity(graphs.size());
  }
  // The following functions compute the effects of ops and functions, callees
  // first.
  CodeTransfer summarizeRegion(Region &region);
  CodeTransfer summarizeBlock(Block &block);
  void summarizeOp(Operation &op);
  CodeTransfer summarizeRegionOp(Operation &op);
  // The following functions compute the live graphs at each point, callers
  // first.
  void propagateRegion(Region &region, const llvm::BitVector &atExit,
                       FunctionOpInterface function);
  LogicalResult verifyLoad(Operation *load, FunctionOpInterface function);

  FunctionCalls calls;
  CodeLocation memory;
  SmallVector<FunctionOpInterface> entries, graphs, reached;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// For each op that moves code: the graphs whose code it copies to the
  /// memory, and the graphs whose code it copies from the memory.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> loaded, read;

  llvm::DenseMap<Block *, SmallVector<Operation *>> events;
  llvm::DenseMap<Operation *, CodeTransfer> ofOp, ofFunction;
  /// `afterRegion` contains the effect from the end of a region to the point
  /// after its op. For a region of several blocks, `afterBlock` contains the
  /// effect from the end of each block to the end of the region.
  llvm::DenseMap<Region *, CodeTransfer> afterRegion;
  llvm::DenseMap<Block *, CodeTransfer> afterBlock;

  llvm::BitVector atStart;
  /// For each function, the graphs that are live after its calls, and the
  /// graphs that are being executed while the function is executed.
  llvm::DenseMap<Operation *, llvm::BitVector> afterFunction, running;
  llvm::DenseMap<Operation *, llvm::BitVector> afterOp;
  llvm::DenseMap<Block *, llvm::BitVector> atEnd;
};

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODELIVENESSSOLVER_H
