//===- PropagateToFuncResults.cpp - Shardings of returned values ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_PROPAGATETOFUNCRESULTSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// In: functions that are called. Out: their results have the shardings of what
/// is returned, or none if that has none. Results of the main function, and of
/// others without callers, are what callers from outside expect, and stay.
struct PropagateToFuncResultsPass
    : sdy::impl::PropagateToFuncResultsPassBase<PropagateToFuncResultsPass> {
  using PropagateToFuncResultsPassBase::PropagateToFuncResultsPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    FunctionOpInterface main = getMainFunction(getOperation());
    StringAttr name = StringAttr::get(&getContext(), kShardingAttrName);
    bool changed = false;
    for (FunctionOpInterface function : calls.getFunctions()) {
      Operation *terminator = getReturn(function);
      if (function == main || !terminator || calls.getCallsOf(function).empty())
        continue;
      for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
        TensorShardingAttr sharding = getSharding(value);
        if (function.getResultAttr(i, name) == sharding)
          continue;
        changed = true;
        if (sharding)
          function.setResultAttr(i, name, sharding);
        else
          function.removeResultAttr(i, name);
      }
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
