//===- DataFlowEdges.cpp - Edges of region ops and of calls ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataFlowEdges.h"

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

DataFlowEdgeOp sdy::getEdgeOp(Value owner) {
  return owner.hasOneUse() ? dyn_cast<DataFlowEdgeOp>(*owner.user_begin())
                           : DataFlowEdgeOp();
}

Value sdy::getShardedValue(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    Operation *parent = block->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return block->isEntryBlock() ? value : Value();
    auto dataFlow = dyn_cast<ShardableDataFlowOpInterface>(parent);
    value = dataFlow ? dataFlow.getEdgeOwner(argument) : Value();
  }
  if (!value)
    return value;
  DataFlowEdgeOp edge = getEdgeOp(value);
  return edge ? edge.getResult() : value;
}

SmallVector<sharding::AxisList>
sdy::getLeadingManualAxes(ManualComputationOp op, TensorShardingAttr global) {
  MeshAttr mesh = global.getMesh(op);
  SmallVector<sharding::AxisList> all;
  for (DimensionShardingAttr dim : global.getDimShardings()) {
    sharding::AxisList &leading = all.emplace_back();
    for (AxisRefAttr axis : dim.getAxes()) {
      if (!op.getManualAxes().contains(axis.getName()))
        break;
      leading.push_back(*getAxisRef(axis, mesh));
    }
  }
  return all;
}

FuncDataFlowEdgeOp sdy::getFuncEdgeOp(Value value) {
  return value.hasOneUse() ? dyn_cast<FuncDataFlowEdgeOp>(*value.user_begin())
                           : FuncDataFlowEdgeOp();
}

/// All operands number `i` of what ends the function.
static SmallVector<OpOperand *> getReturned(FunctionOpInterface function,
                                            unsigned i) {
  SmallVector<OpOperand *> returned;
  for (Block &block : function.getFunctionBody()) {
    Operation *last = block.empty() ? nullptr : &block.back();
    if (last && last->hasTrait<OpTrait::ReturnLike>() &&
        last->getNumOperands() == function.getNumResults())
      returned.push_back(&last->getOpOperand(i));
  }
  return returned;
}

void sdy::collectFuncEdges(
    ModuleOp module,
    function_ref<void(Operation *, SmallVector<OpOperand *>)> visit) {
  FunctionCalls calls(module);
  for (FunctionOpInterface function : calls.getFunctions()) {
    if (function.isExternal())
      continue;
    for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
      FuncDataFlowEdgeOp edge = getFuncEdgeOp(argument);
      if (!edge)
        continue;
      SmallVector<OpOperand *> sources;
      for (CallOpInterface call : calls.getCallsOf(function))
        sources.push_back(&call.getArgOperandsMutable()[i]);
      visit(edge, std::move(sources));
    }
    for (CallOpInterface call : calls.getCallsIn(function))
      for (auto [i, result] : llvm::enumerate(call->getResults()))
        if (FuncDataFlowEdgeOp edge = getFuncEdgeOp(result))
          visit(edge, getReturned(calls.getCallee(call), i));
  }
}
