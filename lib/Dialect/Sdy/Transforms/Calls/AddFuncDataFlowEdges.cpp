//===- AddFuncDataFlowEdges.cpp - An op for each edge of calls ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: functions and calls. Out: each argument of a function but the main one,
// and each result of a call, is used by an `sdy.func_data_flow_edge` alone,
// which has its sharding; the users read that.
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "CallUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_ADDFUNCDATAFLOWEDGESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// In the order of the values.
static void addEdges(OpBuilder &builder, ValueRange values) {
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || getFuncEdgeOp(value))
      continue;
    auto edge =
        FuncDataFlowEdgeOp::create(builder, value.getLoc(), type, value);
    value.replaceAllUsesExcept(edge.getResult(), edge);
    if (TensorShardingAttr sharding = getSharding(value))
      setSharding(edge.getResult(), sharding);
  }
}

namespace {
struct AddFuncDataFlowEdgesPass
    : sdy::impl::AddFuncDataFlowEdgesPassBase<AddFuncDataFlowEdgesPass> {
  using AddFuncDataFlowEdgesPassBase::AddFuncDataFlowEdgesPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    FunctionOpInterface main = getMainFunction(getOperation());
    OpBuilder builder(&getContext());
    for (FunctionOpInterface function : calls.getFunctions()) {
      if (function != main && !function.isExternal()) {
        builder.setInsertionPointToStart(&function.front());
        addEdges(builder, function.getArguments());
      }
      for (CallOpInterface call : calls.getCallsIn(function)) {
        // What a declaration returns is not known.
        if (calls.getCallee(call).isExternal())
          continue;
        builder.setInsertionPointAfter(call);
        addEdges(builder, call->getResults());
      }
    }
  }
};
} // namespace
