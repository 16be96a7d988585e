//===- CallsEdges.cpp - Shardings of functions from their bodies ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_PROPAGATETOFUNCRESULTSPASS
#define GEN_PASS_DEF_SINKFUNCDATAFLOWEDGESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// In: functions that are called. Out: their results have the shardings of what
/// is returned, or none if that has none. Results of the main function, and of
/// others that nobody calls, are what who calls these expects, and stay.
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

/// In: edges of functions and calls. Out: no edges; arguments and results of
/// calls have their shardings, or open ones if they had some and their edges
/// have none.
struct SinkFuncDataFlowEdgesPass
    : sdy::impl::SinkFuncDataFlowEdgesPassBase<SinkFuncDataFlowEdgesPass> {
  using SinkFuncDataFlowEdgesPassBase::SinkFuncDataFlowEdgesPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](FuncDataFlowEdgeOp edge) {
      changed = true;
      Value input = edge.getInput();
      TensorShardingAttr old = getSharding(input);
      if (TensorShardingAttr sharding = getSharding(edge.getResult()))
        setSharding(input, sharding);
      else if (old)
        setSharding(input,
                    TensorShardingAttr::getFullyOpen(
                        &getContext(), old.getRank(), old.getMeshOrRef()));
      edge.replaceAllUsesWith(input);
      edge.erase();
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
