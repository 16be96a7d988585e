//===- SplitOps.cpp - Split oversized ops -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: decomposed pop functions. Out: the same functions, in which ops are split
// as the planner chooses (docs/planner.md).
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Planner/Splits/SplitChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_SPLITOPSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

static remark::RemarkOpts getRemarkOpts(StringRef name) {
  return remark::RemarkOpts::name(name).category("ipu-split");
}

/// Emits a remark that compares the chosen alternative with the best other one.
static void remarkOnChoice(ModuleOp module, const SplitChoice &choice) {
  const SplitAlternative &chosen = choice.getChosen();
  const SplitAlternative *other = choice.getRunnerUp();
  if (!other)
    return;
  remark::passed(module.getLoc(), getRemarkOpts("pop-split-ops"))
      << remark::metric("form", chosen.getForm())
      << remark::metric("share", chosen.perMille)
      << remark::metric("cycles", chosen.rate->cycles)
      << remark::metric("code-excess", chosen.rate->codeExcess)
      << remark::metric("memory-excess", chosen.rate->memoryExcess)
      << remark::metric("other-form", other->getForm())
      << remark::metric("other-share", other->perMille)
      << remark::metric("other-cycles", other->rate->cycles)
      << remark::metric("other-code-excess", other->rate->codeExcess)
      << remark::metric("other-memory-excess", other->rate->memoryExcess);
}

static StringRef describe(ExcessReason reason) {
  switch (reason) {
  case ExcessReason::HugeTensor:
    return "the op uses a tensor that is larger than the memory of all tiles";
  case ExcessReason::NoSmallerSplit:
    return "no split of the op needs less memory";
  case ExcessReason::TooManyParts:
    return "the limit on splits per op is reached";
  }
  llvm_unreachable("unknown reason");
}

/// Warns that `op` does not fit.
static void warn(Operation *op, const SplitExcess &excess) {
  op->emitWarning() << "needs " << excess.bytes
                    << " bytes more on a tile than its share of "
                    << excess.share << " bytes, because "
                    << describe(excess.reason);
}

/// Splits the ops of `module` as `plan` states, with remarks and warnings.
static void applyPlan(ModuleOp module, const SplitPlan &plan) {
  auto lookUp = [&](const VisitedOp &visited) -> std::optional<SplitDecision> {
    if (const SplitExcess *excess = plan.findExcess(visited.number))
      warn(visited.op, *excess);
    const SplitDecision *decision = plan.findDecision(visited.number);
    if (!decision)
      return std::nullopt;
    const auto &[split, parts] = decision->variant;
    remark::passed(visited.op->getLoc(), getRemarkOpts(split.name))
        << remark::metric("parts", parts);
    return *decision;
  };
  visitSplits(module, plan, lookUp);
}

namespace {
struct SplitOps : ipu::impl::SplitOpsPassBase<SplitOps> {
  using SplitOpsPassBase::SplitOpsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PlanOptions options;
    FailureOr<int64_t> perMille =
        getMemoryPerMille(availableMemoryProportion, module.getLoc());
    if (failed(perMille) ||
        failed(pop::verifyVgraphs(module, getTargetModel(module).ipus)))
      return signalPassFailure();
    options.memoryPerMille = *perMille;
    SplitChoice choice =
        planSplits(module, getTargetModel(module), options, serialParts);
    remarkOnChoice(module, choice);
    applyPlan(module, choice.getChosen().plan);
  }
};
} // namespace
