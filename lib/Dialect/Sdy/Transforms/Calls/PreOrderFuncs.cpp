//===- PreOrderFuncs.cpp - Callers before callees -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_PREORDERFUNCSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// In: functions in any order. Out: callers before what they call, after all
/// else in the module.
struct PreOrderFuncsPass : sdy::impl::PreOrderFuncsPassBase<PreOrderFuncsPass> {
  using PreOrderFuncsPassBase::PreOrderFuncsPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    SmallVector<FunctionOpInterface> order = calls.getPreOrder();
    Block *body = getOperation().getBody();
    auto isLast = [&](unsigned count) {
      auto it = body->rbegin();
      for (; count > 0 && isa<FunctionOpInterface>(*it); --count)
        ++it;
      return count == 0;
    };
    if (llvm::equal(order, calls.getFunctions()) && isLast(order.size()))
      return markAllAnalysesPreserved();
    for (FunctionOpInterface function : order)
      function->moveBefore(body, body->end());
  }
};
} // namespace
