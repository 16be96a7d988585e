//===- OptimizerSteps.cpp - The updates of a program ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerSteps.h"

#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::pop;

/// The weight that `value` holds if nothing computed it.
static UpdatedWeight getWeight(Value value, SymbolTable &symbols) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !argument.getOwner()->isEntryBlock())
      return {};
    unsigned index = argument.getArgNumber();
    return {getHostName(function.getArgAttr(index, PopDialect::kNameAttrName),
                        "arg" + Twine(index)),
            function.getArgAttrOfType<ReplicaGroupsAttr>(
                index, PopDialect::kGroupsAttrName)};
  }
  if (auto load = value.getDefiningOp<HostLoadOp>())
    return {load.getStream().str(), {}};
  if (auto get = value.getDefiningOp<GetVariableOp>())
    if (auto variable = symbols.lookup<VariableOp>(get.getVariable()))
      return {variable.getSymName().str(), variable.getGroupsAttr()};
  return {};
}

SmallVector<UpdatedWeight> mlir::pop::getUpdatedWeights(OptimizerStepOp step,
                                                        SymbolTable &symbols) {
  SmallVector<UpdatedWeight> weights;
  SmallVector<Value> worklist{step.getWeight()};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ipu::TileViewOpInterface>(op))
      worklist.push_back(op->getOperand(0));
    else if (isa_and_nonnull<ConcatOp>(op))
      llvm::append_range(worklist, llvm::reverse(op->getOperands()));
    else
      weights.push_back(getWeight(value, symbols));
  }
  return weights;
}

bool mlir::pop::updatesElementwise(OptimizerAttr optimizer) {
  return !optimizer.hasSetting("max_weight_norm") ||
         optimizer.getConstant("max_weight_norm") == 0.0;
}

SmallVector<OptimizerStepOp> mlir::pop::getOptimizerSteps(Operation *root) {
  SmallVector<OptimizerStepOp> steps;
  root->walk([&](OptimizerStepOp step) { steps.push_back(step); });
  return steps;
}

void mlir::pop::eraseStep(OptimizerStepOp step) {
  SmallVector<Operation *> worklist{step};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    llvm::SetVector<Operation *> producers;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    op->erase();
    llvm::copy_if(producers, std::back_inserter(worklist), isOpTriviallyDead);
  }
}
