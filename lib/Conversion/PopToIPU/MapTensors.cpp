//===- MapTensors.cpp - Which tile holds which part -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a decomposed pop function.
// Out: the same with an `ipu.map` on each argument and each op whose result
// needs storage.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Planner/ProgramPlan.h"

#include "mlir/IR/Remarks.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MAPTENSORSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct MapTensors : ipu::impl::MapTensorsPassBase<MapTensors> {
  using MapTensorsPassBase::MapTensorsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    ProgramPlanOptions options;
    options.kind = planner;
    FailureOr<int64_t> perMille =
        getMemoryPerMille(availableMemoryProportion, function.getLoc());
    if (failed(perMille))
      return signalPassFailure();
    options.plan.memoryPerMille = *perMille;
    FailureOr<ProgramPlan> plan = planProgram(function, options);
    if (failed(plan))
      return signalPassFailure();
    for (auto [value, map] : plan->maps) {
      if (auto argument = dyn_cast<BlockArgument>(value))
        function.setArgAttr(argument.getArgNumber(), IPUDialect::kMapAttrName,
                            map);
      else
        value.getDefiningOp()->setAttr(IPUDialect::kMapAttrName, map);
    }
    remark::analysis(
        function.getLoc(),
        remark::RemarkOpts::name("pop-map-tensors").category("ipu-plan"))
        << remark::metric("cycles", plan->cycles)
        << remark::metric("generic", plan->genericCycles)
        << remark::metric("greedy", plan->greedyCycles)
        << remark::metric("optimal", plan->isOptimal)
        << remark::metric("plans", plan->numPlans)
        << remark::metric("plan-hits", plan->numPlanHits)
        << remark::metric("tables", plan->numTables)
        << remark::metric("table-hits", plan->numTableHits)
        << remark::metric("exchanges", plan->numExchanges);
  }
};
} // namespace
