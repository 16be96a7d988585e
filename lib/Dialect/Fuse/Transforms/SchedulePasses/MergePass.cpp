//===- MergePass.cpp - Merging of loops -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with two adjacent loops of one tensor
// merged.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/RequiredOptions.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_MERGEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct MergePass : fuse::impl::MergePassBase<MergePass> {
  using MergePassBase::MergePassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyOptionsGiven(*this, getOperation(), tensor, axis)))
      return signalPassFailure();
    if (failed(withTensor(getOperation(), tensor,
                          [&](FusionSchedule &fusion, TensorId id,
                              FusionSchedule::EmitErrorFn emitError) {
                            // The next one of the last axis is out of range,
                            // not the first one.
                            std::optional<unsigned> outer =
                                fusion.schedule.normalizeAxis(id, axis);
                            int64_t first = outer ? *outer : axis.getValue();
                            int64_t second = outer ? *outer + 1 : first;
                            return fusion.apply(
                                fusion.schedule.merge(id, first, second),
                                emitError);
                          })))
      signalPassFailure();
  }
};
} // namespace
