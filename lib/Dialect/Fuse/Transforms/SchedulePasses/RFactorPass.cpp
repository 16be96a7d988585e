//===- RFactorPass.cpp - Splitting of reductions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with one reduction split into two ops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_RFACTORPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct RFactorPass : fuse::impl::RFactorPassBase<RFactorPass> {
  using RFactorPassBase::RFactorPassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor, axes)))
      return signalPassFailure();
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            return failure(failed(fusion.rfactor(
                                id, llvm::to_vector(axes), emitError)));
                          })))
      signalPassFailure();
  }
};
} // namespace
