//===- ValueSources.cpp - Sources of values ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::pop;

/// Returns the position of an operand of `op`, or of a terminator in `op`, in
/// the order of the program.
static std::pair<int, unsigned> getPosition(OpOperand *operand, Operation *op) {
  Operation *owner = operand->getOwner();
  int region =
      owner == op
          ? -1
          : static_cast<int>(owner->getParentRegion()->getRegionNumber());
  return {region, operand->getOperandNumber()};
}

/// Returns the values that are passed on as `value`; none if it is the result
/// of an op that computes it.
SmallVector<Value> ValueSources::getPassed(Value value,
                                           bool ofEarlierIterations) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  SmallVector<Value> passed;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    auto [inputs, isNew] = inputsOf.try_emplace(op);
    if (isNew)
      branch.getSuccessorInputOperandMapping(inputs->second);
    // The mapping has no order.
    SmallVector<OpOperand *> operands = inputs->second.lookup(value);
    llvm::sort(operands, [&](OpOperand *a, OpOperand *b) {
      return getPosition(a, op) < getPosition(b, op);
    });
    for (OpOperand *operand : operands)
      // A region passes values to a region of the next iteration, except for
      // the condition of a loop.
      if (ofEarlierIterations || !argument || operand->getOwner() == op ||
          isa<scf::ConditionOp>(operand->getOwner()))
        passed.push_back(operand->get());
    return passed;
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    if (!argument.getOwner()->isEntryBlock())
      return passed;
    for (CallOpInterface call : calls.getCallsOf(function))
      passed.push_back(call.getArgOperands()[argument.getArgNumber()]);
    return passed;
  }
  auto call = dyn_cast<CallOpInterface>(op);
  FunctionOpInterface callee = call ? calls.getCallee(call) : nullptr;
  if (callee && !callee.isExternal())
    for (Block &block : callee.getFunctionBody())
      if (block.mightHaveTerminator() &&
          block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        passed.push_back(block.getTerminator()->getOperand(
            cast<OpResult>(value).getResultNumber()));
  return passed;
}

SmallVector<ValueSources::Source>
ValueSources::find(Value value, bool ofEarlierIterations,
                   function_ref<bool(Value)> isSource) {
  SmallVector<Source> sources;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    std::optional<int64_t> vgraph = getVgraph(next);
    std::optional<int64_t> stage = op ? getStage(op) : std::nullopt;
    SmallVector<Value> passed;
    if (!vgraph && !stage && !isSource(next))
      passed = getPassed(next, ofEarlierIterations);
    llvm::append_range(stack, llvm::reverse(passed));
    if (!passed.empty())
      continue;
    Location loc = next.getLoc();
    if (auto ref = dyn_cast_or_null<GetVariableOp>(op); ref && !vgraph)
      if (Operation *variable =
              symbols.lookupNearestSymbolFrom(ref, ref.getVariableAttr())) {
        vgraph = getVgraph(variable);
        loc = variable->getLoc();
      }
    sources.push_back({next, vgraph, stage, loc});
  }
  return sources;
}
