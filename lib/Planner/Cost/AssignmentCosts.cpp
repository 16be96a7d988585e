//===- AssignmentCosts.cpp - Cycles of assignments --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the numbers of ipu-estimate-cost. AssignmentMemory.cpp predicts the
// memory of tiles.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Cost/AssignmentCosts.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Support/ContentKey.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the chosen tile mapping of an operand, with the tile numbers of its
/// step.
TileMappingAttr
AssignmentCosts::getTileMapping(const ModelOperand &operand,
                                ArrayRef<unsigned> choices) const {
  return moveTiles(getChosen(operand.tensor, choices).mapping,
                   operand.tileOffset);
}

/// Returns the chosen tile mapping of the tensor that a step writes, with the
/// tile numbers of the step.
TileMappingAttr
AssignmentCosts::getTileMapping(const ModelStep &step,
                                ArrayRef<unsigned> choices) const {
  return moveTiles(getChosen(step.tensor, choices).mapping, step.tileOffset);
}

/// Adds the moves that bring the operands of a Compute step to the tiles that
/// read them.
void AssignmentCosts::addMoves(const ModelStep &step,
                               ArrayRef<unsigned> choices,
                               SmallVectorImpl<ExchangeMove> &moves) const {
  const Candidate &result = getChosen(step.tensor, choices);
  CodeletCostAttr cost = result.problem->cost;
  int64_t rows = cost && cost.hasRowPointers() ? cost.getCombined() : 0;
  for (const ModelOperand &operand : step.operands) {
    TileMappingAttr mapping = getTileMapping(operand, choices),
                    access = result.inputs[operand.index];
    if (operand.isWhole && mapping.getLayout() &&
        followsOperand(result.problem->form, operand.index))
      access = getInputTileMapping(result.problem->form, result.blocks,
                                   operand.index, result.mapping, mapping);
    access = moveTiles(access, step.tileOffset);
    if (isHeldAs(mapping, operand.view, access))
      continue;
    bool isThere = llvm::any_of(moves, [&](const ExchangeMove &move) {
      return move.source == operand.source && move.toMapping == access &&
             move.from.offset == operand.view.offset &&
             move.from.sizes == operand.view.sizes &&
             move.from.strides == operand.view.strides;
    });
    if (!isThere)
      moves.push_back({mapping, access, operand.view,
                       StridedView::identity(operand.view.sizes),
                       operand.elementBytes, operand.source,
                       operand.index == 0 ? rows : 0});
  }
}

/// Returns whether all `moves` of the step can be merged into earlier
/// exchanges.
static bool joinsEarlier(const ModelStep &step, ArrayRef<ExchangeMove> moves) {
  return llvm::all_of(step.operands, [&](const ModelOperand &operand) {
    return operand.isEarly ||
           llvm::none_of(moves, [&](const ExchangeMove &move) {
             return move.source == operand.source;
           });
  });
}

/// Returns whether the ops of a Compute step are part of the vertices of the
/// step that computes its operand.
bool AssignmentCosts::joinsProducer(const ModelStep &step,
                                    ArrayRef<unsigned> choices) const {
  const Candidate &result = getChosen(step.tensor, choices);
  if (!step.mayJoinProducer || !step.operands.front().isWhole ||
      !result.problem)
    return false;
  TileMappingAttr access = moveTiles(result.inputs.front(), step.tileOffset);
  return getTileMapping(step.operands.front(), choices).isEquivalentTo(access);
}

/// Returns whether the op that computes the operand of a copy writes it
/// directly to the target of the copy.
bool AssignmentCosts::isForwarded(const ModelStep &step,
                                  ArrayRef<unsigned> choices) const {
  return step.canForward && getTileMapping(step.operands.front(), choices)
                                .isEquivalentTo(getTileMapping(step, choices));
}

int64_t AssignmentCosts::getStepCycles(const ModelStep &step,
                                       ArrayRef<unsigned> choices,
                                       bool isExchangeOnly) const {
  return (Count(getCyclesOnce(step, choices, isExchangeOnly,
                              /*mayMerge=*/true)) *
          step.times)
      .get();
}

int64_t AssignmentCosts::getCycles(ArrayRef<unsigned> choices) const {
  Count sum = model.getFixedCycles();
  for (const ModelStep &step : model.getSteps())
    sum += getStepCycles(step, choices);
  return sum.get();
}

int64_t AssignmentCosts::getUnmergedCycles(ArrayRef<unsigned> choices) const {
  Count sum = model.getFixedCycles();
  for (const ModelStep &step : model.getSteps())
    sum += Count(getCyclesOnce(step, choices, /*isExchangeOnly=*/false,
                               /*mayMerge=*/false)) *
           step.times;
  return sum.get();
}

int64_t AssignmentCosts::getSharedCycles(ArrayRef<unsigned> choices) const {
  // The keys of the moves of each tensor since it was last written.
  DenseMap<unsigned, llvm::StringSet<>> moved;
  Count sum = model.getFixedCycles();
  for (const ModelStep &step : model.getSteps()) {
    const Candidate &result = getChosen(step.tensor, choices);
    if (step.kind == ModelStep::Kind::Compute && result.problem &&
        !joinsProducer(step, choices)) {
      SmallVector<ExchangeMove, 2> moves;
      addMoves(step, choices, moves);
      llvm::erase_if(moves, [&](const ExchangeMove &move) {
        ContentKey key;
        key << static_cast<int64_t>(step.block) << move.from
            << move.toMapping.getAsOpaquePointer();
        return !moved[move.source].insert(key.get()).second;
      });
      sum += (Count(result.computeCycles) +
              exchanges.getExchange(moves, joinsEarlier(step, moves))) *
             step.times;
    } else {
      sum += getStepCycles(step, choices);
    }
    if (step.kind != ModelStep::Kind::HostStore)
      moved.erase(step.tensor);
  }
  return sum.get();
}

int64_t AssignmentCosts::getComputeCycles(ArrayRef<unsigned> choices) const {
  Count sum = model.getFixedCycles();
  for (const ModelStep &step : model.getSteps())
    if (step.kind == ModelStep::Kind::Compute && !joinsProducer(step, choices))
      sum += Count(getChosen(step.tensor, choices).computeCycles) * step.times;
  return sum.get();
}

int64_t AssignmentCosts::getLeastCycles() const {
  Count sum = model.getFixedCycles();
  for (const ModelStep &step : model.getSteps()) {
    bool isHost = step.kind == ModelStep::Kind::HostLoad ||
                  step.kind == ModelStep::Kind::HostStore;
    if (!isHost && step.kind != ModelStep::Kind::Compute)
      continue;
    Type elementType = model.getTensor(step.tensor).elementType;
    int64_t least = INT64_MAX;
    for (const Candidate &candidate : lists[step.tensor])
      least = std::min(
          least, isHost                 ? exchanges.getHostCopy(
                                              moveTiles(candidate.mapping, step.tileOffset),
                                              elementType)
                 : step.mayJoinProducer ? 0
                                        : candidate.computeCycles);
    sum += Count(least) * step.times;
  }
  return sum.get();
}

int64_t AssignmentCosts::getCyclesOnce(const ModelStep &step,
                                       ArrayRef<unsigned> choices,
                                       bool isExchangeOnly,
                                       bool mayMerge) const {
  const Candidate &result = getChosen(step.tensor, choices);
  Type elementType = model.getTensor(step.tensor).elementType;
  SmallVector<ExchangeMove, 2> moves;
  int64_t compute = 0;
  switch (step.kind) {
  case ModelStep::Kind::HostLoad:
  case ModelStep::Kind::HostStore:
    return exchanges.getHostCopy(getTileMapping(step, choices), elementType);
  case ModelStep::Kind::Compute:
    // A given tile mapping that is not a partition has no cost. The conversion
    // will report an error.
    if (!result.problem || joinsProducer(step, choices))
      return 0;
    addMoves(step, choices, moves);
    compute = result.computeCycles;
    break;
  case ModelStep::Kind::Reorder:
  case ModelStep::Kind::Copy:
  case ModelStep::Kind::Move:
    if (isForwarded(step, choices))
      return 0;
    for (const ModelOperand &operand : step.operands)
      moves.push_back(
          {getTileMapping(operand, choices), getTileMapping(step, choices),
           operand.view,
           operand.to ? *operand.to : StridedView::identity(operand.view.sizes),
           operand.elementBytes, operand.source});
    if (step.fills)
      compute = exchanges.getFill(result.mapping, elementType);
    break;
  }
  return (isExchangeOnly ? 0 : compute) +
         exchanges.getExchange(moves, mayMerge && joinsEarlier(step, moves));
}
