//===- AutoSchedulePass.cpp - Schedule fusions by a cost model ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with fusions. Out: the same function, with schedules.
//
//===----------------------------------------------------------------------===//

#include "../InputCaches.h"

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

  /// Schedules the fusion as it is and, where an op that reads an input for
  /// others may help, with that; the better one stays.
  LogicalResult schedule(FusionOp fusion, const AutoScheduleOptions &options) {
    FailureOr<FusionSchedule> plain = FusionSchedule::read(fusion);
    if (failed(plain))
      return failure();
    // Not in the function, where it would be counted in the names of others.
    auto other = cast<FusionOp>(fusion->clone());
    bool hasCaches = !addUsefulCaches(other).empty();
    FailureOr<FusionEstimate> estimate = autoSchedule(*plain, options);
    if (failed(estimate))
      return failure();
    if (!hasCaches) {
      other.erase();
      return report(fusion, *estimate);
    }
    FailureOr<FusionSchedule> cached = FusionSchedule::read(other);
    if (failed(cached))
      return failure();
    FailureOr<FusionEstimate> better = autoSchedule(*cached, options);
    if (failed(better))
      return failure();
    // What the program moves has no copies of inputs.
    better->unfusedBytes = estimate->unfusedBytes;
    if (better->getCost(options.cost) >= estimate->getCost(options.cost)) {
      other.erase();
      return report(fusion, *estimate);
    }
    OpBuilder(fusion).insert(other);
    fusion.replaceAllUsesWith(other.getResults());
    fusion.erase();
    return report(other, *better);
  }

  static LogicalResult report(FusionOp fusion, const FusionEstimate &estimate) {
    remark::passed(fusion.getLoc(),
                   remark::RemarkOpts::name("Fused").category("ipu-fuse"))
        << remark::metric("bytesSaved", int64_t(estimate.getSavedBytes()))
        << remark::metric("recompute", float(estimate.getRecompute()));
    return success();
  }

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
    if (cacheBytes < 0) {
      getOperation().emitError()
          << "expects 'cache-bytes' to be 0 or more but got "
          << cacheBytes.getValue();
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
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp op) { fusions.push_back(op); });
    for (FusionOp fusion : fusions)
      if (failed(schedule(fusion, options)))
        return signalPassFailure();
  }
};
} // namespace
