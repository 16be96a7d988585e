//===- PropagatePass.cpp - Propagation of loops ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, where all tensors of one fusion have
// loops like the loops of one tensor.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PROPAGATEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct PropagatePass : fuse::impl::PropagatePassBase<PropagatePass> {
  using PropagatePassBase::PropagatePassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor)))
      return signalPassFailure();
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            return fusion.apply(
                                propagate(fusion.schedule, id, position),
                                emitError);
                          })))
      signalPassFailure();
  }
};
} // namespace
