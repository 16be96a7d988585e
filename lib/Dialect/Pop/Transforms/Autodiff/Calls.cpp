//===- Calls.cpp - Differentiation of calls and other ops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionScope.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pop;

LogicalResult mlir::pop::differentiateRegions(Operation *op, Scope &scope) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return differentiateFor(loop, scope); })
      .Case([&](scf::WhileOp loop) { return differentiateWhile(loop, scope); })
      .Case<scf::IfOp, scf::IndexSwitchOp>(
          [&](auto branch) { return differentiateBranch(branch, scope); })
      .Case([&](InSequenceOp sequence) {
        return differentiateSequence(sequence, scope);
      })
      .Default([](Operation *op) {
        return op->emitOpError(
            "has no gradient: expects loops and branches of dialect 'scf'");
      });
}

/// The operand of the call of the backward graph for `input`.
static Value buildInput(PopBuilder &b, CallOpInterface call,
                        const BackwardGraph::Input &input,
                        ArrayRef<Value> gradients, Scope &scope) {
  unsigned index = input.value.getIndex();
  if (!input.isGradient)
    return scope.getForward(input.value.getKind() == GraphValueKind::Argument
                                ? Value(call.getArgOperands()[index])
                                : Value(call->getResult(index)));
  if (gradients[index])
    return gradients[index];
  return buildZeros(b, call.getLoc(), call->getResult(index).getType());
}

/// Records that `backward` has to draw the bits of `call` again. The number of
/// advances between the calls must be a constant, which it is not where a
/// region is executed again.
static LogicalResult addDrawsAgain(CallOpInterface call, func::CallOp backward,
                                   Scope &scope) {
  if (!isa<FunctionOpInterface>(call->getParentOp()))
    return call->emitOpError(
        "is in a region, but gradients recompute values of its callee that "
        "are rounded with random bits; expects stitching strategy "
        "'add_fwd_outputs'");
  scope.getContext().drawsAgain.push_back({call, backward});
  return success();
}

LogicalResult mlir::pop::differentiateCall(CallOpInterface call, Scope &scope) {
  const BackwardGraph *graph = scope.getContext().getBackwardGraph(call);
  if (!graph) {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
    // Its results depend on nothing that a gradient is required of.
    if (callee && !callee.isExternal())
      return success();
    return call->emitOpError(
        "has no gradient: expects a call of a function with a body");
  }
  SmallVector<Value> gradients;
  for (Value result : call->getResults())
    gradients.push_back(scope.takeGradient(result));
  PopBuilder b(call);
  b.restoreInsertionPoint(scope.getInsertPoint());
  SmallVector<Value> operands;
  for (const BackwardGraph::Input &input : graph->inputs)
    operands.push_back(buildInput(b, call, input, gradients, scope));
  auto backward =
      func::CallOp::create(b, call.getLoc(), graph->function, operands);
  if (graph->drawsAgain && failed(addDrawsAgain(call, backward, scope)))
    return failure();
  for (auto [output, gradient] :
       llvm::zip_equal(graph->outputs, backward.getResults())) {
    Value value = output.getKind() == GraphValueKind::Variable
                      ? scope.getContext().variables.lookup(
                            output.getVariable().getAttr())
                      : Value(call.getArgOperands()[output.getIndex()]);
    scope.addValue(value, gradient, call);
  }
  return success();
}
