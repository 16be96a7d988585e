//===- SinkFuncDataFlowEdges.cpp - Removal of edges of calls --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_SINKFUNCDATAFLOWEDGESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
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
