//===- ProgramPlan.cpp - Maps of a whole program ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ProgramPlan.h"

#include "ProgramGraph.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Planner/ChoiceProblem.h"
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

namespace {
class ProgramPlanner {
public:
  /// Plans as if each run of an exchange took `runCycles` more.
  ProgramPlanner(func::FuncOp function, const FunctionCalls &calls,
                 const ProgramPlanOptions &options,
                 const VariableTileMappings &variables, StepCosts &ownCosts,
                 int64_t runCycles)
      : function(function), options(options), own(getTargetModel(function)),
        target(withRunCycles(own, runCycles)), cache(target),
        costs(target, kMaxPieces), ownCosts(ownCosts),
        graph(function, calls, target, cache, options.plan, variables) {}

  FailureOr<ProgramPlan> run();

private:
  using Choices = SmallVector<unsigned>;

  static TargetModel withRunCycles(TargetModel target, int64_t more) {
    target.exchange_run_cycles += more;
    return target;
  }

  int64_t getCost(ArrayRef<unsigned> choices, StepCosts &costs);
  int64_t getCost(ArrayRef<unsigned> choices) {
    return getCost(choices, costs);
  }
  Choices chooseInOrder();
  Choices chooseTogether(ArrayRef<unsigned> start);
  void addStepCost(ChoiceProblem &problem, const PlanStep &step);
  std::shared_ptr<const CostTable> getTable(const PlanStep &step,
                                            ArrayRef<unsigned> variables);
  void setTileMapping(const PlanTensor &tensor, TileMappingAttr mapping);

  func::FuncOp function;
  const ProgramPlanOptions &options;
  TargetModel own, target;
  PlanCache cache;
  /// What is minimised, and what the target says.
  StepCosts costs, &ownCosts;
  ProgramGraph graph;
  ProgramPlan plan;
  llvm::StringMap<std::shared_ptr<const CostTable>> tables;

  /// Most pieces of a move that may be chosen for what it costs: there are
  /// thousands of moves to look at.
  static constexpr int64_t kMaxPieces = int64_t(1) << 19;
  /// Most entries of the table of one step. A step that reads many tensors has
  /// a table for each of them instead, as if it moved them one after the other.
  static constexpr int64_t kMaxStepEntries = 4096;
};
} // namespace

int64_t ProgramPlanner::getCost(ArrayRef<unsigned> choices, StepCosts &costs) {
  Count sum = graph.fixedCost;
  for (const PlanStep &step : graph.steps)
    sum += graph.getCost(step, choices, costs);
  return sum.get();
}

/// Each op's best choice, in program order; leaves have their generic maps.
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

/// The step's costs for all choices of `variables`; equal steps share a table.
/// Other tensors of the step have their first choice.
std::shared_ptr<const CostTable>
ProgramPlanner::getTable(const PlanStep &step, ArrayRef<unsigned> variables) {
  ContentKey key;
  key << static_cast<int64_t>(step.kind)
      << static_cast<int64_t>(step.isExchangeOnly) << step.times
      << static_cast<int64_t>(step.canForward);
  if (step.to)
    key << *step.to;
  // The fill and the boxes of a move are its op's.
  if (step.kind == PlanStep::Kind::Move)
    key << step.op;
  SmallVector<unsigned> ofStep = graph.getTensors(step);
  for (const PlanOperand &operand : step.operands)
    key << static_cast<int64_t>(llvm::find(ofStep, operand.tensor) -
                                ofStep.begin())
        << static_cast<int64_t>(operand.index) << operand.view;
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
  Choices choices(graph.tensors.size(), 0);
  costs.askTwice(function.getContext(), [&] {
    table->clear();
    while (true) {
      table->push_back(graph.getCost(step, choices, costs));
      size_t i = variables.size();
      while (i > 0 && ++choices[variables[i - 1]] ==
                          graph.tensors[variables[i - 1]].choices.size())
        choices[variables[--i]] = 0;
      if (i == 0)
        break;
    }
  });
  it->second = table;
  return table;
}

void ProgramPlanner::addStepCost(ChoiceProblem &problem, const PlanStep &step) {
  SmallVector<unsigned> variables = graph.getTensors(step);
  Count entries = 1;
  for (unsigned tensor : variables)
    entries = entries * graph.tensors[tensor].choices.size();
  if (entries.get() <= kMaxStepEntries)
    return problem.addCost(variables, getTable(step, variables));
  PlanStep part = step;
  for (unsigned tensor : variables) {
    if (tensor == step.tensor)
      continue;
    part.operands = llvm::filter_to_vector<2>(
        step.operands,
        [&](const PlanOperand &operand) { return operand.tensor == tensor; });
    problem.addCost({step.tensor, tensor},
                    getTable(part, {step.tensor, tensor}));
    part.isExchangeOnly = true;
  }
}

SmallVector<unsigned> ProgramPlanner::chooseTogether(ArrayRef<unsigned> start) {
  ChoiceProblem problem;
  for (const PlanTensor &tensor : graph.tensors)
    problem.addVariable(tensor.choices.size());
  for (const PlanStep &step : graph.steps)
    addStepCost(problem, step);
  ChoiceProblem::Solution solution = problem.solve(start);
  plan.isOptimal = solution.isOptimal;
  return solution.choices;
}

void ProgramPlanner::setTileMapping(const PlanTensor &tensor,
                                    TileMappingAttr mapping) {
  if (auto variable = tensor.value.getDefiningOp<pop::GetVariableOp>())
    plan.variables[variable.getVariableAttr().getAttr()] = mapping;
  else if (tensor.op || isa<BlockArgument>(tensor.value))
    plan.mappings[tensor.value] = mapping;
}

FailureOr<ProgramPlan> ProgramPlanner::run() {
  if (failed(graph.build()))
    return failure();
  Choices generic(graph.tensors.size(), 0);
  for (const PlanTensor &tensor : graph.tensors)
    setTileMapping(tensor, tensor.choices.front().mapping);
  auto useGeneric = [&] {
    ownCosts.takeCodeBytes();
    plan.genericCycles = plan.cycles = getCost(generic, ownCosts);
    plan.codeBytes = ownCosts.takeCodeBytes();
  };
  if (options.kind == PlannerKind::Program) {
    // Choices replace those that are generic.
    SmallVector<PlanTensor, 0> tensors = graph.tensors;
    plan.genericCycles = graph.getComputeCost(generic);
    graph.addChoices();
    Choices choices = chooseInOrder();
    plan.greedyCycles = getCost(choices);
    executeStep<PlanProgramAction>(function, [&] {
      Choices together = chooseTogether(choices);
      if (getCost(together) < getCost(choices))
        choices = std::move(together);
    });
    ownCosts.takeCodeBytes();
    int64_t cycles = getCost(choices, ownCosts);
    int64_t codeBytes = ownCosts.takeCodeBytes();
    // Exchanges between generic mappings take long to analyse.
    if (cycles >= plan.genericCycles) {
      std::swap(tensors, graph.tensors);
      useGeneric();
      std::swap(tensors, graph.tensors);
    }
    if (cycles < plan.genericCycles) {
      plan.cycles = cycles;
      plan.codeBytes = codeBytes;
      for (auto [tensor, choice] : llvm::zip_equal(graph.tensors, choices))
        setTileMapping(tensor, tensor.choices[choice].mapping);
    }
  } else {
    useGeneric();
  }
  for (Operation *planned : graph.functions)
    plan.functions.push_back(cast<func::FuncOp>(planned));
  plan.numExchanges = costs.getNumAnalyses();
  plan.numPlans = cache.getNumQueries();
  plan.numPlanHits = cache.getNumHits();
  return std::move(plan);
}

FailureOr<ProgramPlan>
mlir::ipu::planProgram(func::FuncOp function, const FunctionCalls &calls,
                       const ProgramPlanOptions &options,
                       const VariableTileMappings &variables) {
  TargetModel target = getTargetModel(function);
  StepCosts costs(target, kMaxExchangePieces);
  FailureOr<ProgramPlan> plan =
      ProgramPlanner(function, calls, options, variables, costs, 0).run();
  if (failed(plan) || options.kind != PlannerKind::Program)
    return plan;
  // Code costs no time, but it has to fit beside that of vertices: plan again
  // with fewer runs, which are what it is for.
  int64_t room = target.code_memory / 5 * 4;
  for (int64_t runCycles : {6, 14, 30}) {
    if (plan->codeBytes <= room)
      break;
    FailureOr<ProgramPlan> other =
        ProgramPlanner(function, calls, options, variables, costs, runCycles)
            .run();
    if (succeeded(other) && other->codeBytes < plan->codeBytes)
      plan = std::move(other);
  }
  return plan;
}
