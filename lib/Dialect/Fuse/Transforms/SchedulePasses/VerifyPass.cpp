//===- VerifyPass.cpp - Verification of schedules -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions, or an error if a schedule is not legal.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_VERIFYPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct VerifyPass : fuse::impl::VerifyPassBase<VerifyPass> {
  using VerifyPassBase::VerifyPassBase;

  void runOnOperation() override {
    FailureOr<std::vector<FusionSchedule>> fusions =
        readFusions(getOperation());
    if (failed(fusions))
      return signalPassFailure();
    for (FusionSchedule &fusion : *fusions) {
      LoopNest nest;
      LoopClasses classes = LoopClasses::build(fusion.schedule);
      if (failed(verifySchedule(fusion, classes, nest)))
        signalPassFailure();
      else
        remarkRepetitions(fusion, classes);
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
