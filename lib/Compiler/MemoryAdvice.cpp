//===- MemoryAdvice.cpp - Memory advice -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/MemoryAdvice.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Shares that are tried, in thousandths, the greatest that fits is enough.
static constexpr int64_t kShares[] = {500, 400, 300, 200, 100, 50};
/// Numbers of parts and of phases that are tried; the fewest with which it fits
/// are enough.
static constexpr int64_t kParts[] = {2, 4, 8};
/// Numbers of IPUs that are tried; the fewest that fit are enough.
static constexpr int64_t kIPUs[] = {2, 4, 8, 16};
/// Sizes of the dimension that are tried: enough to find the greatest of 255.
static constexpr int64_t kMaxSizes = 8;

static_assert(4 + 3 * std::size(kParts) + std::size(kShares) +
                  std::size(kIPUs) + kMaxSizes ==
              kMaxMemoryTrials);

MemoryAdvice mlir::ipu::findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<MemoryOutcome>(const MemoryTrial &)> execute,
    function_ref<bool()> hasTime) {
  MemoryAdvice advice;
  auto mayTry = [&] {
    advice.isStopped = advice.isStopped || !hasTime();
    return !advice.isStopped;
  };
  // Returns the outcome if the program fits.
  auto fit = [&](const MemoryTrial &trial) -> std::optional<MemoryOutcome> {
    advice.tried.push_back(trial);
    std::optional<MemoryOutcome> outcome = execute(trial);
    if (!outcome || outcome->missingBytes == 0)
      return outcome;
    if (!advice.nearest || outcome->missingBytes < advice.missingBytes) {
      advice.nearest = trial;
      advice.missingBytes = outcome->missingBytes;
    }
    return std::nullopt;
  };
  auto addFirstThatFits = [&](MemoryTrialKind kind, ArrayRef<int64_t> values,
                              function_ref<bool(int64_t)> isWanted) {
    for (int64_t value : values) {
      if (!isWanted(value))
        continue;
      if (!mayTry())
        return;
      MemoryTrial trial{kind, value};
      if (std::optional<MemoryOutcome> outcome = fit(trial)) {
        advice.fitting.emplace_back(trial, *outcome);
        return;
      }
    }
  };
  addFirstThatFits(MemoryTrialKind::CopyConstants, {0},
                   [&](int64_t) { return start.copiesConstants; });
  addFirstThatFits(MemoryTrialKind::Outline, {1},
                   [&](int64_t) { return !start.transforms.outlines; });
  addFirstThatFits(MemoryTrialKind::Schedule, {1},
                   [&](int64_t) { return !start.transforms.schedules; });
  addFirstThatFits(MemoryTrialKind::Share, kShares,
                   [&](int64_t share) { return share < start.sharePerMille; });
  addFirstThatFits(MemoryTrialKind::IPUs, kIPUs,
                   [&](int64_t ipus) { return ipus > start.ipus; });
  addFirstThatFits(MemoryTrialKind::MatmulParts, kParts, [&](int64_t parts) {
    return parts > start.transforms.matmulParts;
  });
  addFirstThatFits(MemoryTrialKind::BatchParts, kParts, [&](int64_t parts) {
    return parts > start.transforms.batchParts;
  });
  addFirstThatFits(MemoryTrialKind::RemoteWeights, {1}, [&](int64_t) {
    return start.hasVariables && start.transforms.remoteVariables.empty();
  });
  addFirstThatFits(MemoryTrialKind::Phases, kParts, [&](int64_t phases) {
    return phases > start.transforms.phases;
  });
  // Bisection: at 0 there is nothing to compute, and nothing to say.
  int64_t least = 0, tooLarge = start.dimension.value_or(0);
  std::optional<FittingTrial> greatest;
  for (int64_t i = 0; i < kMaxSizes && tooLarge - least > 1 && mayTry(); ++i) {
    MemoryTrial middle{MemoryTrialKind::Dimension,
                       least + (tooLarge - least) / 2};
    if (std::optional<MemoryOutcome> outcome = fit(middle)) {
      greatest.emplace(middle, *outcome);
      least = middle.value;
    } else {
      tooLarge = middle.value;
    }
  }
  if (greatest) {
    advice.fitting.push_back(*greatest);
    advice.dimensionTooLarge = tooLarge;
  }
  return advice;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::optional<int64_t> mlir::ipu::getMissingBytes(ModuleOp module) {
  std::optional<int64_t> most;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(IPUDialect::kMemoryAttrName))
      continue;
    FailureOr<MemoryProblem> problem = readMemoryProblem(function);
    if (failed(problem))
      return std::nullopt;
    MemoryPlan plan = allocateMemory(*problem, module.getContext());
    most = std::max(most.value_or(0), getMissingBytes(*problem, plan));
  }
  return most;
}

namespace {
/// Adds up the estimated cycles of programs whose steps are executed one after
/// the other.
class CycleCounter {
public:
  /// Returns the cycles of `region` on the slowest IPU of each step. A loop of
  /// unknown length counts once, and a branch counts as its longest side.
  Count get(Region &region);

private:
  Count get(CallOpInterface call);

  llvm::DenseMap<Operation *, Count> functions;
};
} // namespace

Count CycleCounter::get(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee)
    return Count();
  auto known = functions.find(callee);
  if (known != functions.end())
    return known->second;
  Count cycles = get(callee.getFunctionBody());
  functions[callee] = cycles;
  return cycles;
}

Count CycleCounter::get(Region &region) {
  Count sum;
  for (Operation &op : region.getOps()) {
    Count longest;
    for (Region &nested : op.getRegions())
      longest = std::max(longest, get(nested));
    if (auto call = dyn_cast<CallOpInterface>(op))
      longest = get(call);
    if (auto step = dyn_cast<StepOpInterface>(op); step && step.getCostAttr())
      longest += *llvm::max_element(step.getCostAttr().getCycles());
    auto loop = dyn_cast<RepeatOp>(op);
    sum += longest * (loop ? loop.getCount().value_or(1) : 1);
  }
  return sum;
}

std::optional<MemoryOutcome> mlir::ipu::getMemoryOutcome(ModuleOp module,
                                                         StringRef entry) {
  std::optional<int64_t> missing = getMissingBytes(module);
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!missing || !function)
    return std::nullopt;
  auto memory =
      function->getAttrOfType<MemorySummaryAttr>(IPUDialect::kMemoryAttrName);
  return MemoryOutcome(*missing, memory ? memory.getBytes() : 0,
                       CycleCounter().get(function.getBody()).get());
}

bool mlir::ipu::hasCopiedConstants(ModuleOp module) {
  return module
      ->walk([](VarOp variable) {
        return variable.getInitAttr() && variable.getCopies()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

OwningOpRef<ModuleOp> MemoryAdvisor::make(const MemoryTrial &trial) {
  if (trial.kind == MemoryTrialKind::Dimension)
    return dimension->resize(trial.value);
  OwningOpRef<ModuleOp> module = original.clone();
  if (trial.kind == MemoryTrialKind::IPUs &&
      failed(setTarget(*module, /*preset=*/"", {{"ipus", trial.value}})))
    return nullptr;
  return module;
}

static double getShare(const MemoryTrial &trial) {
  return static_cast<double>(trial.value) / 1000;
}

std::optional<MemoryOutcome> MemoryAdvisor::execute(const MemoryTrial &trial) {
  OwningOpRef<ModuleOp> module = make(trial);
  MemorySettings tried = settings;
  if (trial.kind == MemoryTrialKind::CopyConstants)
    tried.copyConstants = trial.value != 0;
  if (trial.kind == MemoryTrialKind::Outline)
    tried.transforms.outlines = trial.value != 0;
  if (trial.kind == MemoryTrialKind::Schedule)
    tried.transforms.schedules = trial.value != 0;
  if (trial.kind == MemoryTrialKind::MatmulParts)
    tried.transforms.matmulParts = trial.value;
  if (trial.kind == MemoryTrialKind::BatchParts)
    tried.transforms.batchParts = trial.value;
  if (trial.kind == MemoryTrialKind::RemoteWeights)
    tried.transforms.remoteVariables = {"weights"};
  if (trial.kind == MemoryTrialKind::Phases) {
    tried.transforms.phases = trial.value;
    tried.transforms.remoteTensors = true;
  }
  if (trial.kind == MemoryTrialKind::Share)
    tried.share = getShare(trial);
  return module ? compile(std::move(module), tried) : std::nullopt;
}

/// `=VALUE` follows the name in remarks.
static StringRef getName(const MemoryTrial &trial, StringRef dimension) {
  switch (trial.kind) {
  case MemoryTrialKind::CopyConstants:
    return "copy-constants";
  case MemoryTrialKind::Outline:
    return "outline";
  case MemoryTrialKind::Schedule:
    return "schedule";
  case MemoryTrialKind::MatmulParts:
    return "serialize-matmuls";
  case MemoryTrialKind::BatchParts:
    return "batch-serialize";
  case MemoryTrialKind::Share:
    return "available-memory-proportion";
  case MemoryTrialKind::IPUs:
    return "ipus";
  case MemoryTrialKind::RemoteWeights:
    return "off-chip";
  case MemoryTrialKind::Phases:
    return "off-chip=activations phases";
  case MemoryTrialKind::Dimension:
    return dimension;
  }
  llvm_unreachable("unknown kind");
}

static std::string getValue(const MemoryTrial &trial) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::is_contained({MemoryTrialKind::CopyConstants,
                          MemoryTrialKind::Outline, MemoryTrialKind::Schedule},
                         trial.kind))
    os << (trial.value ? "true" : "false");
  else if (trial.kind == MemoryTrialKind::RemoteWeights)
    os << "weights";
  else if (trial.kind == MemoryTrialKind::Share)
    os << llvm::format("%g", getShare(trial));
  else
    os << trial.value;
  return text;
}

std::string MemoryAdvisor::describe(const MemoryTrial &trial) const {
  return getName(trial, dimension ? dimension->name : "").str() + "=" +
         getValue(trial);
}

/// Trials of one kind follow each other.
std::string MemoryAdvisor::describeAll(ArrayRef<MemoryTrial> trials) const {
  std::string text;
  for (size_t i = 0; i < trials.size(); ++i)
    if (i > 0 && trials[i].kind == trials[i - 1].kind)
      text += ", " + getValue(trials[i]);
    else
      text += (i > 0 ? "; " : "") + describe(trials[i]);
  return text;
}

std::string MemoryAdvisor::describe(const MemoryAdvice &advice) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  StringRef trials = advice.tried.size() == 1 ? " trial" : " trials";
  if (advice.fitting.empty()) {
    os << "program fits in none of " << advice.tried.size() << trials;
    if (advice.nearest)
      os << "; at best, with " << describe(*advice.nearest) << ", a tile lacks "
         << advice.missingBytes << " bytes";
    return text;
  }
  os << "program fits ";
  for (auto [index, trial] : llvm::enumerate(advice.fitting)) {
    if (index > 0)
      os << (index + 1 == advice.fitting.size() ? " or " : ", ");
    os << "with " << describe(trial);
    if (trial.kind == MemoryTrialKind::Dimension)
      os << " (but not " << describe({trial.kind, advice.dimensionTooLarge})
         << ")";
    os << " (" << trial.outcome.bytes << " bytes, " << trial.outcome.cycles
       << " cycles)";
  }
  os << ", found in " << advice.tried.size() << trials;
  return text;
}

MemoryAdvice MemoryAdvisor::advise() {
  MLIRContext *context = original.getContext();
  MemoryStart start;
  start.sharePerMille = static_cast<int64_t>(settings.share * 1000 + 0.5);
  start.ipus = getTargetModel(original).ipus;
  if (dimension)
    start.dimension = dimension->size;
  start.copiesConstants = copiesConstants;
  start.hasVariables = llvm::any_of(
      original.getOps<pop::VariableOp>(),
      [](pop::VariableOp variable) { return !variable.getBuffer(); });
  start.transforms = settings.transforms;
  MemoryAdvice advice;
  MemoryTrialTime time(compileSeconds, trialSeconds);
  {
    // What is wrong with programs that are only tried is of no interest.
    ScopedDiagnosticHandler drop(context,
                                 [](Diagnostic &) { return success(); });
    advice = findMemoryAdvice(
        start,
        [&](const MemoryTrial &trial) {
          Stopwatch stopwatch;
          std::optional<MemoryOutcome> outcome = execute(trial);
          time.addTrial(stopwatch.getSeconds());
          return outcome;
        },
        [&] { return time.hasTime(); });
  }
  if (advice.tried.empty() && !advice.isStopped)
    return advice;
  auto function = original.lookupSymbol<func::FuncOp>(entry);
  Location loc = function ? function.getLoc() : original.getLoc();
  std::string limit =
      llvm::formatv("one trial is expected to take {0:F1} s, and all trials "
                    "together may take {1:F1} s",
                    time.getNext(), time.getLimit());
  if (advice.tried.empty()) {
    emitRemark(loc) << "other settings were not tried, because " << limit;
    return advice;
  }
  InFlightDiagnostic remark = emitRemark(loc) << describe(advice);
  remark.attachNote(loc) << "tried " << describeAll(advice.tried);
  if (advice.isStopped)
    remark.attachNote(loc) << "further settings were not tried, because "
                           << limit;
  return advice;
}
