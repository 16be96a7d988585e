//===- Placement.h - Placement of ops ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The placement of an op is the set of its attributes that say where, when and
// how the device executes it: IPU, pipeline stage, phases, tiles, recompute,
// fragment of the program, and the replicas that share random bits of
// rounding. An op that replaces another op, or a part of it, inherits all of
// these.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H
#define IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pop {

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The IPU, pipeline stage, execution phase and part of the batch of `op`, as
/// far as its attributes say.
std::optional<int64_t> getVgraph(Operation *op);
std::optional<int64_t> getStage(Operation *op);
std::optional<int64_t> getPhase(Operation *op);
std::optional<int64_t> getBatchPhase(Operation *op);

/// The tiles of its IPU that `op` is on, as far as it says.
std::optional<TileSet> getTileSet(Operation *op);
inline bool isOnIOTiles(Operation *op) { return getTileSet(op) == TileSet::IO; }

/// The virtual graph that `value` is on, as far as the op or the argument of a
/// function says that it is.
std::optional<int64_t> getVgraph(Value value);
/// The virtual graph on which an op reads `operand`.
std::optional<int64_t> getVgraph(OpOperand &operand);

std::optional<RecomputeKind> getRecompute(Operation *op);
std::optional<ExecutionContext> getExecutionContext(Operation *op);

/// Whether `op` can have a placement: it is neither a module, nor a function,
/// nor the end of a block.
bool isPlaceable(Operation *op);

/// Whether attributes of this name are a part of placements.
bool isPlacementAttr(StringRef name);

/// The attributes of `op`'s placement; an empty dictionary if it has none.
DictionaryAttr getPlacement(Operation *op);

/// Gives `to` the attributes of the placement of `from` that it has not;
/// neither a stage nor a phase if it is on another virtual graph. Does nothing
/// if `to` is not placeable.
void inheritPlacement(Operation *from, Operation *to);

/// Gives `to` the IPU, stage and phases of `from` that it has not, but not how
/// `from` is executed: for an op that is done for `from` and is no part of it.
void inheritSchedule(Operation *from, Operation *to);

/// Whether `op` has an IPU, a stage or a phase of either kind.
bool hasSchedule(Operation *op);

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

/// A builder whose ops inherit the placement of an op. Transforms make ops with
/// it, so that they cannot forget to.
class PlacedBuilder : private OpBuilder::Listener, public OpBuilder {
public:
  /// Ops are inserted before `source` and inherit its placement.
  explicit PlacedBuilder(Operation *source)
      : OpBuilder(source, this), source(source) {}

private:
  void notifyOperationInserted(Operation *op, InsertPoint previous) override;

  Operation *source;
};

/// Lets the ops that rewrite patterns and folds make inherit the placement of
/// the op that is rewritten.
class PlacementListener : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &pattern, Operation *op) override;
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override;
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override;

private:
  DictionaryAttr root;
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H
