//===- SetTypePass.cpp - Types of loops -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with another type of one loop of one
// tensor.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SETTYPEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct SetTypePass : fuse::impl::SetTypePassBase<SetTypePass> {
  using SetTypePassBase::SetTypePassBase;

  void runOnOperation() override {
    if (failed(
            ipu::verifyOptionsGiven(*this, getOperation(), tensor, axis, type)))
      return signalPassFailure();
    std::optional<LoopType> loopType = symbolizeLoopType(type);
    if (!loopType) {
      emitError(getOperation()->getLoc())
          << "expects 'type' to be serial, parallel, vectorize or "
             "unroll but got '"
          << type << "'";
      return signalPassFailure();
    }
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            return fusion.apply(fusion.schedule.setLoopType(
                                                    id, axis, *loopType),
                                                emitError);
                          })))
      signalPassFailure();
  }
};
} // namespace
