//===- PrintSchedulePass.cpp - Printing of schedules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: fusions. Out: the same fusions. The pass prints a line for each tensor on
// stdout.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PRINTSCHEDULEPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct PrintSchedulePass
    : fuse::impl::PrintSchedulePassBase<PrintSchedulePass> {
  using PrintSchedulePassBase::PrintSchedulePassBase;

  void runOnOperation() override {
    FailureOr<std::vector<FusionSchedule>> fusions =
        readFusions(getOperation());
    if (failed(fusions))
      return signalPassFailure();
    for (FusionSchedule &fusion : *fusions)
      printSchedule(fusion, llvm::outs());
    markAllAnalysesPreserved();
  }
};
} // namespace
