//===- InlineMostPass.cpp - Pass for inlineMost ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, with the deepest legal positions.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_INLINEMOSTPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct InlineMostPass : fuse::impl::InlineMostPassBase<InlineMostPass> {
  using InlineMostPassBase::InlineMostPassBase;

  void runOnOperation() override {
    FailureOr<std::vector<FusionSchedule>> fusions =
        readFusions(getOperation());
    if (failed(fusions))
      return signalPassFailure();
    for (FusionSchedule &fusion : *fusions) {
      inlineMost(fusion.schedule, /*only=*/nullptr, hoist);
      fusion.write();
    }
  }
};
} // namespace
