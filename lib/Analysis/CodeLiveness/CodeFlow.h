//===- CodeFlow.h - Flow of facts about code --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solves data-flow problems about the code of graphs: forward problems (what
// did the program bring to a memory?) and backward problems (what does the
// program still use?). A problem has a number of facts. Each op adds facts,
// removes facts, or does neither. At a point, a fact holds if it holds on any
// path to the point, in the direction of the flow.
//
// Paths go through branches, loops and calls. The effects of a function are
// summarised once for all its calls, callees first, so that no path enters a
// function from one call and leaves it to another call. Then the facts at each
// point are computed, callers first; the facts at the start (forward) or at the
// end (backward) of a function are the union over all its calls.
//
// docs/rationale.md says why this is not a client of MLIR's data-flow
// framework.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODEFLOW_H
#define IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODEFLOW_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu::detail {

enum class FlowDirection { Forward, Backward };

/// The effect of a part of a program on the set of facts. The *near* end of a
/// part is the end at which the flow enters it: its start in a forward problem,
/// its end in a backward problem. The *far* end is the other one. A fact holds
/// at the far end if it is in `adds`, or if it holds at the near end and is in
/// `passes`. If several paths are possible, each set is the union of the sets
/// of the paths. If there is no path, both sets are empty.
struct CodeTransfer {
  llvm::BitVector adds, passes;

  static CodeTransfer none(unsigned size) {
    return {llvm::BitVector(size), llvm::BitVector(size)};
  }
  static CodeTransfer identity(unsigned size) {
    return {llvm::BitVector(size), llvm::BitVector(size, true)};
  }
  bool operator==(const CodeTransfer &other) const {
    return adds == other.adds && passes == other.passes;
  }
  void join(const CodeTransfer &other) {
    adds |= other.adds;
    passes |= other.passes;
  }
  /// Returns the facts at the far end, given those at the near end.
  llvm::BitVector apply(const llvm::BitVector &near) const {
    llvm::BitVector far = near;
    far &= passes;
    far |= adds;
    return far;
  }
  /// Returns the effect of this part and then, in the direction of the flow, of
  /// `next`.
  CodeTransfer then(const CodeTransfer &next) const {
    CodeTransfer result{next.apply(adds), passes};
    result.passes &= next.passes;
    return result;
  }
};

/// getEnteredRegions() returns the regions of `op` that may be executed first.
/// getFollowingRegions() returns the regions that may be executed after
/// `region`, a region of `op`. A null region stands for the program after `op`.
SmallVector<Region *> getEnteredRegions(Operation *op);
SmallVector<Region *> getFollowingRegions(Operation *op, Region &region);

/// Parts of a program that can follow each other, called pieces: the regions of
/// an op, or the blocks of a region.
class CodePieces {
public:
  CodePieces(Operation *op, FlowDirection direction);
  CodePieces(Region &region, FlowDirection direction);

  /// Returns the effects of all paths through the pieces. `pieces` contains the
  /// effect of each piece. Result i is the effect from the near end of all
  /// pieces to the near end of piece i. The last result is the effect from the
  /// near end to the far end of all pieces.
  SmallVector<CodeTransfer> joinWays(ArrayRef<CodeTransfer> pieces) const;

private:
  void addEdge(unsigned from, unsigned to) { edges.emplace_back(from, to); }
  /// Reverses the edges of a backward problem.
  void orient(FlowDirection direction);

  /// The edges between pieces, in the direction of the flow. The program
  /// outside of the pieces has the last number.
  SmallVector<std::pair<unsigned, unsigned>> edges;
};

/// Returns the functions with which a run of the module may start.
SmallVector<FunctionOpInterface> getCodeEntries(const FunctionCalls &calls);

/// The solution of one problem. *Events* are the ops that have an effect of
/// their own, that call functions, or that contain such ops. All other ops have
/// no effect.
class CodeFlow {
public:
  /// Returns the effect of an op itself, without the effects of its callee and
  /// its regions. Returns std::nullopt if the op is no event of its own.
  using OwnEffectFn = function_ref<std::optional<CodeTransfer>(Operation *op)>;

  /// `size` is the number of facts. `calls` must outlive this object, and its
  /// functions must not call themselves.
  CodeFlow(const FunctionCalls &calls, FlowDirection direction, unsigned size);

  /// Computes the effects of all functions. This is the first step.
  void summarize(OwnEffectFn getOwnEffect);

  /// Makes a fact hold everywhere in `function` and, if a path calls it, in the
  /// functions that it calls.
  void holdWithin(FunctionOpInterface function, unsigned fact) {
    constant[function].set(fact);
  }

  /// Computes the facts at each point that a run reaches from `entries`.
  /// `atEntries` holds at the near ends of the entries.
  void propagate(ArrayRef<FunctionOpInterface> entries,
                 const llvm::BitVector &atEntries);

  /// Returns the functions that a run reaches, callers first.
  ArrayRef<FunctionOpInterface> getReached() const { return reached; }
  /// Returns the events of a block in the order of the program.
  ArrayRef<Operation *> getEvents(Block *block) const;
  /// Return the effect of an event or of a function; null if there is none.
  const CodeTransfer *getTransfer(Operation *event) const;
  const CodeTransfer *getTransfer(FunctionOpInterface function) const;

  /// Return the facts at the near end of an event or of a block; null if a run
  /// does not reach it, or if the op or an op around the block is no event.
  const llvm::BitVector *getNear(Operation *event) const;
  const llvm::BitVector *getNear(Block *block) const;
  /// Returns whether a fact holds at the far end of an event that has a near
  /// end.
  bool holdsFar(Operation *event, unsigned fact) const;
  /// Returns whether holdWithin() makes the fact hold in all of `function`.
  bool holdsWithin(FunctionOpInterface function, unsigned fact) const;

private:
  CodeTransfer identity() const { return CodeTransfer::identity(size); }
  CodeTransfer joinInOrder(const CodeTransfer &first,
                           const CodeTransfer &second) const;
  // The following functions compute the effects of ops and functions, callees
  // first.
  CodeTransfer summarizeRegion(Region &region, OwnEffectFn getOwnEffect);
  CodeTransfer summarizeBlock(Block &block, OwnEffectFn getOwnEffect);
  void summarizeOp(Operation &op, OwnEffectFn getOwnEffect);
  std::optional<CodeTransfer> summarizeRegionOp(Operation &op,
                                                OwnEffectFn getOwnEffect);
  /// Computes the facts in a region from those at its near end.
  void propagateRegion(Region &region, const llvm::BitVector &near,
                       FunctionOpInterface function);
  void propagateOp(Operation *op, const llvm::BitVector &near,
                   FunctionOpInterface function);

  const FunctionCalls &calls;
  FlowDirection direction;
  unsigned size;
  SmallVector<FunctionOpInterface> reached;
  llvm::DenseMap<Block *, SmallVector<Operation *>> events;
  llvm::DenseMap<Operation *, CodeTransfer> ofOp, ofFunction;
  /// The effects from the near end of an op to the near ends of its regions,
  /// and from the near end of a region of several blocks to those of its
  /// blocks.
  llvm::DenseMap<Region *, CodeTransfer> toRegion;
  llvm::DenseMap<Block *, CodeTransfer> toBlock;
  /// `nearFunction` has the facts at the near end of each function. `constant`
  /// has the facts that hold everywhere in each function.
  llvm::DenseMap<Operation *, llvm::BitVector> nearFunction, constant;
  llvm::DenseMap<Operation *, llvm::BitVector> nearOp;
  llvm::DenseMap<Block *, llvm::BitVector> nearBlock;
};

} // namespace mlir::ipu::detail

#endif // IPU_MLIR_LIB_ANALYSIS_CODELIVENESS_CODEFLOW_H
