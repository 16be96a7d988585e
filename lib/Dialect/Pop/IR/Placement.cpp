//===- Placement.cpp - Placement of ops -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kPlacementAttrNames[] = {
    PopDialect::kVgraphAttrName,  PopDialect::kStageAttrName,
    PopDialect::kPhaseAttrName,   PopDialect::kBatchPhaseAttrName,
    PopDialect::kTileSetAttrName, PopDialect::kRecomputeAttrName,
    kTrainingRoleAttrName,        PopDialect::kExecutionContextAttrName,
    kSchedulePriorityAttrName,    PopDialect::kStochasticRoundingMethodAttrName,
};

static std::optional<int64_t> getNumber(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? std::optional(attr.getInt()) : std::nullopt;
}

template <typename AttrT>
static auto getEnum(Operation *op, StringRef name) {
  using Enum = decltype(AttrT().getValue());
  auto attr = op->getAttrOfType<AttrT>(name);
  return attr ? std::optional<Enum>(attr.getValue()) : std::nullopt;
}

std::optional<int64_t> mlir::pop::getVgraph(Operation *op) {
  return getNumber(op, PopDialect::kVgraphAttrName);
}

/// Returns the attribute `name` of a function argument, or null if `argument`
/// has no such attribute.
template <typename AttrT>
static AttrT getArgumentAttr(BlockArgument argument, StringRef name) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return {};
  return function.getArgAttrOfType<AttrT>(argument.getArgNumber(), name);
}

std::optional<int64_t> mlir::pop::getVgraph(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    auto placed = dyn_cast<PlacementOpInterface>(result.getOwner());
    std::optional<int64_t> vgraph =
        placed ? placed.getVgraphOfResult(result) : std::nullopt;
    return vgraph ? vgraph : getVgraph(result.getOwner());
  }
  auto attr = getArgumentAttr<IntegerAttr>(cast<BlockArgument>(value),
                                           PopDialect::kVgraphAttrName);
  return attr ? std::optional(attr.getInt()) : std::nullopt;
}

std::optional<int64_t> mlir::pop::getVgraph(OpOperand &operand) {
  auto placed = dyn_cast<PlacementOpInterface>(operand.getOwner());
  std::optional<int64_t> vgraph =
      placed ? placed.getVgraphOfOperand(operand) : std::nullopt;
  return vgraph ? vgraph : getVgraph(operand.getOwner());
}

std::optional<int64_t> mlir::pop::getStage(Operation *op) {
  return getNumber(op, PopDialect::kStageAttrName);
}

std::optional<int64_t> mlir::pop::getPhase(Operation *op) {
  return getNumber(op, PopDialect::kPhaseAttrName);
}

std::optional<int64_t> mlir::pop::getBatchPhase(Operation *op) {
  return getNumber(op, PopDialect::kBatchPhaseAttrName);
}

int64_t mlir::pop::getSchedulePriority(Operation *op) {
  return getNumber(op, kSchedulePriorityAttrName).value_or(0);
}

std::optional<TileSet> mlir::pop::getTileSet(Operation *op) {
  return getEnum<TileSetAttr>(op, PopDialect::kTileSetAttrName);
}

TileSet mlir::pop::getTileSet(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    auto placed = dyn_cast<PlacementOpInterface>(result.getOwner());
    std::optional<TileSet> set =
        placed ? placed.getTileSetOfResult(result) : std::nullopt;
    return set ? *set
               : getTileSet(result.getOwner()).value_or(TileSet::Compute);
  }
  auto attr = getArgumentAttr<TileSetAttr>(cast<BlockArgument>(value),
                                           PopDialect::kTileSetAttrName);
  return attr ? attr.getValue() : TileSet::Compute;
}

TileSet mlir::pop::getTileSet(OpOperand &operand) {
  auto placed = dyn_cast<PlacementOpInterface>(operand.getOwner());
  std::optional<TileSet> set =
      placed ? placed.getTileSetOfOperand(operand) : std::nullopt;
  if (set)
    return *set;
  // A terminator passes values to the results of the op around it.
  Operation *owner = operand.getOwner();
  if (owner->hasTrait<OpTrait::IsTerminator>() && owner->getParentOp())
    owner = owner->getParentOp();
  return getTileSet(owner).value_or(TileSet::Compute);
}

std::optional<RecomputeKind> mlir::pop::getRecompute(Operation *op) {
  return getEnum<RecomputeKindAttr>(op, PopDialect::kRecomputeAttrName);
}

std::optional<ExecutionContext> mlir::pop::getExecutionContext(Operation *op) {
  return getEnum<ExecutionContextAttr>(op,
                                       PopDialect::kExecutionContextAttrName);
}

bool mlir::pop::isPlaceable(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<FunctionOpInterface, ModuleOp>(op);
}

bool mlir::pop::isPlacementAttr(StringRef name) {
  return llvm::is_contained(kPlacementAttrNames, name);
}

DictionaryAttr mlir::pop::getPlacement(Operation *op) {
  NamedAttrList placement;
  for (StringRef name : kPlacementAttrNames)
    if (Attribute value = op->getAttr(name))
      placement.append(name, value);
  return placement.getDictionary(op->getContext());
}

/// Gives `op` the attributes of `placement` that it has not. The ops of a
/// stage, or of a phase, are on one virtual graph: an op on another one gets
/// neither.
static void addPlacement(Operation *op, DictionaryAttr placement) {
  if (!isPlaceable(op))
    return;
  Attribute vgraph = op->getAttr(PopDialect::kVgraphAttrName);
  Attribute other = placement.get(PopDialect::kVgraphAttrName);
  bool isElsewhere = vgraph && other && vgraph != other;
  for (NamedAttribute attribute : placement) {
    StringAttr name = attribute.getName();
    if (isElsewhere && (name == PopDialect::kStageAttrName ||
                        name == PopDialect::kPhaseAttrName))
      continue;
    if (!op->hasAttr(name))
      op->setAttr(name, attribute.getValue());
  }
}

void mlir::pop::inheritPlacement(Operation *from, Operation *to) {
  addPlacement(to, getPlacement(from));
}

static constexpr StringLiteral kScheduleAttrNames[] = {
    PopDialect::kVgraphAttrName, PopDialect::kStageAttrName,
    PopDialect::kPhaseAttrName, PopDialect::kBatchPhaseAttrName};

bool mlir::pop::hasSchedule(Operation *op) {
  return llvm::any_of(kScheduleAttrNames,
                      [&](StringRef name) { return op->hasAttr(name); });
}

DictionaryAttr mlir::pop::getSchedule(Operation *op) {
  NamedAttrList schedule;
  for (StringRef name : kScheduleAttrNames)
    if (Attribute value = op->getAttr(name))
      schedule.append(name, value);
  return schedule.getDictionary(op->getContext());
}

void mlir::pop::inheritSchedule(Operation *from, Operation *to) {
  addPlacement(to, getSchedule(from));
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

void PlacementListener::notifyPatternBegin(const Pattern &, Operation *op) {
  root = pop::getPlacement(op);
}

void PlacementListener::notifyPatternEnd(const Pattern &, LogicalResult) {
  root = {};
}

void PlacementListener::notifyOperationInserted(
    Operation *op, OpBuilder::InsertPoint previous) {
  if (previous.isSet())
    return;
  // A fold materializes its constants right before the op that it folds.
  if (root)
    addPlacement(op, root);
  else if (Operation *folded = op->getNextNode())
    inheritPlacement(folded, op);
}
