//===- ProgramPlan.cpp - Tile mappings of a whole program -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/ProgramPlan.h"

#include "SharePlanner.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Planner/Model/DividedModel.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the shares of memory, per mille, for which planProgram() makes
/// plans, the greatest share first.
static ArrayRef<int64_t> getPlanShares() {
  static constexpr int64_t shares[] = {1000, 800, 650, 500, 400, 300,
                                       250,  200, 150, 100, 80,  60,
                                       50,   40,  30,  20,  0};
  return shares;
}

/// Returns the number of bytes of code that a plan may have. The rest of the
/// memory is for the code of vertices.
static int64_t getCodeRoom(const TargetModel &target) {
  return target.code_memory / 5 * 4;
}

TileMappingAttr
ProgramPlan::getTileMapping(const TensorBinding &binding) const {
  return binding.variable ? variables.lookup(binding.variable)
         : binding.result ? results.lookup(*binding.result)
                          : mappings.lookup(binding.value);
}

void ProgramPlan::setTileMapping(const TensorBinding &binding,
                                 TileMappingAttr mapping) {
  if (binding.variable)
    variables[binding.variable] = mapping;
  else if (binding.result)
    results[*binding.result] = mapping;
  else if (binding.op || isa<BlockArgument>(binding.value))
    mappings[binding.value] = mapping;
  for (Value clone : binding.clones)
    mappings[clone] = mapping;
}

int64_t mlir::ipu::getMemoryExcess(const TargetModel &target,
                                   const ProgramPlan &plan) {
  return std::max<int64_t>(plan.dataBytes - getDataRoom(target, plan), 0);
}

PlanKey mlir::ipu::getPlanKey(const TargetModel &target,
                              const ProgramPlan &plan) {
  return {std::max<int64_t>(plan.codeBytes - getCodeRoom(target), 0),
          getMemoryExcess(target, plan), plan.cycles};
}

/// Returns whether plans with less memory than `plan` are not worth an attempt.
/// This holds if `plan` takes far more cycles than `best`. It also holds if
/// `plan` takes neither less code nor fewer cycles than `best`, and either
/// `best` fits but the code of `plan` does not, or the code of `best` does not.
static bool isHopeless(const TargetModel &target, const ProgramPlan &plan,
                       const ProgramPlan &best) {
  if (plan.cycles == INT64_MAX)
    return true;
  if (plan.codeBytes < best.codeBytes)
    return false;
  if (plan.cycles / 9 > best.cycles / 8)
    return true;
  PlanKey key = getPlanKey(target, plan), ofBest = getPlanKey(target, best);
  return plan.cycles >= best.cycles &&
         (ofBest.codeExcess > 0 ||
          (ofBest.memoryExcess == 0 && key.codeExcess > 0));
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

/// Returns whether the program of `function` states on which IPUs its ops are.
static bool isPlaced(func::FuncOp function) {
  return pop::findFirstVgraph(function->getParentOfType<ModuleOp>())
      .has_value();
}

namespace {
/// Plans a function for a target, which may have fewer IPUs than the target of
/// the function. Tile mappings are then on the first of its IPUs. If existing
/// tile mappings are elsewhere, the number of cycles of the plan is INT64_MAX.
/// With several parts, plans the part of one IPU (DividedModel).
class TargetPlanner {
public:
  TargetPlanner(const TargetModel &target, func::FuncOp function,
                const FunctionCalls &calls, const ProgramPlanOptions &options,
                const VariableTileMappings &variables, int64_t numParts = 1)
      : target(target), function(function), calls(calls), options(options),
        variables(variables), numParts(numParts),
        isPlaced(::isPlaced(function)),
        caches(options.caches ? *options.caches : ownCaches),
        exchanges(caches.getExchanges(target)), room(getCodeRoom(target)) {}

  FailureOr<ProgramPlan> run();
  std::optional<ProgramPlan> runParts(const TargetModel &all);

private:
  FailureOr<ImportedModel> import(PlanKnowledge &known,
                                  ConstantCopies copies) const;
  LogicalResult visitCopies(PlanKnowledge &known);
  FailureOr<bool> visitShares(PlanKnowledge &known, ConstantCopies copies);
  SmallVector<ProgramPlan, 2> planShare(const ImportedModel &imported,
                                        const ProgramPlanOptions &shared,
                                        PlanKnowledge &known, int64_t tooMany,
                                        ArrayRef<int64_t> shares = {});
  bool lowerShares(const ImportedModel &imported, ProgramPlanOptions shared,
                   PlanKnowledge &known);
  bool consider(MutableArrayRef<ProgramPlan> found, ConstantCopies copies,
                int64_t share);

  const TargetModel &target;
  func::FuncOp function;
  const FunctionCalls &calls;
  const ProgramPlanOptions &options;
  const VariableTileMappings &variables;
  int64_t numParts;
  /// This flag is set if each tensor is on one IPU, so that no partition is
  /// nested.
  bool isPlaced;
  PlanCaches ownCaches;
  PlanCaches &caches;
  ExchangeCosts &exchanges;
  /// The bytes of code that a plan may have.
  int64_t room;
  std::optional<ProgramPlan> best;
  /// The key of the best plan without nested partitions.
  std::optional<PlanKey> bestFlat;
};
} // namespace

/// Returns the model of the function or, with several parts, the model of one
/// part. Fails without a diagnostic if there are no equal parts.
FailureOr<ImportedModel> TargetPlanner::import(PlanKnowledge &known,
                                               ConstantCopies copies) const {
  FailureOr<ImportedModel> imported =
      importPlanModel(function, calls, known.target, known.cache, variables,
                      copies, options.clones);
  if (failed(imported) || numParts == 1)
    return imported;
  std::optional<DividedModel> divided =
      divideModel(imported->model, numParts, known.cache);
  if (!divided)
    return failure();
  imported->model = std::move(divided->part);
  return imported;
}

/// Returns the plans for one share of memory. On several IPUs, these are a plan
/// without nested partitions, and a plan with them, which may take fewer
/// cycles.
SmallVector<ProgramPlan, 2>
TargetPlanner::planShare(const ImportedModel &imported,
                         const ProgramPlanOptions &shared, PlanKnowledge &known,
                         int64_t tooMany, ArrayRef<int64_t> shares) {
  SmallVector<ProgramPlan, 2> found;
  found.push_back(SharePlanner(imported, shared, exchanges, known,
                               /*start=*/nullptr, shares)
                      .run(tooMany));
  if (target.ipus > 1 && !isPlaced && found.front().cycles != INT64_MAX)
    found.push_back(
        SharePlanner(imported, shared, exchanges, known, &found.front(), shares)
            .run(tooMany));
  return found;
}

/// Considers the plans `found` for a share of memory, per mille. Returns false
/// if one of them does not surely fit because of the copies of constants.
bool TargetPlanner::consider(MutableArrayRef<ProgramPlan> found,
                             ConstantCopies copies, int64_t share) {
  int64_t limit = getMemoryLimit(target, options.plan);
  bool isOptimal = llvm::all_of(
      found, [](const ProgramPlan &plan) { return plan.isOptimal; });
  for (ProgramPlan &plan : found) {
    // For any given share, the same plans with copies are considered. Without
    // this choice, constants have copies only in given tile mappings.
    if (copies != ConstantCopies::None && plan.copiesConstants &&
        !surelyFits(target, plan))
      return false;
    plan.isOptimal = isOptimal;
    if (plan.shareBytes > limit && share > 0)
      continue;
    if (&plan == &found.front() &&
        (!bestFlat || getPlanKey(target, plan) < *bestFlat))
      bestFlat = getPlanKey(target, plan);
    if (!best || getPlanKey(target, plan) < getPlanKey(target, *best))
      best = std::move(plan);
  }
  return true;
}

/// Makes plans for a list of shares of memory. The result is the best plan that
/// takes at most the given share. The list is always the same, so a greater
/// share never results in a worse plan. Returns false if a plan does not surely
/// fit because of the copies of constants.
FailureOr<bool> TargetPlanner::visitShares(PlanKnowledge &known,
                                           ConstantCopies copies) {
  FailureOr<ImportedModel> imported = import(known, copies);
  if (failed(imported))
    return failure();
  ProgramPlanOptions shared = options;
  shared.copies = copies;
  int64_t shareBytes = INT64_MAX;
  for (int64_t share : getPlanShares()) {
    shared.plan.memoryPerMille = share;
    // If the previous plan already takes at most this share, the plan would be
    // the same.
    if (getMemoryLimit(target, shared.plan) >= shareBytes)
      continue;
    bool fitsCode = best && best->codeBytes <= room;
    // The plan with the fewest bytes is only for programs that have no other.
    if (share == 0 && fitsCode)
      break;
    SmallVector<ProgramPlan, 2> found = planShare(
        *imported, shared, known, fitsCode ? best->cycles : INT64_MAX);
    shareBytes = std::max(found.front().shareBytes, found.back().shareBytes);
    if (best && llvm::all_of(found, [&](const ProgramPlan &plan) {
          return isHopeless(target, plan, *best);
        }))
      break;
    // Plans with smaller shares take more cycles.
    bool isTooSlow = llvm::all_of(found, [&](const ProgramPlan &plan) {
      return plan.cycles >= options.tooManyCycles;
    });
    if (isTooSlow && !best)
      best = std::move(found.front());
    if (isTooSlow)
      return true;
    if (!consider(found, copies, share))
      return false;
  }
  return lowerShares(*imported, shared, known);
}

/// While the best plan does not fit, plans again with smaller shares for the
/// ops of the steps that exceed the memory. Ends after a plan that is not
/// better than the plans before it. Returns false if a plan does not surely fit
/// because of the copies of constants.
bool TargetPlanner::lowerShares(const ImportedModel &imported,
                                ProgramPlanOptions shared,
                                PlanKnowledge &known) {
  while (best->copies == shared.copies && !best->smallerShares.empty()) {
    shared.plan.memoryPerMille = best->listedPerMille;
    SmallVector<int64_t> shares = std::move(best->smallerShares);
    best->smallerShares.clear();
    SmallVector<ProgramPlan, 2> found =
        planShare(imported, shared, known, INT64_MAX, shares);
    if (!consider(found, shared.copies, shared.plan.memoryPerMille))
      return false;
  }
  return true;
}

/// Makes plans with copies of constants. If the copies might not fit, plans
/// again with fewer copies.
LogicalResult TargetPlanner::visitCopies(PlanKnowledge &known) {
  bool hasLargeClones = llvm::any_of(
      options.clones, [](const auto &clone) { return clone.second.isLarge; });
  // Separate clones lose choices that one tensor gets from all its readers, so
  // the plan without large clones may be better.
  for (ConstantCopies copies :
       {ConstantCopies::OfAll, ConstantCopies::OfSmall, ConstantCopies::None}) {
    // Without large clones, the values OfAll and OfSmall mean the same.
    if (copies > options.copies ||
        (copies == ConstantCopies::OfAll && !hasLargeClones))
      continue;
    FailureOr<bool> surelyFits = visitShares(known, copies);
    if (failed(surelyFits))
      return failure();
    if (*surelyFits && copies != ConstantCopies::OfAll)
      break;
  }
  return success();
}

FailureOr<ProgramPlan> TargetPlanner::run() {
  if (options.kind != PlannerKind::Program) {
    PlanKnowledge &known = caches.getKnowledge(target, /*runCycles=*/0);
    FailureOr<ImportedModel> imported = import(known, options.copies);
    if (failed(imported))
      return failure();
    return SharePlanner(*imported, options, exchanges, known, /*start=*/nullptr)
        .run(/*tooMany=*/INT64_MAX);
  }
  // Code takes no cycles, but it must fit beside the code of vertices. If it
  // does not fit, plan again with a higher cost of runs, because most of the
  // code is for runs.
  for (int64_t runCycles : {0, 6, 14, 30}) {
    PlanKnowledge &known = caches.getKnowledge(target, runCycles);
    if (failed(visitCopies(known)))
      return failure();
    // Fewer runs save at most a third of the code, and take more cycles.
    if (best->codeBytes <= room || best->codeBytes / 3 * 2 > room ||
        best->cycles >= options.tooManyCycles)
      break;
  }
  if (bestFlat)
    best->flatCycles = bestFlat->cycles;
  best->numIPUs = target.ipus;
  return std::move(*best);
}

/// Plans the part of one IPU, and returns the plan in which each IPU of `all`
/// has such a part. The number of parts is the number of these IPUs. Returns
/// std::nullopt if there is no such plan. The function must be valid, so that
/// planning it emits no error.
std::optional<ProgramPlan> TargetPlanner::runParts(const TargetModel &all) {
  FailureOr<ProgramPlan> plan = run();
  if (failed(plan) || plan->cycles == INT64_MAX)
    return std::nullopt;
  ProgramPlanOptions own = options;
  own.copies = plan->copies;
  PlanKnowledge &known = caches.getKnowledge(all, /*runCycles=*/0);
  FailureOr<ImportedModel> imported =
      importPlanModel(function, calls, known.target, known.cache, variables,
                      own.copies, options.clones);
  if (failed(imported))
    return std::nullopt;
  std::optional<DividedModel> divided =
      divideModel(imported->model, numParts, known.cache);
  auto getWhole = [&](ArrayRef<TileMappingAttr> mappings) {
    return divided ? divided->getWholeMappings(imported->model, mappings)
                   : std::nullopt;
  };
  auto whole = getWhole(
      llvm::map_to_vector(imported->bindings, [&](const auto &binding) {
        return plan->getTileMapping(binding);
      }));
  auto reported = getWhole(llvm::map_to_vector(
      plan->reports, [](const auto &report) { return report.mapping; }));
  if (!whole || !reported)
    return std::nullopt;
  for (auto [binding, mapping] : llvm::zip_equal(imported->bindings, *whole))
    plan->setTileMapping(binding, mapping);
  for (auto [report, mapping] : llvm::zip_equal(plan->reports, *reported)) {
    report.mapping = mapping;
    report.alternative = std::nullopt;
  }
  ProgramPlan result =
      SharePlanner(*imported, own, caches.getExchanges(all), known, &*plan)
          .evaluate();
  result.numIPUs = all.ipus;
  return result;
}

/// Plans `function` for all IPUs of `target`. If each IPU can have an equal
/// part of the program, only one part is planned, unless the resulting plan
/// takes at least `tooMany` cycles.
static FailureOr<ProgramPlan>
planForAllIPUs(const TargetModel &target, func::FuncOp function,
               const FunctionCalls &calls, const ProgramPlanOptions &options,
               const VariableTileMappings &variables, int64_t tooMany) {
  if (options.kind == PlannerKind::Program && target.ipus > 1 &&
      target.io_tiles == 0 && !isPlaced(function)) {
    TargetModel one = target;
    one.ipus = 1;
    std::optional<ProgramPlan> plan =
        TargetPlanner(one, function, calls, options, variables, target.ipus)
            .runParts(target);
    if (plan && plan->cycles < tooMany && getPlanKey(target, *plan).fits())
      return std::move(*plan);
  }
  return TargetPlanner(target, function, calls, options, variables).run();
}

/// Plans `function` for `target`, or for fewer of its IPUs if that takes no
/// more cycles.
static FailureOr<ProgramPlan>
planForIPUs(const TargetModel &target, func::FuncOp function,
            const FunctionCalls &calls, const ProgramPlanOptions &options,
            const VariableTileMappings &variables) {
  // Syncs and links of several IPUs may take longer than their tiles save.
  // Twice as many IPUs, twice in a row, without fewer cycles end the search.
  std::optional<ProgramPlan> best;
  int64_t numWorse = 0;
  auto planForAll = [&](const TargetModel &part) {
    return planForAllIPUs(part, function, calls, options, variables,
                          /*tooMany=*/best ? best->cycles : INT64_MAX);
  };
  if (options.kind == PlannerKind::Program && !isPlaced(function)) {
    TargetModel part = target;
    for (part.ipus = 1; part.ipus < target.ipus; part.ipus *= 2) {
      FailureOr<ProgramPlan> plan = planForAll(part);
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
      // The tiles of a space have successive numbers.
      if (target.io_tiles > 0)
        return std::move(*best);
    }
  }
  FailureOr<ProgramPlan> plan = planForAll(target);
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
  PlanKey least = getPlanKey(target, other);
  least.cycles -= least.cycles / 100;
  return getPlanKey(target, plan) < least;
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
  ExchangeCosts costs(target, kMaxExchangePieces);
  PlanKnowledge known(target, 0);
  FailureOr<ImportedModel> imported =
      importPlanModel(function, calls, known.target, known.cache, variables,
                      options.copies, options.clones);
  if (failed(imported))
    return own;
  ProgramPlan kept =
      SharePlanner(*imported, options, costs, known, &*ofPreset).evaluate();
  if (isSurelyBetter(target, *own, kept))
    return own;
  kept.flatCycles = std::max(kept.cycles, own->flatCycles);
  kept.isOptimal = own->isOptimal && own->cycles >= kept.cycles;
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
