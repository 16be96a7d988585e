//===- ReorderPass.cpp - Permutation of loops -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with the loops of one tensor permuted.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_REORDERPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct ReorderPass : fuse::impl::ReorderPassBase<ReorderPass> {
  using ReorderPassBase::ReorderPassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor, order)))
      return signalPassFailure();
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            return fusion.apply(fusion.schedule.reorder(
                                                    id, llvm::to_vector(order)),
                                                emitError);
                          })))
      signalPassFailure();
  }
};
} // namespace
