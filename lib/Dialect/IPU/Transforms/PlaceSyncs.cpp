//===- PlaceSyncs.cpp - IPUs of syncs ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program whose operands are on the tiles that read them. Out: the same
// program, in which each sync names the IPUs that have to wait.
//
//===----------------------------------------------------------------------===//

#include "StepIPUs.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_PLACESYNCSPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Returns the IPUs of the steps that wait for `sync`: of all steps that move
/// data, up to the next sync, call, loop or branch. There are none if the sync
/// is for steps elsewhere.
static llvm::SmallBitVector getWaiting(SyncOp sync, StepIPUs &ipus,
                                       int64_t numIPUs) {
  llvm::SmallBitVector waiting(numIPUs);
  for (Operation *op = sync->getNextNode(); op; op = op->getNextNode()) {
    if (isa<SyncOp, CallOp, RegionBranchOpInterface>(op))
      break;
    auto step = dyn_cast<StepOpInterface>(op);
    if (step && step.getStepKind() != StepKind::Compute)
      waiting |= ipus.getIPUs(op);
  }
  return waiting;
}

namespace {
struct PlaceSyncs : ipu::impl::PlaceSyncsPassBase<PlaceSyncs> {
  void runOnOperation() override {
    TargetModel target = getTargetModel(getOperation());
    if (target.ipus == 1)
      return markAllAnalysesPreserved();
    StepIPUs ipus(target);
    getOperation().walk([&](SyncOp sync) {
      llvm::SmallBitVector waiting = getWaiting(sync, ipus, target.ipus);
      if (waiting.none() || waiting.all() || sync.getIpus())
        return;
      sync.setIpus(llvm::to_vector_of<int64_t>(waiting.set_bits()));
      sync.removeCostAttr();
    });
  }
};
} // namespace
