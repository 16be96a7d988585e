//===- ProgramPlanner.cpp - Choices for one share of memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPlanner.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Support/Actions.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu {
/// The choice of tile mappings for all tensors of a function together.
class PlanProgramAction : public StepAction<PlanProgramAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "ipu-plan-program";
  static constexpr StringLiteral text = "choose tile mappings together in";
};
} // namespace mlir::ipu

int64_t ProgramPlanner::getCost(ArrayRef<unsigned> choices, StepCosts &costs) {
  Count sum = graph.fixedCost;
  for (const PlanStep &step : graph.steps)
    sum += graph.getCost(step, choices, costs);
  return sum.get();
}

/// Sets the plan to the generic plan if the generic plan takes at most `limit`
/// cycles. Otherwise, sets only `genericCycles`, to a lower bound of its
/// cycles.
void ProgramPlanner::evaluateGeneric(int64_t limit) {
  Choices generic(graph.tensors.size(), 0);
  // The analysis of a generic exchange takes long, in particular if many
  // elements are moved. Therefore steps that move few elements come first;
  // their cycles often exceed the limit.
  SmallVector<std::pair<int64_t, size_t>> ordered;
  for (auto [index, step] : llvm::enumerate(graph.steps)) {
    Count elements;
    for (const PlanOperand &operand : step.operands)
      elements += operand.view.getNumElements();
    ordered.push_back({elements.get(), index});
  }
  llvm::sort(ordered);
  ownCosts.takeCodeBytes();
  Count sum = graph.fixedCost;
  for (auto [elements, index] : ordered) {
    sum += graph.getCost(graph.steps[index], generic, ownCosts);
    plan.genericCycles = sum.get();
    if (plan.genericCycles > limit)
      return;
  }
  plan.genericCycles = plan.cycles = sum.get();
  plan.codeBytes = takeCodeBytes();
  setMemoryAndSharing(generic);
}

/// Chooses the best choice of each op, in program order. Tensors that exist
/// before the program have their generic tile mappings.
SmallVector<unsigned> ProgramPlanner::chooseInOrder() {
  Choices choices(graph.tensors.size(), 0);
  for (const PlanStep &step : graph.steps) {
    if (step.kind != PlanStep::Kind::Compute &&
        step.kind != PlanStep::Kind::Move)
      continue;
    unsigned best = 0;
    costs.askTwice(function.getContext(), [&] {
      int64_t least = INT64_MAX;
      for (unsigned choice = 0;
           choice < graph.tensors[step.tensor].choices.size(); ++choice) {
        choices[step.tensor] = choice;
        int64_t cost = graph.getCost(step, choices, costs);
        if (cost < least) {
          least = cost;
          best = choice;
        }
      }
    });
    choices[step.tensor] = best;
  }
  return choices;
}

/// Returns the choices of the plan `start`. Adds the tile mappings of this plan
/// that are not yet choices.
SmallVector<unsigned> ProgramPlanner::getStart() {
  Choices choices(graph.tensors.size(), 0);
  for (auto [index, tensor] : llvm::enumerate(graph.tensors)) {
    TileMappingAttr mapping;
    if (auto variable = tensor.value.getDefiningOp<pop::GetVariableOp>())
      mapping = start->variables.lookup(variable.getVariableAttr().getAttr());
    else if (tensor.result)
      mapping = start->results.lookup(*tensor.result);
    else
      mapping = start->mappings.lookup(tensor.value);
    if (mapping)
      choices[index] = graph.getOrAddChoice(index, mapping);
  }
  return choices;
}

/// Returns the table of the step for all choices of the tensors `variables`.
/// Equal steps share a table. A new table is empty, and is added to
/// `newTables`.
std::shared_ptr<const CostTable>
ProgramPlanner::getTable(const PlanStep &step, ArrayRef<unsigned> variables,
                         StepTables &newTables) {
  ContentKey key;
  key << static_cast<int64_t>(step.kind)
      << static_cast<int64_t>(step.isExchangeOnly) << step.times
      << static_cast<int64_t>(step.canForward)
      << static_cast<int64_t>(step.roundsSums);
  if (step.to)
    key << *step.to;
  // The fill and the regions of a move depend on its op.
  if (step.kind == PlanStep::Kind::Move)
    key << step.op;
  SmallVector<unsigned> ofStep = graph.getTensors(step);
  for (const PlanOperand &operand : step.operands)
    key << static_cast<int64_t>(llvm::find(ofStep, operand.tensor) -
                                ofStep.begin())
        << static_cast<int64_t>(operand.index)
        << static_cast<int64_t>(operand.isEarly) << operand.view
        << operand.elementBytes
        << static_cast<int64_t>(llvm::find_if(step.operands,
                                              [&](const PlanOperand &other) {
                                                return other.source ==
                                                       operand.source;
                                              }) -
                                step.operands.begin());
  for (unsigned tensor : ofStep) {
    bool varies = llvm::is_contained(variables, tensor);
    key << static_cast<int64_t>(varies)
        << graph.tensors[tensor]
               .getType()
               .getElementType()
               .getAsOpaquePointer();
    auto choices = ArrayRef(graph.tensors[tensor].choices);
    for (const TileMappingChoice &choice :
         varies ? choices : choices.take_front()) {
      key << choice.mapping.getAsOpaquePointer();
      if (tensor == step.tensor)
        key << choice.problem << choice.blocks;
    }
  }
  ++plan.numTables;
  auto [it, isNew] = tables.try_emplace(key.get());
  if (!isNew) {
    ++plan.numTableHits;
    return it->second;
  }
  auto table = std::make_shared<CostTable>();
  newTables.push_back({table, step, SmallVector<unsigned>(variables)});
  it->second = table;
  return table;
}

void ProgramPlanner::fill(const StepTable &table) {
  Choices choices(graph.tensors.size(), 0);
  table.costs->clear();
  while (true) {
    table.costs->push_back(graph.getCost(table.step, choices, costs));
    size_t i = table.variables.size();
    while (i > 0 && ++choices[table.variables[i - 1]] ==
                        graph.tensors[table.variables[i - 1]].choices.size())
      choices[table.variables[--i]] = 0;
    if (i == 0)
      break;
  }
}

void ProgramPlanner::addStepCost(ChoiceProblem &problem, const PlanStep &step,
                                 StepTables &newTables) {
  SmallVector<unsigned> variables = graph.getTensors(step);
  Count entries = 1;
  for (unsigned tensor : variables)
    entries = entries * graph.tensors[tensor].choices.size();
  if (entries.get() <= kMaxStepEntries)
    return problem.addCost(variables, getTable(step, variables, newTables));
  isExact = false;
  PlanStep part = step;
  for (unsigned tensor : variables) {
    if (tensor == step.tensor)
      continue;
    part.operands = llvm::filter_to_vector<2>(
        step.operands,
        [&](const PlanOperand &operand) { return operand.tensor == tensor; });
    problem.addCost({step.tensor, tensor},
                    getTable(part, {step.tensor, tensor}, newTables));
    part.isExchangeOnly = true;
  }
}

/// Returns the problem whose variables are the choices of the tensors, and
/// whose costs are the costs of the steps. The exchanges of all tables are
/// analysed together, so that all threads have work.
ChoiceProblem ProgramPlanner::createProblem() {
  ChoiceProblem problem;
  for (const PlanTensor &tensor : graph.tensors)
    problem.addVariable(tensor.choices.size());
  StepTables newTables;
  for (const PlanStep &step : graph.steps)
    addStepCost(problem, step, newTables);
  costs.askTwice(function.getContext(), [&] {
    for (const StepTable &table : newTables)
      fill(table);
  });
  return problem;
}

SmallVector<unsigned>
ProgramPlanner::chooseTogether(const ChoiceProblem &problem,
                               ArrayRef<unsigned> start) {
  ChoiceProblem::Solution solution = problem.solve(start);
  plan.isOptimal = isExact && solution.isOptimal;
  return solution.choices;
}

/// Chooses the first or the last tiles for each tensor, with the tile mappings
/// of `choices`. If an exchange leaves a few elements on their tile, their copy
/// within the tile takes longer than the moves of other tiles, which wait.
SmallVector<unsigned> ProgramPlanner::chooseTiles(ArrayRef<unsigned> choices) {
  graph.keepOnly(choices);
  graph.addLastTiles();
  Choices first(graph.tensors.size(), 0), best = first;
  bool wasOptimal = plan.isOptimal;
  executeStep<PlanProgramAction>(
      function, [&] { best = chooseTogether(createProblem(), first); });
  plan.isOptimal &= wasOptimal;
  return best;
}

void ProgramPlanner::setTileMapping(const PlanTensor &tensor,
                                    TileMappingAttr mapping) {
  if (auto variable = tensor.value.getDefiningOp<pop::GetVariableOp>())
    plan.variables[variable.getVariableAttr().getAttr()] = mapping;
  else if (tensor.result)
    plan.results[*tensor.result] = mapping;
  else if (tensor.op || isa<BlockArgument>(tensor.value))
    plan.mappings[tensor.value] = mapping;
  for (Value clone : tensor.clones)
    plan.mappings[clone] = mapping;
}

void ProgramPlanner::setTileMappings(ArrayRef<unsigned> choices) {
  for (auto [tensor, choice] : llvm::zip_equal(graph.tensors, choices))
    setTileMapping(tensor, tensor.choices[choice].mapping);
}

int64_t ProgramPlanner::takeCodeBytes() {
  // Most steps consist of a compute set, a sync and an exchange. The code of
  // exchanges is counted separately.
  TargetModel target = getTargetModel(function);
  return (Count(ownCosts.takeCodeBytes()) +
          Count(graph.steps.size()) *
              (target.compute_set_code_bytes + target.sync_code_bytes))
      .get();
}

void ProgramPlanner::setMemoryAndSharing(ArrayRef<unsigned> choices) {
  plan.unmergedCycles = graph.getUnmergedCost(choices, ownCosts);
  plan.sharedCycles = graph.getSharedCost(choices, ownCosts);
  ownCosts.takeCodeBytes();
  ShareNeed need = graph.getShareNeed(choices);
  plan.dataBytes = graph.getDataBytes(choices);
  plan.vertexBytes = graph.getVertexBytes();
  DenseMap<Operation *, TileMappingAttr> ofClones;
  for (auto [tensor, choice] : llvm::zip_equal(graph.tensors, choices)) {
    if (!tensor.isConstant())
      continue;
    TileMappingAttr mapping = tensor.choices[choice].mapping;
    plan.copiesConstants |= !mapping.coversOnce();
    if (auto it = options.clones.find(tensor.op); it != options.clones.end())
      plan.copiesConstants |=
          ofClones.try_emplace(it->second.first, mapping).first->second !=
          mapping;
  }
  plan.shareBytes = need.bytes;
  plan.numOverShare = need.numOver;
}

FailureOr<ProgramPlan> ProgramPlanner::run(int64_t tooMany) {
  if (failed(graph.build()))
    return failure();
  if (!graph.hasTiles()) {
    plan.cycles = INT64_MAX;
    return std::move(plan);
  }
  Choices generic(graph.tensors.size(), 0);
  for (const PlanTensor &tensor : graph.tensors)
    setTileMapping(tensor, tensor.choices.front().mapping);
  if (options.kind == PlannerKind::Program) {
    // The tensors with only their generic choices, which addChoices() may
    // remove.
    SmallVector<PlanTensor, 0> tensors = graph.tensors;
    plan.genericCycles = graph.getComputeCost(generic);
    graph.addChoices();
    plan.listedPerMille = options.plan.memoryPerMille;
    plan.cycles = INT64_MAX;
    if (graph.getLeastCost(costs) >= tooMany)
      return std::move(plan);
    Choices choices;
    if (start)
      choices = getStart();
    // With the tables, most costs for chooseInOrder() are known.
    ChoiceProblem problem = createProblem();
    if (!start)
      choices = chooseInOrder();
    plan.greedyCycles = start ? start->greedyCycles : getCost(choices);
    executeStep<PlanProgramAction>(function, [&] {
      Choices together = chooseTogether(problem, choices);
      if (getCost(together) < getCost(choices))
        choices = std::move(together);
    });
    choices = chooseTiles(choices);
    ownCosts.takeCodeBytes();
    int64_t cycles = getCost(choices, ownCosts);
    int64_t codeBytes = takeCodeBytes();
    if (cycles >= plan.genericCycles) {
      std::swap(tensors, graph.tensors);
      evaluateGeneric(/*limit=*/cycles);
      std::swap(tensors, graph.tensors);
    }
    if (cycles < plan.genericCycles || plan.numOverShare > 0) {
      plan.cycles = cycles;
      plan.codeBytes = codeBytes;
      setMemoryAndSharing(choices);
      setTileMappings(choices);
    }
  } else {
    evaluateGeneric(/*limit=*/INT64_MAX);
  }
  for (Operation *planned : graph.functions)
    plan.functions.push_back(cast<func::FuncOp>(planned));
  plan.flatCycles = plan.cycles;
  plan.numExchanges = costs.getNumAnalyses();
  plan.numPlans = cache.getNumQueries();
  plan.numPlanHits = cache.getNumHits();
  return std::move(plan);
}

FailureOr<ProgramPlan> ProgramPlanner::evaluate() {
  if (failed(graph.build()))
    return failure();
  Choices choices = getStart();
  plan = *start;
  plan.isOptimal = false;
  ownCosts.takeCodeBytes();
  plan.cycles = plan.flatCycles = getCost(choices, ownCosts);
  plan.codeBytes = takeCodeBytes();
  setMemoryAndSharing(choices);
  return std::move(plan);
}
