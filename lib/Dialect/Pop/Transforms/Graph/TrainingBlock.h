//===- TrainingBlock.h - Training steps in blocks ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training block is a block with a forward and a backward pass, as a graph of
// which nodes can be recomputed.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_TRAININGBLOCK_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_TRAININGBLOCK_H

#include "BlockGraph.h"
#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"

namespace mlir::pop {

/// Returns the first op of the backward pass of `block`: a `pop.loss_scale`, or
/// an op with the role of a gradient or of a recomputed op. Returns null if
/// there is none.
Operation *findBackwardPass(Block &block);

/// Returns whether an op reads `operand` on another virtual graph than that of
/// the value. The value is then not recomputed for this op.
bool isFromOtherVgraph(OpOperand &operand);

/// Returns the op whose placement says where `op` is executed: `op` or, if it
/// has no placement, the first op in its regions that has one. Returns null if
/// there is none, or if ops in the regions are on different virtual graphs or
/// in different stages or phases.
Operation *findPlacedOp(Operation *op);

class TrainingBlock {
public:
  /// `backward` is the first op of the backward pass of `block`.
  TrainingBlock(Block &block, Operation *backward,
                const ScheduledModule &module);

  const ipu::TrainingGraph &getGraph() const { return graph; }
  unsigned getNumForward() const { return graph.numForward; }
  ArrayRef<Operation *> getOps() const { return blockGraph.getOps(); }
  /// Returns the values of the graph, by their numbers.
  ArrayRef<Value> getValues() const { return values; }

  /// Emits an error and fails if marks of the forward pass contradict what can
  /// be recomputed.
  LogicalResult verifyMarks() const;
  /// Returns the number of advances of random bits between two ops of the
  /// block, which are given by their numbers, if it is a constant.
  int64_t countAdvances(unsigned from, unsigned to) const {
    return advances[to] - advances[from];
  }

private:
  void countAdvances();
  void findObstacles();
  void addNodes();
  void addOperands(ipu::TrainingNode &node, Operation *op);
  void addResults(unsigned number);
  unsigned getNumber(Value value);
  bool isTracked(Value value) const { return value.getParentBlock() == &block; }
  bool readsWhatIsWritten(unsigned number) const;
  StringRef findObstacle(unsigned number) const;

  Block &block;
  const ScheduledModule &module;
  BlockGraph blockGraph;
  ipu::TrainingGraph graph;
  SmallVector<Value> values;
  llvm::DenseMap<Value, unsigned> numbers;
  /// `obstacles` has the reason why each op of the forward pass cannot be
  /// recomputed, or an empty string if it can.
  SmallVector<StringRef> obstacles;
  /// The number of advances before each op, and the last op whose number of
  /// advances is not a constant.
  SmallVector<int64_t> advances;
  unsigned lastUnknownAdvance = 0;
  /// The numbers after the last ops that may write a location, or anything.
  llvm::DenseMap<ipu::MemoryLocation, unsigned> writeEnds;
  unsigned unknownWriteEnd = 0;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_TRAININGBLOCK_H
