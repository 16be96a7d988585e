//===- SharePlanner.cpp - Plans for one share of memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharePlanner.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"
#include "ipu-mlir/Support/Actions.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu {
/// The search for partitions of one op.
class PlanOpAction : public StepAction<PlanOpAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "ipu-plan-op";
  static constexpr StringLiteral text = "find partitions of";
};

/// The choice of tile mappings for all tensors of a function together.
class PlanProgramAction : public StepAction<PlanProgramAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "ipu-plan-program";
  static constexpr StringLiteral text = "choose tile mappings together in";
};
} // namespace mlir::ipu

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

static std::vector<int64_t> getKey(const TargetModel &target) {
  std::vector<int64_t> key;
  for (const TargetModel::Constant &constant : TargetModel::getConstants())
    key.push_back(target.*constant.member);
  return key;
}

PlanKnowledge &PlanCaches::getKnowledge(const TargetModel &target,
                                        int64_t runCycles) {
  std::vector<int64_t> key = getKey(target);
  key.push_back(runCycles);
  std::unique_ptr<PlanKnowledge> &known = knowledge[key];
  if (!known)
    known = std::make_unique<PlanKnowledge>(target, runCycles);
  return *known;
}

ExchangeCosts &PlanCaches::getExchanges(const TargetModel &target) {
  std::unique_ptr<OwnCosts> &costs = ownCosts[getKey(target)];
  if (!costs)
    costs = std::make_unique<OwnCosts>(target);
  return costs->exchanges;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

SharePlanner::SharePlanner(const ImportedModel &imported,
                           const ProgramPlanOptions &options,
                           ExchangeCosts &ownExchanges, PlanKnowledge &known,
                           const ProgramPlan *start, ArrayRef<int64_t> shares)
    : imported(imported), model(imported.model), options(options),
      ownExchanges(ownExchanges), known(known), start(start),
      hasOwnShares(!shares.empty()),
      sources(model, known.cache, /*isNested=*/start != nullptr),
      initial(getInitialCandidates(model, sources, options.plan, shares)) {}

int64_t mlir::ipu::getDataRoom(const TargetModel &target,
                               const ProgramPlan &plan) {
  Count taken = Count(target.runtime_bytes) + target.stack_bytes +
                plan.codeBytes + plan.vertexBytes;
  // A sixteenth of the bytes of tensors is for gaps.
  return std::max<int64_t>(target.tile_memory - taken.get(), 0) / 17 * 16;
}

void SharePlanner::execute(function_ref<void()> search) const {
  executeStep<PlanProgramAction>(imported.functions.front(), search);
}

/// Returns whether the tiles of all given tile mappings are tiles of the
/// target.
bool SharePlanner::hasTiles() const {
  const TargetModel &target = model.getTarget();
  return llvm::all_of(model.getTensors(), [&](const ModelTensor &tensor) {
    return !tensor.given || tensor.space.getFirst(target) +
                                    tensor.given.getFirst() +
                                    tensor.given.getNumTiles() <=
                                target.getTilesPerReplica();
  });
}

CandidateLists SharePlanner::findOwnCandidates() const {
  return findCandidates(
      initial, sources, [&](unsigned tensor, function_ref<void()> search) {
        executeStep<PlanOpAction>(imported.bindings[tensor].op, search);
      });
}

/// Returns the choices of the plan `start`. Adds the tile mappings of this plan
/// that are not yet candidates.
Assignment SharePlanner::getStart(CandidateLists &lists) const {
  Assignment choices(lists.size(), 0);
  for (auto [number, binding] : llvm::enumerate(imported.bindings)) {
    TileMappingAttr mapping = start->getTileMapping(binding);
    int64_t first = model.getTensor(number).space.getFirst(model.getTarget());
    if (mapping)
      choices[number] =
          lists.getOrAppend(number, moveTiles(mapping, -first), "start");
  }
  return choices;
}

/// Sets the plan to the generic plan if the generic plan takes at most `limit`
/// cycles. Otherwise, sets only `genericCycles`, to a lower bound of its
/// cycles.
void SharePlanner::evaluateGeneric(int64_t limit) {
  AssignmentCosts costs(initial, ownExchanges);
  Assignment generic(initial.size(), 0);
  // The analysis of a generic exchange takes long, in particular if many
  // elements are moved. Therefore steps that move few elements come first;
  // their cycles often exceed the limit.
  SmallVector<std::pair<int64_t, size_t>> ordered;
  for (auto [index, step] : llvm::enumerate(model.getSteps())) {
    Count elements;
    for (const ModelOperand &operand : step.operands)
      elements += operand.view.getNumElements();
    ordered.push_back({elements.get(), index});
  }
  llvm::sort(ordered);
  ownExchanges.takeCodeBytes();
  Count sum = model.getFixedCycles();
  for (auto [elements, index] : ordered) {
    sum += costs.getStepCycles(model.getSteps()[index], generic);
    plan.genericCycles = sum.get();
    if (plan.genericCycles > limit)
      return;
  }
  plan.genericCycles = plan.cycles = sum.get();
  plan.codeBytes = takeCodeBytes();
  setMemoryAndSharing(costs, generic);
  plan.reports = getReports(initial, generic, /*network=*/nullptr);
}

/// Chooses the first or the last tiles for each tensor, which has one
/// candidate. If an exchange leaves a few elements on their tile, their copy
/// within the tile takes longer than the moves of other tiles, which wait.
Assignment SharePlanner::chooseTiles(CandidateLists &lists) {
  addFirstTiles(lists, sources);
  AssignmentCosts costs(lists, known.exchanges);
  AssignmentSearch search(costs, known.tables);
  Assignment best(lists.size(), 0);
  bool isOptimal = false;
  execute([&] {
    CostNetwork::Solution solution = search.createNetwork().solve(best);
    best = std::move(solution.choices);
    isOptimal = known.countsCycles && search.isExact() && solution.isOptimal;
  });
  plan.isOptimal &= isOptimal;
  plan.numTables += search.getNumTables();
  plan.numTableHits += search.getNumTableHits();
  return best;
}

/// Returns `choices` with other tile mappings of the tensors that steps only
/// copy, such as the weights that calls pass to a function: these tensors are
/// spread evenly over the tiles, so that copies take longer exchanges.
Assignment SharePlanner::spreadCopied(CandidateLists &lists,
                                      ArrayRef<unsigned> choices) const {
  SmallVector<bool> isCopied(lists.size(), true);
  for (const ModelStep &step : model.getSteps())
    if (!step.copiesVariable())
      for (unsigned tensor : step.getTensors())
        isCopied[tensor] = false;
  Assignment spread(choices);
  for (auto [number, tensor] : llvm::enumerate(model.getTensors())) {
    if (!tensor.isLeaf() || tensor.given || tensor.numReaders == 0 ||
        tensor.origin == ModelTensor::Origin::Scratch || !isCopied[number])
      continue;
    TileMappingAttr even = getEvenTileMapping(
        lists[number][choices[number]].mapping, tensor.shape,
        tensor.elementBytes, tensor.space.getNumTiles(model.getTarget()));
    if (even)
      spread[number] = lists.getOrAppend(number, even, "even");
  }
  return spread;
}

/// If the plan with `choices` is too large, spreads tensors that are only
/// copied, unless the code of the copies takes more bytes than this saves.
void SharePlanner::spreadIfTooLarge(CandidateLists &lists, Assignment &choices,
                                    MutableArrayRef<MappingReport> reports) {
  AssignmentCosts costs(lists, ownExchanges);
  auto getCodeBytes = [&](ArrayRef<unsigned> choices) {
    ownExchanges.takeCodeBytes();
    (void)costs.getCycles(choices);
    return takeCodeBytes();
  };
  plan.vertexBytes = costs.getVertexBytes();
  plan.codeBytes = getCodeBytes(choices);
  int64_t dataBytes = costs.getPeakBytes(choices);
  if (dataBytes <= getDataRoom(model.getTarget(), plan))
    return;
  Assignment spread = spreadCopied(lists, choices);
  if (getCodeBytes(spread) + costs.getPeakBytes(spread) >=
      plan.codeBytes + dataBytes)
    return;
  for (auto [number, report] : llvm::enumerate(reports)) {
    if (spread[number] == choices[number])
      continue;
    const Candidate &candidate = lists[number][spread[number]];
    report.mapping = candidate.mapping;
    report.source = candidate.source;
    report.bytes = costs.getBytes(number, candidate);
    report.isOnLastTiles = false;
  }
  choices = std::move(spread);
}

int64_t SharePlanner::takeCodeBytes() {
  // Most steps consist of a compute set, a sync and an exchange. The code of
  // exchanges is counted separately.
  const TargetModel &target = model.getTarget();
  return (Count(ownExchanges.takeCodeBytes()) +
          Count(model.getSteps().size()) *
              (target.compute_set_code_bytes + target.sync_code_bytes))
      .get();
}

void SharePlanner::setMemoryAndSharing(const AssignmentCosts &costs,
                                       ArrayRef<unsigned> choices) {
  plan.unmergedCycles = costs.getUnmergedCycles(choices);
  plan.sharedCycles = costs.getSharedCycles(choices);
  ownExchanges.takeCodeBytes();
  plan.dataBytes = costs.getPeakBytes(choices);
  plan.vertexBytes = costs.getVertexBytes();
  plan.copies = options.copies;
  if (options.kind == PlannerKind::Program)
    plan.smallerShares =
        costs.getSmallerShares(choices, getDataRoom(model.getTarget(), plan));
  DenseMap<Operation *, TileMappingAttr> ofClones;
  for (auto [number, tensor] : llvm::enumerate(model.getTensors())) {
    if (!tensor.isConstant())
      continue;
    TileMappingAttr mapping = costs.getLists()[number][choices[number]].mapping;
    plan.copiesConstants |= !mapping.coversOnce();
    auto it = options.clones.find(imported.bindings[number].op);
    if (it != options.clones.end())
      plan.copiesConstants |=
          ofClones.try_emplace(it->second.first, mapping).first->second !=
          mapping;
  }
  ShareNeed need = costs.getShareNeed(choices, known.cache);
  plan.shareBytes = need.bytes;
  plan.numOverShare = need.numOver;
}

/// Returns the reports on all tensors. `network`, which may be null, has the
/// cycles of other candidates.
SmallVector<MappingReport, 0>
SharePlanner::getReports(const CandidateLists &lists,
                         ArrayRef<unsigned> choices,
                         const CostNetwork *network) const {
  SmallVector<std::optional<CostNetwork::Change>> changes(lists.size());
  if (network)
    changes = network->getBestChanges(choices);
  AssignmentCosts costs(lists, known.exchanges);
  SmallVector<MappingReport, 0> reports;
  for (auto [number, tensor] : llvm::enumerate(model.getTensors())) {
    const Candidate &chosen = lists[number][choices[number]];
    MappingReport report;
    report.value = imported.bindings[number].value;
    report.mapping = chosen.mapping;
    report.source = chosen.source;
    report.bytes = costs.getBytes(number, chosen);
    report.firstStep = tensor.firstStep;
    report.lastStep = tensor.lastStep;
    if (const std::optional<CostNetwork::Change> &change = changes[number]) {
      const Candidate &other = lists[number][change->choice];
      report.alternative = {other.mapping, other.source, change->cost,
                            costs.getBytes(number, other)};
    }
    reports.push_back(report);
  }
  return reports;
}

void SharePlanner::setTileMappings(const CandidateLists &lists,
                                   ArrayRef<unsigned> choices) {
  for (auto [number, binding] : llvm::enumerate(imported.bindings)) {
    int64_t first = model.getTensor(number).space.getFirst(model.getTarget());
    plan.setTileMapping(
        binding, moveTiles(lists[number][choices[number]].mapping, first));
  }
}

/// Chooses candidates for all tensors together, unless it is unlikely that they
/// take fewer than `tooMany` cycles.
void SharePlanner::planTogether(int64_t tooMany) {
  Assignment generic(initial.size(), 0);
  plan.genericCycles =
      AssignmentCosts(initial, ownExchanges).getComputeCycles(generic);
  CandidateLists lists = findOwnCandidates();
  plan.listedPerMille = options.plan.memoryPerMille;
  plan.cycles = INT64_MAX;
  AssignmentCosts costs(lists, known.exchanges);
  if (costs.getLeastCycles() >= tooMany)
    return;
  Assignment choices;
  if (start)
    choices = getStart(lists);
  AssignmentSearch search(costs, known.tables);
  // With the tables, most costs for chooseInOrder() are known.
  CostNetwork network = search.createNetwork();
  if (!start)
    choices = search.chooseInOrder();
  plan.greedyCycles = start ? start->greedyCycles : costs.getCycles(choices);
  execute([&] {
    CostNetwork::Solution together = network.solve(choices);
    plan.isOptimal = known.countsCycles && search.isExact() &&
                     together.isOptimal && !hasOwnShares;
    if (costs.getCycles(together.choices) < costs.getCycles(choices))
      choices = std::move(together.choices);
  });
  plan.numTables = search.getNumTables();
  plan.numTableHits = search.getNumTableHits();
  SmallVector<MappingReport, 0> reports = getReports(lists, choices, &network);
  lists.keepOnly(choices);
  choices = chooseTiles(lists);
  for (auto [report, choice] : llvm::zip_equal(reports, choices))
    report.isOnLastTiles = choice > 0;
  spreadIfTooLarge(lists, choices, reports);
  ownExchanges.takeCodeBytes();
  AssignmentCosts ownCosts(lists, ownExchanges);
  int64_t cycles = ownCosts.getCycles(choices);
  int64_t codeBytes = takeCodeBytes();
  if (cycles >= plan.genericCycles)
    evaluateGeneric(/*limit=*/cycles);
  if (cycles >= plan.genericCycles && plan.numOverShare == 0)
    return;
  plan.cycles = cycles;
  plan.codeBytes = codeBytes;
  plan.reports = std::move(reports);
  setMemoryAndSharing(ownCosts, choices);
  setTileMappings(lists, choices);
}

ProgramPlan SharePlanner::run(int64_t tooMany) {
  if (!hasTiles()) {
    plan.cycles = INT64_MAX;
    return std::move(plan);
  }
  Assignment generic(initial.size(), 0);
  setTileMappings(initial, generic);
  if (options.kind == PlannerKind::Program)
    planTogether(tooMany);
  else
    evaluateGeneric(/*limit=*/INT64_MAX);
  plan.functions = imported.functions;
  plan.flatCycles = plan.cycles;
  plan.numExchanges = known.exchanges.getNumAnalyses();
  plan.numPlans = known.cache.getNumQueries();
  plan.numPlanHits = known.cache.getNumHits();
  return std::move(plan);
}

ProgramPlan SharePlanner::evaluate() {
  CandidateLists lists = initial;
  Assignment choices = getStart(lists);
  AssignmentCosts costs(lists, ownExchanges);
  plan = *start;
  plan.isOptimal = false;
  ownExchanges.takeCodeBytes();
  plan.cycles = plan.flatCycles = costs.getCycles(choices);
  plan.codeBytes = takeCodeBytes();
  setMemoryAndSharing(costs, choices);
  return std::move(plan);
}
