//===- SplitPass.cpp - Splitting of loops ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with one loop of one tensor split in two.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SPLITPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct SplitPass : fuse::impl::SplitPassBase<SplitPass> {
  using SplitPassBase::SplitPassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor, axis,
                                       factor)))
      return signalPassFailure();
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            return fusion.apply(
                                fusion.schedule.split(id, axis, factor, inner),
                                emitError);
                          })))
      signalPassFailure();
  }
};
} // namespace
