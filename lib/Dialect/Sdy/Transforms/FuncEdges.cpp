//===- FuncEdges.cpp - Edges between calls and functions ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuncEdges.h"

#include "FunctionCalls.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

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
