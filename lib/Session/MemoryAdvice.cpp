//===- MemoryAdvice.cpp - Memory advice -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Session/MemoryAdvice.h"

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/ModuleTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
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
    function_ref<std::optional<int64_t>(const MemoryTrial &)> missing) {
  MemoryAdvice advice;
  auto fits = [&](const MemoryTrial &trial) {
    ++advice.numTrials;
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
    for (int64_t value : values)
      if (isWanted(value) && fits({kind, value})) {
        advice.fitting.push_back({kind, value});
        return;
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
  for (int64_t i = 0; i < kMaxSizes && tooLarge - least > 1; ++i) {
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
    return resize(trial.value);
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
  if (!module || failed(compile(*module, tried)))
    return std::nullopt;
  return getMissingBytes(*module);
}

std::string MemoryAdvisor::describe(const MemoryTrial &trial) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (trial.kind) {
  case MemoryTrialKind::CopyConstants:
    os << "copy-constants=" << (trial.value ? "true" : "false");
    break;
  case MemoryTrialKind::Share:
    os << "available-memory-proportion=" << llvm::format("%g", getShare(trial));
    break;
  case MemoryTrialKind::IPUs:
    os << "ipus=" << trial.value;
    break;
  case MemoryTrialKind::Dimension:
    os << dimension << '=' << trial.value;
    break;
  }
  return text;
}

void MemoryAdvisor::advise() {
  MLIRContext *context = original.getContext();
  MemoryStart start;
  start.sharePerMille = static_cast<int64_t>(settings.share * 1000 + 0.5);
  start.ipus = getTargetModel(original).ipus;
  if (resize)
    start.dimension = dimensionSize;
  start.copiesConstants = copiesConstants;
  MemoryAdvice advice;
  {
    // What is wrong with programs that are only tried is of no interest.
    ScopedDiagnosticHandler drop(context,
                                 [](Diagnostic &) { return success(); });
    advice = findMemoryAdvice(start, [&](const MemoryTrial &trial) {
      return getMissingBytesOf(trial);
    });
  }
  if (advice.numTrials == 0)
    return;
  auto function = original.lookupSymbol<func::FuncOp>(entry);
  InFlightDiagnostic remark =
      emitRemark(function ? function.getLoc() : original.getLoc());
  StringRef trials = advice.numTrials == 1 ? " trial" : " trials";
  if (advice.fitting.empty()) {
    remark << "program fits in none of " << advice.numTrials << trials;
    if (advice.nearest)
      remark << "; at best, with " << describe(*advice.nearest)
             << ", a tile lacks " << advice.missingBytes << " bytes";
    return;
  }
  remark << "program fits ";
  for (auto [index, trial] : llvm::enumerate(advice.fitting)) {
    if (index > 0)
      remark << (index + 1 == advice.fitting.size() ? " or " : ", ");
    remark << "with " << describe(trial);
    if (trial.kind == MemoryTrialKind::Dimension)
      remark << " (but not " << describe({trial.kind, advice.dimensionTooLarge})
             << ")";
  }
  remark << ", found in " << advice.numTrials << trials;
}
