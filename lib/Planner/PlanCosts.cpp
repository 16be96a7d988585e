//===- PlanCosts.cpp - Costs of the choices of a program --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the cycles of the steps of a program for given choices, and lower
// bounds of these cycles.
//
//===----------------------------------------------------------------------===//

#include "ProgramGraph.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu;

SmallVector<unsigned> ProgramGraph::getTensors(const PlanStep &step) const {
  SmallVector<unsigned> result = {step.tensor};
  for (const PlanOperand &operand : step.operands)
    if (!llvm::is_contained(result, operand.tensor))
      result.push_back(operand.tensor);
  return result;
}

/// Adds the moves that bring the operands of a compute step to the tiles that
/// read them.
static void addMoves(const PlanStep &step, const TileMappingChoice &result,
                     function_ref<TileMappingAttr(unsigned)> getTileMapping,
                     SmallVectorImpl<ExchangeMove> &moves) {
  CodeletCostAttr cost = result.problem->cost;
  int64_t rows = cost && cost.hasRowPointers() ? cost.getCombined() : 0;
  for (const PlanOperand &operand : step.operands) {
    TileMappingAttr mapping = getTileMapping(operand.tensor),
                    access = result.inputs[operand.index];
    if (operand.isWhole && mapping.getLayout() &&
        followsOperand(result.problem->form, operand.index))
      access = getInputTileMapping(result.problem->form, result.blocks,
                                   operand.index, result.mapping, mapping);
    if (operand.isWhole && mapping.isEquivalentTo(access))
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
static bool joinsEarlier(const PlanStep &step, ArrayRef<ExchangeMove> moves) {
  return llvm::all_of(step.operands, [&](const PlanOperand &operand) {
    return operand.isEarly ||
           llvm::none_of(moves, [&](const ExchangeMove &move) {
             return move.source == operand.source;
           });
  });
}

int64_t ProgramGraph::getCost(const PlanStep &step, ArrayRef<unsigned> choices,
                              StepCosts &costs) const {
  return (Count(getCostOnce(step, choices, costs, /*mayMerge=*/true)) *
          step.times)
      .get();
}

int64_t ProgramGraph::getUnmergedCost(ArrayRef<unsigned> choices,
                                      StepCosts &costs) const {
  Count sum = fixedCost;
  for (const PlanStep &step : steps)
    sum += Count(getCostOnce(step, choices, costs, /*mayMerge=*/false)) *
           step.times;
  return sum.get();
}

int64_t ProgramGraph::getSharedCost(ArrayRef<unsigned> choices,
                                    StepCosts &costs) const {
  auto getTileMapping = [&](unsigned tensor) {
    return tensors[tensor].choices[choices[tensor]].mapping;
  };
  // The keys of the moves of each tensor since it was last written.
  DenseMap<unsigned, llvm::StringSet<>> moved;
  Count sum = fixedCost;
  for (const PlanStep &step : steps) {
    const TileMappingChoice &result =
        tensors[step.tensor].choices[choices[step.tensor]];
    if (step.kind == PlanStep::Kind::Compute && result.problem &&
        !isFree(step, choices)) {
      SmallVector<ExchangeMove, 2> moves;
      addMoves(step, result, getTileMapping, moves);
      llvm::erase_if(moves, [&](const ExchangeMove &move) {
        ContentKey key;
        key << step.op->getBlock() << move.from
            << move.toMapping.getAsOpaquePointer();
        return !moved[move.source].insert(key.get()).second;
      });
      sum += (Count(step.isExchangeOnly ? 0 : result.computeCycles) +
              costs.getExchange(moves, joinsEarlier(step, moves))) *
             step.times;
    } else {
      sum += getCost(step, choices, costs);
    }
    if (step.kind != PlanStep::Kind::HostStore)
      moved.erase(step.tensor);
  }
  return sum.get();
}

/// Returns whether the op of a compute step is part of the vertices of the
/// previous step.
bool ProgramGraph::isFree(const PlanStep &step,
                          ArrayRef<unsigned> choices) const {
  if (!step.roundsSums || !step.operands.front().isWhole)
    return false;
  auto getChosen = [&](unsigned tensor) -> const TileMappingChoice & {
    return tensors[tensor].choices[choices[tensor]];
  };
  return getChosen(step.operands.front().tensor)
      .mapping.isEquivalentTo(getChosen(step.tensor).inputs.front());
}

/// Returns whether the op that computes the operand of a copy writes it
/// directly to the target of the copy.
bool ProgramGraph::isForwarded(const PlanStep &step,
                               ArrayRef<unsigned> choices) const {
  auto getTileMapping = [&](unsigned tensor) {
    return tensors[tensor].choices[choices[tensor]].mapping;
  };
  return step.canForward && getTileMapping(step.operands.front().tensor)
                                .isEquivalentTo(getTileMapping(step.tensor));
}

int64_t ProgramGraph::getComputeCost(ArrayRef<unsigned> choices) const {
  Count sum = fixedCost;
  for (const PlanStep &step : steps)
    if (step.kind == PlanStep::Kind::Compute && !step.isExchangeOnly &&
        !isFree(step, choices))
      sum += Count(tensors[step.tensor]
                       .choices[choices[step.tensor]]
                       .computeCycles) *
             step.times;
  return sum.get();
}

int64_t ProgramGraph::getLeastCost(StepCosts &costs) const {
  Count sum = fixedCost;
  for (const PlanStep &step : steps) {
    const PlanTensor &tensor = tensors[step.tensor];
    bool isHost = step.kind == PlanStep::Kind::HostLoad ||
                  step.kind == PlanStep::Kind::HostStore;
    if (!isHost && step.kind != PlanStep::Kind::Compute)
      continue;
    Type elementType = tensor.getType().getElementType();
    int64_t least = INT64_MAX;
    for (const TileMappingChoice &choice : tensor.choices)
      least = std::min(least,
                       isHost ? costs.getHostCopy(choice.mapping, elementType)
                       : step.roundsSums ? 0
                                         : choice.computeCycles);
    sum += Count(least) * step.times;
  }
  return sum.get();
}

int64_t ProgramGraph::getCostOnce(const PlanStep &step,
                                  ArrayRef<unsigned> choices, StepCosts &costs,
                                  bool mayMerge) const {
  auto getChosen = [&](unsigned tensor) -> const TileMappingChoice & {
    return tensors[tensor].choices[choices[tensor]];
  };
  auto getTileMapping = [&](unsigned tensor) {
    return getChosen(tensor).mapping;
  };
  auto getExchange = [&](ArrayRef<ExchangeMove> moves) {
    return costs.getExchange(moves, mayMerge && joinsEarlier(step, moves));
  };
  const TileMappingChoice &result = getChosen(step.tensor);
  ShapedType type = tensors[step.tensor].getType();
  SmallVector<ExchangeMove, 2> moves;
  switch (step.kind) {
  case PlanStep::Kind::HostLoad:
  case PlanStep::Kind::HostStore:
    return costs.getHostCopy(result.mapping, type.getElementType());
  case PlanStep::Kind::Compute:
    // A given tile mapping that is not a partition has no cost. The conversion
    // will report an error.
    if (!result.problem || isFree(step, choices))
      return 0;
    addMoves(step, result, getTileMapping, moves);
    return (step.isExchangeOnly ? 0 : result.computeCycles) +
           getExchange(moves);
  case PlanStep::Kind::Copy: {
    const PlanOperand &operand = step.operands.front();
    if (isForwarded(step, choices))
      return 0;
    moves.push_back(
        {getTileMapping(operand.tensor), result.mapping, operand.view,
         step.to ? *step.to : StridedView::identity(operand.view.sizes),
         operand.elementBytes, operand.source});
    return getExchange(moves);
  }
  case PlanStep::Kind::Move: {
    auto op = cast<TileMoveOpInterface>(step.op);
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    SmallVector<TileMove> regions = op.getTileMoves();
    for (const PlanOperand &operand : step.operands) {
      StridedView tileRegion{0, operand.view.sizes, strides};
      for (auto [offset, stride] :
           llvm::zip_equal(regions[operand.index].offsets, strides))
        tileRegion.offset += offset * stride;
      moves.push_back({getTileMapping(operand.tensor), result.mapping,
                       operand.view, tileRegion, operand.elementBytes,
                       operand.source});
    }
    int64_t fill = op.getTileFill() && !step.isExchangeOnly
                       ? costs.getFill(result.mapping, type.getElementType())
                       : 0;
    return fill + getExchange(moves);
  }
  }
  llvm_unreachable("covered switch");
}
