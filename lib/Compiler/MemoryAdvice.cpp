//===- MemoryAdvice.cpp - Memory advice -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/MemoryAdvice.h"

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
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
/// Numbers of IPUs that are tried; the fewest that fit are enough.
static constexpr int64_t kIPUs[] = {2, 4, 8, 16};
/// Sizes of the dimension that are tried: enough to find the greatest of 255.
static constexpr int64_t kMaxSizes = 8;

static_assert(1 + std::size(kShares) + std::size(kIPUs) + kMaxSizes ==
              kMaxMemoryTrials);

MemoryAdvice mlir::ipu::findMemoryAdvice(
    const MemoryStart &start,
    function_ref<std::optional<int64_t>(const MemoryTrial &)> missing,
    function_ref<bool()> hasTime) {
  MemoryAdvice advice;
  auto mayTry = [&] {
    advice.isStopped = advice.isStopped || !hasTime();
    return !advice.isStopped;
  };
  auto fits = [&](const MemoryTrial &trial) {
    advice.tried.push_back(trial);
    std::optional<int64_t> bytes = missing(trial);
    if (bytes == 0)
      return true;
    if (bytes && (!advice.nearest || *bytes < advice.missingBytes)) {
      advice.nearest = trial;
      advice.missingBytes = *bytes;
    }
    return false;
  };
  auto addFirstThatFits = [&](MemoryTrialKind kind, ArrayRef<int64_t> values,
                              function_ref<bool(int64_t)> isWanted) {
    for (int64_t value : values) {
      if (!isWanted(value))
        continue;
      if (!mayTry())
        return;
      if (fits({kind, value})) {
        advice.fitting.push_back({kind, value});
        return;
      }
    }
  };
  addFirstThatFits(MemoryTrialKind::CopyConstants, {0},
                   [&](int64_t) { return start.copiesConstants; });
  addFirstThatFits(MemoryTrialKind::Share, kShares,
                   [&](int64_t share) { return share < start.sharePerMille; });
  addFirstThatFits(MemoryTrialKind::IPUs, kIPUs,
                   [&](int64_t ipus) { return ipus > start.ipus; });
  // Bisection: at 0 there is nothing to compute, and nothing to say.
  int64_t least = 0, tooLarge = start.dimension.value_or(0);
  for (int64_t i = 0; i < kMaxSizes && tooLarge - least > 1 && mayTry(); ++i) {
    int64_t middle = least + (tooLarge - least) / 2;
    (fits({MemoryTrialKind::Dimension, middle}) ? least : tooLarge) = middle;
  }
  if (least > 0) {
    advice.fitting.push_back({MemoryTrialKind::Dimension, least});
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

std::optional<int64_t>
MemoryAdvisor::getMissingBytesOf(const MemoryTrial &trial) {
  OwningOpRef<ModuleOp> module = make(trial);
  MemorySettings tried = settings;
  if (trial.kind == MemoryTrialKind::CopyConstants)
    tried.copyConstants = trial.value != 0;
  if (trial.kind == MemoryTrialKind::Share)
    tried.share = getShare(trial);
  return module ? getMissingBytes(std::move(module), tried) : std::nullopt;
}

/// `=VALUE` follows the name in remarks.
static StringRef getName(const MemoryTrial &trial, StringRef dimension) {
  switch (trial.kind) {
  case MemoryTrialKind::CopyConstants:
    return "copy-constants";
  case MemoryTrialKind::Share:
    return "available-memory-proportion";
  case MemoryTrialKind::IPUs:
    return "ipus";
  case MemoryTrialKind::Dimension:
    return dimension;
  }
  llvm_unreachable("unknown kind");
}

static std::string getValue(const MemoryTrial &trial) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (trial.kind == MemoryTrialKind::CopyConstants)
    os << (trial.value ? "true" : "false");
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
          std::optional<int64_t> missing = getMissingBytesOf(trial);
          time.addTrial(stopwatch.getSeconds());
          return missing;
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
