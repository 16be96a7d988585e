//===- ConstantExpressions.cpp - Constant expressions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantExpressions.h"

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::ipu;

bool sdy::isConstantSource(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

bool sdy::preservesConstants(Operation *op) {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  if (!rules || op->getNumOperands() == 0 || !rules.preservesConstants() ||
      !isPure(op))
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured.empty();
}

bool sdy::isScalarExpansion(Operation *op,
                            function_ref<bool(Value)> isConstant) {
  if (op->getNumResults() != 1 || getTensorShape(op->getResult(0)).empty())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (getTensorShape(operand.get()).empty())
      continue;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destination || !destination.isDpsInit(&operand) ||
        !isConstant(operand.get()))
      return false;
  }
  return preservesConstants(op) && isElementwiseOrBroadcast(op);
}
