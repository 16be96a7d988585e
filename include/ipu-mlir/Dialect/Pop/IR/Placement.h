//===- Placement.h - Placement of ops ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The placement of an op is the set of its attributes that say where, when and
// how the device executes it: IPU, pipeline stage, phases, tiles, recompute,
// fragment of the program, and the replicas that share random bits of rounding.
// An op that replaces another op, or a part of another op, inherits the
// placement of this other op.
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

/// Return the IPU, pipeline stage, execution phase or batch phase (the part of
/// the batch) of `op`, or std::nullopt if no attribute of `op` defines it.
std::optional<int64_t> getVgraph(Operation *op);
std::optional<int64_t> getStage(Operation *op);
std::optional<int64_t> getPhase(Operation *op);
std::optional<int64_t> getBatchPhase(Operation *op);

/// Attribute of an op: the priority of the op (an i64). `pop-schedule` puts ops
/// of higher priority, and the ops that they need, before other ops.
constexpr StringLiteral kSchedulePriorityAttrName = "pop.schedule_priority";
/// Returns the priority of `op`, which is 0 without the attribute.
int64_t getSchedulePriority(Operation *op);

/// Returns the tile set of `op`, which says whether `op` uses the compute tiles
/// or the I/O tiles of its IPU. Returns std::nullopt if no attribute of `op`
/// defines the tile set.
std::optional<TileSet> getTileSet(Operation *op);
inline bool isOnIOTiles(Operation *op) { return getTileSet(op) == TileSet::IO; }

/// Returns the virtual graph of `value`. For a result of an op, this is the
/// virtual graph on which the op computes the result. For a function argument,
/// it is the virtual graph in the attributes of the argument. Returns
/// std::nullopt if no virtual graph is defined.
std::optional<int64_t> getVgraph(Value value);
/// Returns the virtual graph on which an op reads `operand`.
std::optional<int64_t> getVgraph(OpOperand &operand);

/// Returns the tile set of `value`: the tiles on which an op computes it, or
/// those in the attributes of a function argument. Without an attribute, these
/// are the compute tiles.
TileSet getTileSet(Value value);
/// Returns the tile set on which an op reads `operand`.
TileSet getTileSet(OpOperand &operand);

std::optional<RecomputeKind> getRecompute(Operation *op);
std::optional<ExecutionContext> getExecutionContext(Operation *op);

/// Returns whether `op` can have a placement. All ops can have one except
/// modules, functions and terminators.
bool isPlaceable(Operation *op);

/// Returns whether attributes with this name are part of placements.
bool isPlacementAttr(StringRef name);

/// Returns the attributes of the placement of `op`, or an empty dictionary if
/// it has none.
DictionaryAttr getPlacement(Operation *op);

/// Adds the attributes of the placement of `from` to `to`, except attributes
/// that `to` already has. Adds no stage and no phase if `to` is on another
/// virtual graph than `from`. Does nothing if `to` is not placeable.
void inheritPlacement(Operation *from, Operation *to);

/// Returns the attributes of the IPU, stage and phases of `op`.
DictionaryAttr getSchedule(Operation *op);

/// Adds the IPU, stage and phases of `from` to `to`, except those that `to`
/// already has. Adds no other attributes of the placement, such as recompute.
/// Use this function for an op that serves `from`, but does not do a part of
/// the work of `from`.
void inheritSchedule(Operation *from, Operation *to);

/// Returns whether `op` has an IPU, a stage, an execution phase or a batch
/// phase.
bool hasSchedule(Operation *op);

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// A listener that sets the placement of ops that are created by rewrite
/// patterns and folds. These ops inherit the placement of the rewritten op.
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
