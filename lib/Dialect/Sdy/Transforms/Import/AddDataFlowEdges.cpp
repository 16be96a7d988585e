//===- AddDataFlowEdges.cpp - Edges of region ops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../DataFlowEdges.h"
#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_ADDDATAFLOWEDGESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct AddDataFlowEdgesPass
    : sdy::impl::AddDataFlowEdgesPassBase<AddDataFlowEdgesPass> {
  using AddDataFlowEdgesPassBase::AddDataFlowEdgesPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](ShardableDataFlowOpInterface op) {
      OpBuilder builder(op.getContext());
      Operation *last = nullptr;
      for (Value owner : op.getEdgeOwners()) {
        auto type = dyn_cast<RankedTensorType>(owner.getType());
        if (!type || !type.hasStaticShape() || getEdgeOp(owner))
          continue;
        // In the order of the owners.
        if (last && last->getBlock() == owner.getParentBlock())
          builder.setInsertionPointAfter(last);
        else
          builder.setInsertionPointAfterValue(owner);
        auto edge =
            DataFlowEdgeOp::create(builder, owner.getLoc(), owner.getType(),
                                   owner, getLocalSharding(owner));
        owner.replaceAllUsesExcept(edge.getResult(), edge);
        last = edge;
        changed = true;
      }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
