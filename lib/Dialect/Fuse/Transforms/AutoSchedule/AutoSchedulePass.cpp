//===- AutoSchedulePass.cpp - Schedule fusions by a cost model ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with fusions. Out: the same, with schedules.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_AUTOSCHEDULEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct AutoSchedulePass : fuse::impl::AutoSchedulePassBase<AutoSchedulePass> {
  using AutoSchedulePassBase::AutoSchedulePassBase;

  void runOnOperation() override {
    AutoScheduleOptions options;
    options.vectorWidth = vectorWidth;
    options.cost.cacheBytes = cacheBytes;
    if (vectorWidth < 1 || !llvm::isPowerOf2_64(vectorWidth) ||
        vectorWidth > 64) {
      getOperation().emitError() << "expects 'vector-width' to be a power of "
                                    "two up to 64 but got "
                                 << vectorWidth.getValue();
      return signalPassFailure();
    }
    if (reductionOrder != "serial" && reductionOrder != "blocked") {
      getOperation().emitError()
          << "expects 'reduction-order' to be serial or blocked but got '"
          << reductionOrder.getValue() << "'";
      return signalPassFailure();
    }
    if (reductionOrder == "blocked")
      options.reductionOrder = ReductionOrder::Blocked;
    FailureOr<std::vector<FusionSchedule>> fusions =
        readFusions(getOperation());
    if (failed(fusions))
      return signalPassFailure();
    for (FusionSchedule &fusion : *fusions) {
      FailureOr<FusionEstimate> estimate = autoSchedule(fusion, options);
      if (failed(estimate))
        return signalPassFailure();
      Location loc = fusion.getFusion().getLoc();
      remark::passed(loc,
                     remark::RemarkOpts::name("Fused").category("ipu-fuse"))
          << remark::metric("bytesSaved", int64_t(estimate->getSavedBytes()))
          << remark::metric("recompute", float(estimate->getRecompute()));
    }
  }
};
} // namespace
