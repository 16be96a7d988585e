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

//===----------------------------------------------------------------------===//
// Passed operands
//===----------------------------------------------------------------------===//

TensorShardingAttr PassedOperand::getSeenSharding() const {
  // Results of the computation are global, what its body returns is local.
  auto manual = owner ? owner.getDefiningOp<ManualComputationOp>()
                      : ManualComputationOp();
  return manual && sharding ? removeManualAxes(manual, sharding) : sharding;
}

Location PassedOperand::getTargetLoc() const {
  if (!owner)
    return FunctionOpInterface(function).getLoc();
  auto argument = dyn_cast<BlockArgument>(owner);
  return argument ? argument.getOwner()->getParentOp()->getLoc()
                  : owner.getLoc();
}

std::string PassedOperand::getTargetName() const {
  std::string text = std::to_string(number);
  if (owner)
    return (isa<OpResult>(owner) ? "result " : "block argument ") + text +
           (isInside ? " of this op" : "");
  return isa<CallOpInterface>(operand->getOwner())
             ? "argument " + text + " of the callee"
             : "result " + text + " of the function";
}

static void appendEdge(SmallVectorImpl<PassedOperand> &passed,
                       ShardableDataFlowOpInterface op, Value owner) {
  SmallVector<OpOperand *> sources = op.getEdgeSources(owner);
  PassedOperand common;
  common.owner = owner;
  auto result = dyn_cast<OpResult>(owner);
  common.number = result ? result.getResultNumber()
                         : cast<BlockArgument>(owner).getArgNumber();
  common.isInside = llvm::none_of(
      sources, [&](OpOperand *source) { return source->getOwner() == op; });
  // The op of an edge has the sharding, but that of an argument of a manual
  // computation has no manual axes.
  common.sharding =
      getSharding(getManualComputation(owner) ? owner : getShardedValue(owner));
  for (OpOperand *source : sources) {
    common.operand = source;
    passed.push_back(common);
  }
}

std::optional<SmallVector<PassedOperand>>
sdy::getPassedOperands(Operation *op, SymbolTable &symbols) {
  SmallVector<PassedOperand> passed;
  auto append = [&](OpOperand &operand, FunctionOpInterface function,
                    unsigned number, TensorShardingAttr sharding) {
    passed.push_back({&operand, /*owner=*/{}, function, number,
                      /*isInside=*/false, sharding});
  };
  if (auto dataFlow = dyn_cast<ShardableDataFlowOpInterface>(op)) {
    for (Value owner : dataFlow.getEdgeOwners())
      appendEdge(passed, dataFlow, owner);
    return passed;
  }
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    FunctionOpInterface callee = lookupCallee(call, symbols);
    if (!callee)
      return std::nullopt;
    for (auto [i, operand] : llvm::enumerate(call.getArgOperandsMutable()))
      append(operand, callee, i,
             callee.getArgAttrOfType<TensorShardingAttr>(i, kShardingAttrName));
    return passed;
  }
  auto function = dyn_cast_or_null<FunctionOpInterface>(op->getParentOp());
  if (!function || !op->hasTrait<OpTrait::ReturnLike>() ||
      op->getNumOperands() != function.getNumResults())
    return std::nullopt;
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands()))
    append(
        operand, function, i,
        function.getResultAttrOfType<TensorShardingAttr>(i, kShardingAttrName));
  return passed;
}

//===----------------------------------------------------------------------===//
// Edges of functions
//===----------------------------------------------------------------------===//

FuncDataFlowEdgeOp sdy::getFuncEdgeOp(Value value) {
  return value.hasOneUse() ? dyn_cast<FuncDataFlowEdgeOp>(*value.user_begin())
                           : FuncDataFlowEdgeOp();
}

/// All operands number `i` of what ends the function.
static SmallVector<OpOperand *> getReturnOperands(FunctionOpInterface function,
                                                  unsigned i) {
  SmallVector<OpOperand *> operands;
  for (Block &block : function.getFunctionBody()) {
    Operation *last = block.empty() ? nullptr : &block.back();
    if (last && last->hasTrait<OpTrait::ReturnLike>() &&
        last->getNumOperands() == function.getNumResults())
      operands.push_back(&last->getOpOperand(i));
  }
  return operands;
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
          visit(edge, getReturnOperands(calls.getCallee(call), i));
  }
}
