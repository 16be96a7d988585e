//===- UserPriorityPropagate.cpp - Propagation by user priority -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PropagatePass.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_USERPRIORITYPROPAGATEPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct UserPriorityPropagatePass
    : PropagatePass<
          sdy::impl::UserPriorityPropagatePassBase<UserPriorityPropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = strategy;
    options.opPriority = runOpPriority;
    options.userPriority = true;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};
} // namespace
