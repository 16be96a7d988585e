//===- PropagateShardingFromFuncToCall.cpp - Shardings of calls -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_PROPAGATESHARDINGFROMFUNCTOCALLPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// In: calls. Out: a call whose results have no shardings has those of the
/// callee's results, if that has any.
struct PropagateShardingFromFuncToCallPass
    : sdy::impl::PropagateShardingFromFuncToCallPassBase<
          PropagateShardingFromFuncToCallPass> {
  using PropagateShardingFromFuncToCallPassBase::
      PropagateShardingFromFuncToCallPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    bool changed = false;
    for (FunctionOpInterface callee : calls.getFunctions()) {
      TensorShardingPerValueAttr shardings = getResultShardings(callee);
      if (!shardings)
        continue;
      for (CallOpInterface call : calls.getCallsOf(callee))
        if (!call->hasAttr(kShardingAttrName)) {
          call->setAttr(kShardingAttrName, shardings);
          changed = true;
        }
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
