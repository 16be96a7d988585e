//===- Activity.cpp - Activity analysis -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Whether a value of `type` may carry a gradient to what it depends on.
static bool mayBeActive(Type type) {
  return getGradientType(type) || isa<FloatType>(type);
}

func::FuncOp Activity::getCallee(Operation *op) const {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return {};
  FunctionOpInterface callee = effects.getCalls().getCallee(call);
  return callee ? dyn_cast<func::FuncOp>(callee.getOperation())
                : func::FuncOp();
}

void Activity::mark(Value value) {
  if (mayBeActive(value.getType()))
    active.insert(value);
}

void Activity::forgetValues(func::FuncOp function) {
  function.walk([&](Block *block) {
    for (Value argument : block->getArguments())
      active.erase(argument);
    for (Operation &op : *block)
      for (Value result : op.getResults())
        active.erase(result);
  });
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Activity::Activity(const GraphEffects &effects) : effects(effects) {
  for (FunctionOpInterface function : effects.getCalls().getPostOrder()) {
    llvm::SetVector<StringAttr> variables;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto handle = dyn_cast<GetVariableOp>(op))
        if (getGradientType(handle.getType()))
          variables.insert(handle.getVariableAttr().getAttr());
      if (func::FuncOp callee = getCallee(op))
        variables.insert_range(variablesOf[callee]);
    });
    variablesOf[function] = std::move(variables);
  }
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

void Activity::run(func::FuncOp root, const BitVector &arguments,
                   const llvm::SetVector<StringAttr> &variables) {
  GraphActivity &ofRoot = activities[root];
  ofRoot.arguments = arguments;
  ofRoot.variables = variables;
  // Callers first, so that all that they pass is known.
  SmallVector<FunctionOpInterface> order = effects.getCalls().getPostOrder();
  size_t numWritten;
  do {
    numWritten = writtenVariables.size();
    functions.clear();
    for (FunctionOpInterface next : llvm::reverse(order)) {
      auto function = dyn_cast<func::FuncOp>(next.getOperation());
      if (!function || function.isExternal() || !activities.contains(function))
        continue;
      for (StringAttr variable : getVariables(function))
        if (variables.contains(variable) || writtenVariables.contains(variable))
          activities[function].variables.insert(variable);
      runOn(function);
      functions.push_back(function);
    }
  } while (writtenVariables.size() != numWritten);
  std::reverse(functions.begin(), functions.end());
}

void Activity::runOn(func::FuncOp function) {
  const GraphActivity activity = get(function);
  for (unsigned i : activity.arguments.set_bits())
    mark(function.getArgument(i));
  // What is written into memory is read before it in the next iteration.
  size_t numActive;
  do {
    numActive = active.size();
    propagate(function.getBody(), activity);
  } while (active.size() != numActive);

  function.walk([&](Operation *op) {
    func::FuncOp callee = getCallee(op);
    if (!callee)
      return;
    BitVector &passed = activities[callee].arguments;
    passed.resize(callee.getNumArguments());
    for (auto [i, operand] :
         llvm::enumerate(cast<CallOpInterface>(op).getArgOperands()))
      if (isActive(operand))
        passed.set(i);
  });
  GraphActivity &result = activities[function];
  result.results.resize(function.getNumResults());
  // The error is that of what differentiates it.
  if (!function.getBody().hasOneBlock()) {
    result.results.set();
    return;
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (isActive(value))
      result.results.set(i);
}

void Activity::propagate(Region &region, const GraphActivity &activity) {
  for (Block &block : region)
    for (Operation &op : block)
      propagateOp(&op, activity);
}

bool Activity::readsActiveVariable(Operation *op,
                                   const GraphActivity &activity) const {
  if (auto handle = dyn_cast<GetVariableOp>(op))
    return activity.variables.contains(handle.getVariableAttr().getAttr());
  func::FuncOp callee = getCallee(op);
  if (!callee)
    return false;
  for (const auto &[location, ofLocation] :
       effects.getEffects(callee).getMemoryLocations())
    if (auto variable =
            dyn_cast_or_null<FlatSymbolRefAttr>(location.getSymbol()))
      if (location.isVariable() &&
          activity.variables.contains(variable.getAttr()))
        return true;
  return false;
}

void Activity::propagateOp(Operation *op, const GraphActivity &activity) {
  // Of other branches the interface does not say what comes from where.
  if (op->getNumRegions() > 0 &&
      !isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
           InSequenceOp, RemoteExchangeOp>(op))
    return markRegionOp(op);
  if (op->getNumRegions() > 0) {
    size_t numActive;
    do {
      numActive = active.size();
      propagateBranches(op);
      for (Region &region : op->getRegions())
        propagate(region, activity);
      propagateBranches(op);
    } while (active.size() != numActive);
    return;
  }
  if (op->hasTrait<ZeroGradient>())
    return;
  if (!llvm::any_of(op->getOperands(), [&](Value v) { return isActive(v); }) &&
      !readsActiveVariable(op, activity))
    return;
  for (Value result : op->getResults())
    mark(result);
  markWritten(op);
}

/// What an op or a callee writes where an operand is active is active.
void Activity::markWritten(Operation *op) {
  if (isMemoryEffectFree(op))
    return;
  for (const auto &[location, ofLocation] :
       effects.getEffects(op).getMemoryLocations()) {
    if (ofLocation.writes.isEmpty() || location.getResource())
      continue;
    if (location.isVariable())
      writtenVariables.insert(location.getSymbol().getLeafReference());
    else
      mark(location.getRoot());
  }
}

/// The results of an op of which it is not known how values come to its regions
/// and from there may depend on all that it uses.
void Activity::markRegionOp(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  if (llvm::any_of(used, [&](Value value) { return isActive(value); }))
    for (Value result : op->getResults())
      mark(result);
}

void Activity::propagateBranches(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return;
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  for (const auto &[operand, inputs] : mapping)
    if (isActive(operand->get()))
      for (Value input : inputs)
        mark(input);
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

void mlir::pop::findReachedBy(Operation *op, llvm::DenseSet<Value> &reached) {
  bool isReached = llvm::any_of(
      op->getResults(), [&](Value result) { return reached.contains(result); });
  if (op->getNumRegions() == 0) {
    if (isReached && !op->hasTrait<ZeroGradient>())
      reached.insert_range(op->getOperands());
    return;
  }
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  size_t numReached;
  do {
    numReached = reached.size();
    RegionBranchInverseSuccessorMapping mapping;
    if (branch)
      branch.getSuccessorInputOperandMapping(mapping);
    for (const auto &[input, operands] : mapping)
      if (reached.contains(input))
        for (OpOperand *operand : operands)
          reached.insert(operand->get());
    for (Region &region : op->getRegions())
      findReached(region, reached);
  } while (reached.size() != numReached);
}

void mlir::pop::findReached(Region &region, llvm::DenseSet<Value> &reached) {
  for (Block &block : llvm::reverse(region))
    for (Operation &op : llvm::reverse(block))
      findReachedBy(&op, reached);
}
