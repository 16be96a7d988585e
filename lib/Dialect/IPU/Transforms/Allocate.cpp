//===- Allocate.cpp - Allocation of tile memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an ipu program with the ends of its variables' live ranges. Out: the same
// program with a summary of its memory, if the program fits.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/StreamingMemory/StreamingMemory.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_ALLOCATEPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct Allocate : ipu::impl::AllocatePassBase<Allocate> {
  using AllocatePassBase::AllocatePassBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ModuleOp::getOperationName() ||
           name.getStringRef() == func::FuncOp::getOperationName();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    AllocatePassBase::getDependentDialects(registry);
    registerStepMemoryModels(registry);
  }

  void runOnOperation() override {
    if (auto module = dyn_cast<ModuleOp>(getOperation())) {
      if (failed(checkStreamingMemory(module, allowOOM)))
        return signalPassFailure();
      for (func::FuncOp program : getPrograms(module))
        if (failed(allocate(program)))
          return signalPassFailure();
      return;
    }
    auto function = cast<func::FuncOp>(getOperation());
    // A function without variables is no program.
    if (function.getOps<VarOp>().empty())
      return;
    CallOp call;
    function.walk([&](CallOp op) { call = op; });
    if (call) {
      call.emitOpError(
          "calls another function; run ipu-allocate on the module");
      return signalPassFailure();
    }
    if (failed(allocate(function)))
      signalPassFailure();
  }

private:
  LogicalResult allocate(func::FuncOp function);
};
} // namespace

LogicalResult Allocate::allocate(func::FuncOp function) {
  FailureOr<MemoryProblem> problem = readMemoryProblem(function);
  if (failed(problem))
    return failure();
  MemoryPlan plan = allocateMemory(*problem, &getContext());
  if (failed(verifyMemoryPlan(
          *problem, plan, [&] { return function.emitOpError(); },
          &getContext())))
    return failure();
  // There also if it fails: it tells that failure from all others.
  function->setAttr(IPUDialect::kMemoryAttrName,
                    getMemorySummary(&getContext(), plan));
  if (failed(checkMemory(function, *problem, plan, allowOOM)))
    return failure();
  const TileClass &fullest = plan.getFullest();
  remark::analysis(
      function.getLoc(),
      remark::RemarkOpts::name("ipu-allocate").category("ipu-memory"))
      << remark::metric("bytes", fullest.highWater)
      << remark::metric("tile", fullest.getFirstTile())
      << remark::metric("step", fullest.peakStep);
  return success();
}
