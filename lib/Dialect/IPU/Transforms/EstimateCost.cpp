//===- EstimateCost.cpp - Cycles, operations and bytes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an ipu program.
// Out: the same with the estimated cost on every step, at the level asked for.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_ESTIMATECOSTPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Emits an error for steps that have no estimate.
static WalkResult canEstimate(Operation *op) {
  // Symbols are verified only below a symbol table.
  if (auto vertices = dyn_cast<VerticesOp>(op))
    if (!SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
            op, vertices.getCodeletAttr())) {
      op->emitOpError() << "expects " << vertices.getCodeletAttr()
                        << " to be an 'ipu.codelet'";
      return WalkResult::interrupt();
    }
  return WalkResult::advance();
}

namespace {
struct EstimateCost : ipu::impl::EstimateCostPassBase<EstimateCost> {
  using EstimateCostPassBase::EstimateCostPassBase;

  void runOnOperation() override {
    TargetModel target = getTargetModel(getOperation());
    if (getOperation().walk(canEstimate).wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](ComputeSetOp step) {
            setCost(step, getComputeCost(target, step, level));
          })
          .Case([&](ExchangeOp step) {
            setCost(step, getExchangeCost(target, step));
          })
          .Case([&](SyncOp step) { setCost(step, getSyncCost(target, step)); })
          .Case([&](RepeatOp step) {
            setCost(step, getRepeatCost(target, step));
          })
          .Case<HostLoadOp, HostStoreOp>([&](auto step) {
            setCost(step, getHostCopyCost(target, step.getVariable()));
          });
    });
  }

private:
  template <typename StepOp>
  void setCost(StepOp step, StepCostAttr cost) {
    step.setCostAttr(cost);
    int64_t cycles = *llvm::max_element(cost.getCycles());
    remark::analysis(step.getLoc(),
                     remark::RemarkOpts::name(step->getName().getStringRef())
                         .category("ipu-cost"))
        << remark::metric("cycles", cycles)
        << remark::metric("bytes", cost.getBytes());
  }
};
} // namespace
