//===- SplitChoice.cpp - Choice among splits of a whole program -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Splits/SplitChoice.h"

#include "../SharePlanner.h"
#include "OpSplits.h"
#include "PartFunctions.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/Transforms/LowerCalls.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Planner/ProgramPlan.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

/// The numbers of alternatives in a row without gain after which no smaller
/// share is tried: if the best alternative fits, and if it does not fit.
static constexpr size_t kMaxWithoutGain = 2, kMaxWithoutFit = 4;

bool mlir::ipu::isBetterShare(const PlanRate &a, const PlanRate &b) {
  return std::tie(a.codeExcess, a.memoryExcess, a.cycles) <
         std::tie(b.codeExcess, b.memoryExcess, b.cycles);
}

bool mlir::ipu::areCallsBetter(const PlanRate &calls, const PlanRate &ops) {
  auto ofCalls = std::tie(calls.codeExcess, calls.memoryExcess);
  auto ofOps = std::tie(ops.codeExcess, ops.memoryExcess);
  return ofCalls != ofOps ? ofCalls < ofOps
                          : calls.cycles < ops.cycles &&
                                calls.sharedCycles < ops.sharedCycles;
}

static bool isBetter(const SplitAlternative &a, const SplitAlternative &b) {
  return isBetterShare(*a.rate, *b.rate);
}

size_t mlir::ipu::findBestShare(ArrayRef<SplitAlternative> alternatives) {
  return llvm::min_element(alternatives, isBetter) - alternatives.begin();
}

bool mlir::ipu::mayGainFromSmallerShare(
    ArrayRef<SplitAlternative> alternatives) {
  size_t best = findBestShare(alternatives);
  size_t withoutGain = alternatives.size() - 1 - best;
  return withoutGain <
         (alternatives[best].fits() ? kMaxWithoutGain : kMaxWithoutFit);
}

SplitChoice mlir::ipu::chooseForm(SmallVector<SplitAlternative> ops,
                                  SmallVector<SplitAlternative> calls) {
  size_t best = findBestShare(ops), bestCalls = findBestShare(calls);
  if (areCallsBetter(*calls[bestCalls].rate, *ops[best].rate))
    best = ops.size() + bestCalls;
  llvm::append_range(ops, std::move(calls));
  return {std::move(ops), best};
}

const SplitAlternative *SplitChoice::getRunnerUp() const {
  const SplitAlternative *runnerUp = nullptr;
  for (const SplitAlternative &other : alternatives)
    if (&other != &getChosen() && (!runnerUp || isBetter(other, *runnerUp)))
      runnerUp = &other;
  return runnerUp;
}

//===----------------------------------------------------------------------===//
// The splits for one share
//===----------------------------------------------------------------------===//

namespace {
/// Decides on each op of a program by the cost of this op alone.
class SplitDecider {
public:
  SplitDecider(SplitPlan &plan, OpCosts costs) : plan(plan), costs(costs) {}

  std::optional<SplitDecision> decide(const VisitedOp &visited);

private:
  void addExcess(const VisitedOp &visited, int64_t bytes, ExcessReason reason);

  SplitPlan &plan;
  OpCosts costs;
  /// This flag is set if the current op of the program or one of its parts
  /// exceeds its share.
  bool exceeds = false;
};
} // namespace

void SplitDecider::addExcess(const VisitedOp &visited, int64_t bytes,
                             ExcessReason reason) {
  if (bytes > 0 && !std::exchange(exceeds, true))
    plan.excesses.push_back(
        {visited.number, reason, costs.getShare(visited.op), bytes});
}

std::optional<SplitDecision> SplitDecider::decide(const VisitedOp &visited) {
  TilePlanOpInterface op = visited.op;
  exceeds &= visited.isPart;
  OpCost whole = costs.getCost(op);
  if (visited.staysWhole) {
    addExcess(visited, whole.excess, ExcessReason::TooManyParts);
    return std::nullopt;
  }
  Value stored = op->getResult(0);
  if (plan.sumsParts)
    stored = getStoredResult(stored);
  if (whole.excess > 0 && costs.usesHugeTensor(op->getOperands(), stored)) {
    addExcess(visited, whole.excess, ExcessReason::HugeTensor);
    return std::nullopt;
  }
  BestVariant best = findBestVariant(op, whole, costs, visited.mayShareCode);
  if (!best.variant) {
    addExcess(visited, whole.excess, ExcessReason::NoSmallerSplit);
    return std::nullopt;
  }
  // Stages may compute a serial part that fits in less time.
  bool mayHaveStages =
      best.variant->split.isSerial &&
      llvm::any_of(op.getTileSplits(),
                   [](const TileSplit &split) { return !split.isSerial; });
  plan.decisions.push_back(
      {visited.number, *best.variant,
       /*visitsParts=*/best.cost.excess > 0 || mayHaveStages});
  return plan.decisions.back();
}

//===----------------------------------------------------------------------===//
// The alternatives
//===----------------------------------------------------------------------===//

/// Returns the shares, in thousandths, for which splits are tried: `first` and
/// the smaller multiples of 50, in descending order.
static SmallVector<int64_t> getShares(int64_t first) {
  constexpr int64_t step = 50;
  SmallVector<int64_t> shares{first};
  for (int64_t share = (first - 1) / step * step; share > 0; share -= step)
    shares.push_back(share);
  return shares;
}

namespace {
/// Makes and rates the alternatives for a program.
class AlternativeSearch {
public:
  AlternativeSearch(ModuleOp module, const TargetModel &target,
                    const PlanOptions &options)
      : module(module), target(target), options(options), cache(target),
        cleanup(module.getContext()) {
    cleanup.addNestedPass<func::FuncOp>(pop::createCanonicalizePass());
    cleanup.addNestedPass<func::FuncOp>(pop::createCSEPass());
    cleanup.enableVerifier(false);
  }

  /// Returns the best alternative of the given forms.
  SplitChoice tryForms(SerialPartsKind kind);

private:
  SmallVector<SplitAlternative> tryShares(bool sharesCode, bool sumsParts);
  bool split(ModuleOp copy, SplitAlternative &alternative);
  std::optional<PlanRate> rate(ModuleOp copy);

  ModuleOp module;
  const TargetModel &target;
  PlanOptions options;
  PartitionCache cache;
  /// The passes that follow the splits and affect plans.
  PassManager cleanup;
  /// The alternatives have most ops in common.
  PlanCaches planCaches;
  /// The cycles of the fastest alternative that fits.
  int64_t leastCycles = INT64_MAX;
};
} // namespace

/// Splits the ops of `copy` for the share of `alternative`, and sets its plan.
/// Returns whether other shares or another form may change the plan.
bool AlternativeSearch::split(ModuleOp copy, SplitAlternative &alternative) {
  SplitPlan &plan = alternative.plan;
  PlanOptions ofShare = options;
  ofShare.memoryPerMille = alternative.perMille;
  SplitDecider decider(plan, OpCosts(target, cache, ofShare));
  return visitSplits(copy, plan, [&](const VisitedOp &visited) {
    return decider.decide(visited);
  });
}

/// Returns the quality of the plan of the split module `copy` with the given
/// share. Returns std::nullopt if planning fails; pop-map-tensors will report
/// the error.
std::optional<PlanRate> AlternativeSearch::rate(ModuleOp copy) {
  if (failed(pop::lowerCalls(copy, /*entry=*/nullptr)) ||
      failed(cleanup.run(copy)) || failed(pop::inferVgraphs(copy)))
    return std::nullopt;
  ProgramPlanOptions planOptions;
  planOptions.plan = options;
  planOptions.caches = &planCaches;
  planOptions.tooManyCycles = leastCycles;
  VariableTileMappings variables;
  Count code, memory, cycles, sharedCycles;
  auto addPlan = [&](func::FuncOp, const ProgramPlan &plan) {
    PlanKey key = getPlanKey(target, plan);
    code += key.codeExcess;
    memory += key.memoryExcess;
    cycles += key.cycles;
    sharedCycles += plan.sharedCycles;
  };
  if (failed(planModule(copy, planOptions, variables, addPlan)))
    return std::nullopt;
  return PlanRate{code.get(), memory.get(), cycles.get(), sharedCycles.get()};
}

/// Tries shares until smaller ones are not expected to make the program faster:
/// smaller parts may have better regions than whole ops that barely fit. If no
/// op has serial parts of this form, returns only the splits for the given
/// share, without a rate.
SmallVector<SplitAlternative> AlternativeSearch::tryShares(bool sharesCode,
                                                           bool sumsParts) {
  ScopedDiagnosticHandler drop(module.getContext(),
                               [](Diagnostic &) { return success(); });
  SmallVector<SplitAlternative> tried;
  for (int64_t share : getShares(options.memoryPerMille)) {
    SplitAlternative next;
    next.perMille = share;
    next.plan.sharesCode = sharesCode;
    next.plan.sumsParts = sumsParts;
    OwningOpRef<ModuleOp> copy = module.clone();
    bool mayCompare = split(*copy, next);
    if (!tried.empty()) {
      if (!mayCompare || !next.plan.excesses.empty())
        break;
      if (next.plan.decisions == tried.back().plan.decisions)
        continue;
    }
    if (mayCompare)
      next.rate = rate(*copy);
    bool isRated = next.rate.has_value();
    if (isRated && next.fits() && next.rate->codeExcess == 0)
      leastCycles = std::min(leastCycles, next.rate->cycles);
    if (tried.empty() || isRated)
      tried.push_back(std::move(next));
    if (!isRated || !mayGainFromSmallerShare(tried))
      break;
  }
  return tried;
}

/// Returns whether the best of the alternatives `a` is better than the best of
/// the alternatives `b`.
static bool areBetter(ArrayRef<SplitAlternative> a,
                      ArrayRef<SplitAlternative> b) {
  const SplitAlternative &best = a[findBestShare(a)];
  const SplitAlternative &other = b[findBestShare(b)];
  size_t excesses = best.plan.excesses.size();
  size_t otherExcesses = other.plan.excesses.size();
  return excesses != otherExcesses
             ? excesses < otherExcesses
             : best.rate && other.rate && isBetter(best, other);
}

SplitChoice AlternativeSearch::tryForms(SerialPartsKind kind) {
  // Sums by part take less memory than one sum of all parts, and often fewer
  // cycles. The other forms then need no complete plan.
  bool sharesCode = kind == SerialPartsKind::Calls;
  SmallVector<SplitAlternative> summed =
      tryShares(sharesCode, /*sumsParts=*/true);
  SmallVector<SplitAlternative> tried =
      tryShares(sharesCode, /*sumsParts=*/false);
  bool sumsParts = summed.front().rate && areBetter(summed, tried);
  if (sumsParts)
    tried = std::move(summed);
  if (!tried.front().rate)
    return {std::move(tried), 0};
  if (kind == SerialPartsKind::Best) {
    SmallVector<SplitAlternative> calls =
        tryShares(/*sharesCode=*/true, sumsParts);
    if (calls.front().rate)
      return chooseForm(std::move(tried), std::move(calls));
  }
  size_t best = findBestShare(tried);
  return {std::move(tried), best};
}

SplitChoice mlir::ipu::planSplits(ModuleOp module, const TargetModel &target,
                                  const PlanOptions &options,
                                  SerialPartsKind kind) {
  return AlternativeSearch(module, target, options).tryForms(kind);
}
