//===- CacheReadPass.cpp - Caches of inputs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CACHEREADPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct CacheReadPass : fuse::impl::CacheReadPassBase<CacheReadPass> {
  using CacheReadPassBase::CacheReadPassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor)))
      return signalPassFailure();
    if (failed(withTensors(
            getOperation(), StringRef(tensor),
            [&](FusionSchedule &fusion, ArrayRef<TensorId> tensors,
                FusionSchedule::EmitErrorFn emitError) -> LogicalResult {
              return fusion.cacheRead(tensors.front(), emitError);
            })))
      signalPassFailure();
  }
};
} // namespace
