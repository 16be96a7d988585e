//===- AddFuncDataFlowEdges.cpp - Edges of calls --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: functions and calls. Out: the only user of each argument of a function
// other than the main one, and of each result of a call, is an
// `sdy.func_data_flow_edge` with its sharding; the former users use the edge's
// result.
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
