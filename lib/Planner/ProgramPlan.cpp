//===- ProgramPlan.cpp - Tile mappings of a whole program -------*- C++ -*-===//
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
/// The caches that all plans of one function for one target share.
struct PlanKnowledge {
  /// In the costs, each run of an exchange takes `runCycles` additional cycles.
  PlanKnowledge(TargetModel own, int64_t runCycles)
      : target(withRunCycles(own, runCycles)), countsCycles(runCycles == 0),
        cache(target), costs(target, kMaxPieces) {}
  PlanKnowledge(const PlanKnowledge &) = delete;

  static TargetModel withRunCycles(TargetModel target, int64_t more) {
    target.exchange_run_cycles += more;
    return target;
  }

  TargetModel target;
  /// Whether costs are cycles, without additional cycles for runs that reduce
  /// the code.
  bool countsCycles;
  PlanCache cache;
  StepCosts costs;
  llvm::StringMap<std::shared_ptr<const CostTable>> tables;

  /// The greatest number of pieces of a move that the analysis visits while the
  /// planner compares costs. The limit is low because there are thousands of
  /// moves.
  static constexpr int64_t kMaxPieces = int64_t(1) << 19;
};

class ProgramPlanner {
public:
  /// `ownCosts` computes the costs of the target. The planner minimises the
  /// costs of `known`. With `start`, plans of ops are nested, and the search
  /// starts from this plan, which evaluate() evaluates.
  ProgramPlanner(func::FuncOp function, const FunctionCalls &calls,
                 const ProgramPlanOptions &options,
                 const VariableTileMappings &variables, StepCosts &ownCosts,
                 PlanKnowledge &known, const ProgramPlan *start)
      : function(function), options(options), cache(known.cache),
        costs(known.costs), ownCosts(ownCosts), tables(known.tables),
        isExact(known.countsCycles), start(start),
        graph(function, calls, known.target, cache, options.plan, variables,
              {/*isNested=*/start != nullptr, options.copies, options.clones}) {
  }

  /// Returns the best plan. If no plan takes fewer than `tooMany` cycles, or if
  /// it is unlikely that one does, returns a plan whose number of cycles is
  /// INT64_MAX.
  FailureOr<ProgramPlan> run(int64_t tooMany);
  /// Returns the plan `start` with its cycles and bytes on the target.
  FailureOr<ProgramPlan> evaluate();

private:
  using Choices = SmallVector<unsigned>;

  int64_t getCost(ArrayRef<unsigned> choices, StepCosts &costs);
  int64_t getCost(ArrayRef<unsigned> choices) {
    return getCost(choices, costs);
  }
  void evaluateGeneric(int64_t limit);
  Choices chooseInOrder();
  Choices getStart();
  ChoiceProblem createProblem();
  Choices chooseTogether(const ChoiceProblem &problem,
                         ArrayRef<unsigned> start);
  Choices chooseTiles(ArrayRef<unsigned> choices);
  /// A table of the costs of a step for all choices of the tensors `variables`.
  /// The other tensors of the step have their first choice.
  struct StepTable {
    std::shared_ptr<CostTable> costs;
    PlanStep step;
    SmallVector<unsigned> variables;
  };
  using StepTables = SmallVector<StepTable, 0>;
  void addStepCost(ChoiceProblem &problem, const PlanStep &step,
                   StepTables &newTables);
  std::shared_ptr<const CostTable> getTable(const PlanStep &step,
                                            ArrayRef<unsigned> variables,
                                            StepTables &newTables);
  void fill(const StepTable &table);
  int64_t takeCodeBytes();
  void setMemoryAndSharing(ArrayRef<unsigned> choices);
  void setTileMappings(ArrayRef<unsigned> choices);
  void setTileMapping(const PlanTensor &tensor, TileMappingAttr mapping);

  func::FuncOp function;
  const ProgramPlanOptions &options;
  PlanCache &cache;
  StepCosts &costs, &ownCosts;
  llvm::StringMap<std::shared_ptr<const CostTable>> &tables;
  /// Whether the entries of the tables add up to the cycles for all choices.
  bool isExact;
  const ProgramPlan *start;
  ProgramGraph graph;
  ProgramPlan plan;

  /// The greatest number of entries of the table of one step. A step that needs
  /// a larger table has a table for each tensor that it reads, as if it moved
  /// these tensors one after the other.
  static constexpr int64_t kMaxStepEntries = 4096;
};
} // namespace

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
        << static_cast<int64_t>(operand.isEarly) << operand.view;
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

/// Returns the shares of memory, per mille, for which planProgram() makes
/// plans, the greatest share first.
static ArrayRef<int64_t> getPlanShares() {
  static constexpr int64_t shares[] = {1000, 800, 650, 500, 400, 300, 250, 200,
                                       150,  100, 80,  60,  40,  30,  20,  0};
  return shares;
}

/// Returns the number of bytes of code that a plan may have. The rest of the
/// memory is for the code of vertices.
static int64_t getCodeRoom(const TargetModel &target) {
  return target.code_memory / 5 * 4;
}

std::pair<int64_t, int64_t> mlir::ipu::getPlanKey(const TargetModel &target,
                                                  const ProgramPlan &plan) {
  return {std::max<int64_t>(plan.codeBytes - getCodeRoom(target), 0),
          plan.cycles};
}

/// Returns whether plans with less memory than `plan` are not worth an attempt.
/// This holds if `plan` takes far more cycles than `best`. It also holds if the
/// code of `best` exceeds `room` and `plan` takes neither less code nor fewer
/// cycles.
static bool isHopeless(const ProgramPlan &plan, const ProgramPlan &best,
                       int64_t room) {
  if (plan.cycles == INT64_MAX)
    return true;
  if (plan.codeBytes < best.codeBytes)
    return false;
  return plan.cycles / 9 > best.cycles / 8 ||
         (best.codeBytes > room && plan.cycles >= best.cycles);
}

/// Returns whether a plan surely fits into the memory of each tile, with the
/// code and the state of vertices and with gaps between variables, which are
/// not known yet.
static bool surelyFits(const TargetModel &target, const ProgramPlan &plan) {
  int64_t ofVertices = std::max(
      std::min<int64_t>(64 << 10, target.tile_memory / 2), plan.vertexBytes);
  int64_t room = target.tile_memory - target.runtime_bytes -
                 target.stack_bytes - ofVertices;
  return plan.codeBytes <= getCodeRoom(target) &&
         (Count(plan.codeBytes) + plan.dataBytes + plan.dataBytes / 16).get() <=
             room;
}

/// Plans `function` for `target`, which may have fewer IPUs than the target of
/// the function. Tile mappings are then on the first of its IPUs. If existing
/// tile mappings are elsewhere, returns a plan whose number of cycles is
/// INT64_MAX.
static FailureOr<ProgramPlan>
planForTarget(const TargetModel &target, func::FuncOp function,
              const FunctionCalls &calls, const ProgramPlanOptions &options,
              const VariableTileMappings &variables) {
  StepCosts costs(target, kMaxExchangePieces);
  auto plan = [&](const ProgramPlanOptions &planOptions, PlanKnowledge &known,
                  int64_t tooMany, const ProgramPlan *start) {
    return ProgramPlanner(function, calls, planOptions, variables, costs, known,
                          start)
        .run(tooMany);
  };
  if (options.kind != PlannerKind::Program) {
    PlanKnowledge known(target, 0);
    return plan(options, known, INT64_MAX, /*start=*/nullptr);
  }
  int64_t room = getCodeRoom(target);
  int64_t limit = getMemoryLimit(target, options.plan);
  bool hasLargeClones = llvm::any_of(
      options.clones, [](const auto &clone) { return clone.second.isLarge; });
  std::optional<ProgramPlan> best;
  std::optional<std::pair<int64_t, int64_t>> bestFlat;
  // Makes plans for a list of shares of memory. The result is the best plan
  // that takes at most the given share. The list is always the same, so a
  // greater share never results in a worse plan. Returns whether a plan does
  // not surely fit because of the copies of constants.
  auto visitShares = [&](PlanKnowledge &known,
                         ConstantCopies copies) -> FailureOr<bool> {
    ProgramPlanOptions shared = options;
    shared.copies = copies;
    int64_t shareBytes = INT64_MAX;
    for (int64_t share : getPlanShares()) {
      shared.plan.memoryPerMille = share;
      // If the previous plan already takes at most this share, the plan would
      // be the same.
      if (getMemoryLimit(target, shared.plan) >= shareBytes)
        continue;
      bool fitsCode = best && best->codeBytes <= room;
      // The plan with the fewest bytes is only for programs that have no other.
      if (share == 0 && fitsCode)
        break;
      int64_t tooMany = fitsCode ? best->cycles : INT64_MAX;
      SmallVector<ProgramPlan, 2> found;
      // On several IPUs, nested plans may take fewer cycles than other plans.
      for (int64_t round = 0; round < (target.ipus > 1 ? 2 : 1); ++round) {
        FailureOr<ProgramPlan> next =
            plan(shared, known, tooMany, round > 0 ? &found.front() : nullptr);
        if (failed(next))
          return failure();
        found.push_back(std::move(*next));
        if (found.front().cycles == INT64_MAX)
          break;
      }
      shareBytes = std::max(found.front().shareBytes, found.back().shareBytes);
      if (best && llvm::all_of(found, [&](const ProgramPlan &plan) {
            return isHopeless(plan, *best, room);
          }))
        break;
      bool isOptimal = llvm::all_of(
          found, [](const ProgramPlan &plan) { return plan.isOptimal; });
      for (ProgramPlan &plan : found) {
        // For any given share, the same plans with copies are considered.
        // Without this choice, constants have copies only in given tile
        // mappings.
        if (copies != ConstantCopies::None && plan.copiesConstants &&
            !surelyFits(target, plan))
          return true;
        plan.isOptimal = isOptimal;
        if (plan.shareBytes > limit && share > 0)
          continue;
        if (&plan == &found.front() &&
            (!bestFlat || getPlanKey(target, plan) < *bestFlat))
          bestFlat = getPlanKey(target, plan);
        if (!best || getPlanKey(target, plan) < getPlanKey(target, *best))
          best = std::move(plan);
      }
    }
    return false;
  };
  // Code takes no cycles, but it must fit beside the code of vertices. If it
  // does not fit, plan again with a higher cost of runs, because most of the
  // code is for runs.
  for (int64_t runCycles : {0, 6, 14, 30}) {
    PlanKnowledge known(target, runCycles);
    // If the copies of constants might not fit, plan again with fewer copies.
    // Separate clones lose choices that one tensor gets from all its readers,
    // so the plan without large clones may be better.
    for (ConstantCopies copies :
         {ConstantCopies::OfAll, ConstantCopies::OfSmall,
          ConstantCopies::None}) {
      // Without large clones, the values OfAll and OfSmall mean the same.
      if (copies > options.copies ||
          (copies == ConstantCopies::OfAll && !hasLargeClones))
        continue;
      FailureOr<bool> isTooLarge = visitShares(known, copies);
      if (failed(isTooLarge))
        return failure();
      if (!*isTooLarge && copies != ConstantCopies::OfAll)
        break;
    }
    if (best->codeBytes <= room)
      break;
  }
  if (bestFlat)
    best->flatCycles = bestFlat->second;
  best->numIPUs = target.ipus;
  return std::move(*best);
}

/// Plans `function` for `target`, or for fewer of its IPUs if that takes no
/// more cycles.
static FailureOr<ProgramPlan>
planForIPUs(const TargetModel &target, func::FuncOp function,
            const FunctionCalls &calls, const ProgramPlanOptions &options,
            const VariableTileMappings &variables) {
  // Syncs and links of several IPUs may take longer than their tiles save.
  // Twice as many IPUs, twice in a row, without fewer cycles end the search.
  // The tiles for host exchanges are the last ones of all IPUs.
  std::optional<ProgramPlan> best;
  int64_t numWorse = 0;
  if (options.kind == PlannerKind::Program && target.io_tiles == 0) {
    TargetModel part = target;
    for (part.ipus = 1; part.ipus < target.ipus; part.ipus *= 2) {
      FailureOr<ProgramPlan> plan =
          planForTarget(part, function, calls, options, variables);
      if (failed(plan))
        return failure();
      if (!surelyFits(target, *plan) || plan->cycles == INT64_MAX)
        continue;
      if (best && best->cycles <= plan->cycles) {
        if (++numWorse == 2)
          return std::move(*best);
        continue;
      }
      numWorse = 0;
      best = std::move(*plan);
    }
  }
  FailureOr<ProgramPlan> plan =
      planForTarget(target, function, calls, options, variables);
  if (succeeded(plan) && best && best->cycles <= plan->cycles)
    return std::move(*best);
  return plan;
}

/// Returns the target of `function` with the speeds of its preset: with all
/// constants that are times or rates. Returns std::nullopt if the target has
/// these speeds.
static std::optional<TargetModel> getPresetSpeeds(func::FuncOp function) {
  auto attr = function->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
      IPUDialect::kTargetAttrName);
  if (!attr)
    return std::nullopt;
  TargetModel target = attr.getModel();
  TargetModel preset = *TargetModel::getPreset(attr.getPreset());
  bool differs = false;
  for (const TargetModel::Constant &constant : TargetModel::getConstants())
    if (constant.unit.contains("cycle") || constant.unit == "ns" ||
        constant.unit == "bytes/s" || constant.unit == "Hz")
      differs |=
          std::exchange(target.*constant.member, preset.*constant.member) !=
          preset.*constant.member;
  return differs ? std::optional(target) : std::nullopt;
}

/// Returns whether `plan` is so much better than `other` that the final program
/// surely is, too. Both are for the same costs. The planner estimates which
/// exchanges are merged, so less than a hundredth of the cycles is not certain.
static bool isSurelyBetter(const TargetModel &target, const ProgramPlan &plan,
                           const ProgramPlan &other) {
  auto [excess, cycles] = getPlanKey(target, plan);
  auto [otherExcess, otherCycles] = getPlanKey(target, other);
  return std::make_pair(excess, cycles) <
         std::make_pair(otherExcess, otherCycles - otherCycles / 100);
}

FailureOr<ProgramPlan>
mlir::ipu::planProgram(func::FuncOp function, const FunctionCalls &calls,
                       const ProgramPlanOptions &options,
                       const VariableTileMappings &variables) {
  TargetModel target = getTargetModel(function);
  FailureOr<ProgramPlan> own =
      planForIPUs(target, function, calls, options, variables);
  std::optional<TargetModel> preset = getPresetSpeeds(function);
  if (failed(own) || options.kind != PlannerKind::Program || !preset)
    return own;
  // Devices that differ only in speeds have the same plan, unless another plan
  // is surely better. So a faster device is not slower because of its plan.
  FailureOr<ProgramPlan> ofPreset =
      planForIPUs(*preset, function, calls, options, variables);
  if (failed(ofPreset))
    return failure();
  target.ipus = ofPreset->numIPUs;
  StepCosts costs(target, kMaxExchangePieces);
  PlanKnowledge known(target, 0);
  FailureOr<ProgramPlan> kept =
      ProgramPlanner(function, calls, options, variables, costs, known,
                     &*ofPreset)
          .evaluate();
  if (failed(kept) || isSurelyBetter(target, *own, *kept))
    return own;
  kept->flatCycles = std::max(kept->cycles, own->flatCycles);
  kept->isOptimal = own->isOptimal && own->cycles >= kept->cycles;
  return kept;
}

LogicalResult mlir::ipu::planModule(
    ModuleOp module, const ProgramPlanOptions &options,
    VariableTileMappings &variables,
    function_ref<void(func::FuncOp, const ProgramPlan &)> use) {
  for (Operation &op : *module.getBody())
    if (auto mapping =
            op.getAttrOfType<TileMappingAttr>(IPUDialect::kTileMappingAttrName))
      if (auto name = dyn_cast<SymbolOpInterface>(op))
        variables.insert({name.getNameAttr(), mapping});
  FunctionCalls calls(module);
  DenseSet<Operation *> planned;
  // A caller is planned together with its callees.
  for (FunctionOpInterface function : calls.getPreOrder()) {
    auto graph = dyn_cast<func::FuncOp>(function.getOperation());
    if (!graph || graph.isExternal() || planned.contains(graph))
      continue;
    FailureOr<ProgramPlan> plan = planProgram(graph, calls, options, variables);
    if (failed(plan))
      return failure();
    for (func::FuncOp other : plan->functions)
      planned.insert(other);
    for (auto [name, mapping] : plan->variables)
      variables.insert({name, mapping});
    use(graph, *plan);
  }
  return success();
}
