//===- ComputeAtPass.cpp - Pass for computeAt -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, where one tensor, and the tensors between
// it and a consumer, are computed in shared loops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_COMPUTEATPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct ComputeAtPass : fuse::impl::ComputeAtPassBase<ComputeAtPass> {
  using ComputeAtPassBase::ComputeAtPassBase;

  void runOnOperation() override {
    if (failed(
            ipu::verifyOptionsGiven(*this, getOperation(), producer, consumer)))
      return signalPassFailure();
    ComputeAtOptions options;
    std::optional<InlineMode> inlineMode = symbolizeInlineMode(mode);
    if (!inlineMode) {
      emitError(getOperation()->getLoc())
          << "expects 'mode' to be standard, best_effort or "
             "most_inlined but got '"
          << mode << "'";
      return signalPassFailure();
    }
    options.mode = *inlineMode;
    if (hoist == "true" || hoist == "false") {
      options.hoist = hoist == "true";
    } else if (!hoist.empty()) {
      emitError(getOperation()->getLoc())
          << "expects 'hoist' to be true or false but got '" << hoist << "'";
      return signalPassFailure();
    }
    if (failed(withTensors(
            getOperation(), {producer, consumer},
            [&](FusionSchedule &fusion, ArrayRef<TensorId> tensors,
                FusionSchedule::EmitErrorFn emitError) {
              // The position is one of the consumer.
              bool isPosition =
                  fusion.schedule.normalizePosition(tensors[1], position)
                      .has_value();
              linalg::LinalgOp op = fusion.getOp(tensors[1]);
              return computeAt(fusion, tensors[0], tensors[1], position,
                               options, recompute, [&] {
                                 return isPosition || !op
                                            ? emitError()
                                            : mlir::emitError(op.getLoc());
                               });
            })))
      signalPassFailure();
  }
};
} // namespace
