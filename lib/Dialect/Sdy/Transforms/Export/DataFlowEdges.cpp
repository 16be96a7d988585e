//===- DataFlowEdges.cpp - Edges back to their owners ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Propagation/ShardingState.h"
#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_SINKDATAFLOWEDGESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// With the manual axes that the edge of a computation's argument lacks.
static TensorShardingAttr addManualAxes(Value owner,
                                        TensorShardingAttr sharding) {
  auto argument = dyn_cast<BlockArgument>(owner);
  auto manual =
      argument
          ? dyn_cast<ManualComputationOp>(argument.getOwner()->getParentOp())
          : ManualComputationOp();
  if (!manual || manual.getManualAxes().empty())
    return sharding;
  TensorShardingAttr given = getSharding(owner);
  SmallVector<sharding::AxisList> leading = getLeadingManualAxes(manual, given);
  TensorShardingAttr full =
      replaceDims(sharding, [&](unsigned i, DimensionShardingAttr dim) {
        SmallVector<AxisRefAttr> axes(
            given.getDimShardings()[i].getAxes().take_front(leading[i].size()));
        llvm::append_range(axes, dim.getAxes());
        return replaceAxes(dim, axes);
      });
  return TensorShardingAttr::get(
      full.getContext(), given.getMeshOrRef(), full.getDimShardings(),
      given.getReplicatedAxes(), given.getUnreducedAxes(),
      given.getReductionKind());
}

namespace {
struct SinkDataFlowEdgesPass
    : sdy::impl::SinkDataFlowEdgesPassBase<SinkDataFlowEdgesPass> {
  using SinkDataFlowEdgesPassBase::SinkDataFlowEdgesPassBase;
  void runOnOperation() override {
    // Walking does not survive the loss of the op that comes next.
    SmallVector<ShardableDataFlowOpInterface> ops;
    getOperation().walk(
        [&](ShardableDataFlowOpInterface op) { ops.push_back(op); });
    for (ShardableDataFlowOpInterface op : ops)
      for (Value owner : op.getEdgeOwners()) {
        DataFlowEdgeOp edge = getEdgeOp(owner);
        if (!edge)
          continue;
        if (TensorShardingAttr sharding = edge.getShardingAttr())
          setSharding(owner, addManualAxes(owner, sharding));
        edge.replaceAllUsesWith(owner);
        edge.erase();
      }
  }
};
} // namespace
