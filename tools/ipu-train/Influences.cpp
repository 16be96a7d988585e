//===- Influences.cpp - Ops that influence results of a model -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Influences.h"

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

void train::collectFunctions(Operation *function,
                             SymbolTableCollection &symbols,
                             Functions &functions) {
  if (!functions.insert(function))
    return;
  function->walk([&](CallOpInterface call) {
    if (Operation *callee = call.resolveCallableInTable(&symbols))
      collectFunctions(callee, symbols, functions);
  });
}

Variables train::findVariables(const Functions &functions, ModuleOp module) {
  GraphEffects effects(module);
  Variables variables;
  for (Operation *function : functions)
    function->walk([&](pop::GetVariableOp get) {
      if (!isa<FloatType>(get.getType().getElementType()))
        return;
      Variable &variable = variables[get.getVariableAttr().getAttr()];
      variable.refs.push_back(get);
      for (Operation *user : get->getUsers())
        variable.isWritten |= isa<CallOpInterface>(user)
                                  ? effects.mayWrite(user, get.getResult())
                                  : !isa<pop::ReadOp>(user);
    });
  return variables;
}

Influences::Influences(func::FuncOp main, unsigned index,
                       const Variables &variables,
                       SymbolTableCollection &symbols)
    : variables(variables), symbols(symbols) {
  main.walk([&](func::ReturnOp op) { addValue(op.getOperand(index)); });
  while (!worklist.empty())
    visit(worklist.pop_back_val());
}

bool Influences::contains(const Variable &variable) const {
  return llvm::any_of(variable.refs, [&](pop::GetVariableOp ref) {
    return visited.contains(ref);
  });
}

void Influences::addOp(Operation *op) {
  if (op && !op->hasTrait<pop::ZeroGradient>() && visited.insert(op).second)
    worklist.push_back(op);
}

void Influences::addValue(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if ((tensor && !isa<FloatType>(tensor.getElementType())) ||
      !values.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (!isa<FunctionOpInterface>(parent))
      addOp(parent);
    else if (!argument.getOwner()->isEntryBlock())
      addAll(parent);
    // Calls have added the operands of the function.
    return;
  }
  addOp(value.getDefiningOp());
}

void Influences::addAll(Operation *parent) {
  parent->walk([&](Operation *op) {
    if (op != parent)
      addOp(op);
  });
}

void Influences::addWrites(Value ref) {
  for (Operation *user : ref.getUsers()) {
    if (isa<pop::ReadOp>(user))
      continue;
    addOp(user);
    for (Value result : user->getResults())
      if (isa<pop::RefType>(result.getType()))
        addWrites(result);
  }
}

void Influences::visit(Operation *op) {
  for (Value operand : op->getOperands())
    addValue(operand);
  addAll(op);
  if (auto get = dyn_cast<pop::GetVariableOp>(op)) {
    const auto *it = variables.find(get.getVariableAttr().getAttr());
    if (it != variables.end())
      for (pop::GetVariableOp ref : it->second.refs)
        addWrites(ref.getResult());
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (Operation *callee = call.resolveCallableInTable(&symbols))
      addAll(callee);
}
