//===- SinkDataFlowEdges.cpp - Removal of edges ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

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
  ManualComputationOp manual = getManualComputation(owner);
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
    if (ops.empty())
      markAllAnalysesPreserved();
    for (ShardableDataFlowOpInterface op : ops)
      for (Value owner : op.getEdgeOwners()) {
        DataFlowEdgeOp edge = getEdgeOp(owner);
        if (!edge)
          continue;
        if (TensorShardingAttr sharding = edge.getShardingAttr())
          setSharding(owner, addManualAxes(owner, sharding));
        sinkDebugInfo(op, owner, edge);
        edge.replaceAllUsesWith(owner);
        edge.erase();
      }
  }

private:
  /// Moves what `edge` says of propagation into the entry of `owner` in an
  /// array attribute of the op: one for arguments of blocks, one for results.
  void sinkDebugInfo(Operation *op, Value owner, DataFlowEdgeOp edge) const;
};
} // namespace

void SinkDataFlowEdgesPass::sinkDebugInfo(Operation *op, Value owner,
                                          DataFlowEdgeOp edge) const {
  MLIRContext *context = op->getContext();
  auto argument = dyn_cast<BlockArgument>(owner);
  unsigned index = argument ? argument.getArgNumber()
                            : cast<OpResult>(owner).getResultNumber();
  size_t size =
      argument ? argument.getOwner()->getNumArguments() : op->getNumResults();
  auto put = [&](StringRef name, Attribute entry, Attribute nothing) {
    SmallVector<Attribute> entries(size, nothing);
    if (auto old = op->getAttrOfType<ArrayAttr>(name);
        old && old.size() == size)
      entries.assign(old.begin(), old.end());
    entries[index] = entry;
    op->setAttr(name, ArrayAttr::get(context, entries));
  };
  Attribute origins = edge->getAttr(kShardingOriginsAttrName);
  if (origins && sinkDebugShardingOrigins)
    put(argument ? kBlockArgShardingOriginsAttrName
                 : kResultShardingOriginsAttrName,
        origins, DictionaryAttr::get(context));
  Attribute edges = edge->getAttr(kPropagationEdgesAttrName);
  if (edges && sinkDebugPropagationEdges)
    put(argument ? kBlockArgPropagationEdgesAttrName
                 : kResultPropagationEdgesAttrName,
        edges, PropagationEdgesAttr::get(context, {}));
}
