//===- ShardingInterfaces.cpp - Sharding interfaces -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Interfaces/ShardingInterfaces.cpp.inc"

static PartialValueFlow makeFlow(unsigned numOperands, bool together) {
  PartialValueFlow flow;
  llvm::append_range(flow.operands, llvm::seq(numOperands));
  flow.together = together;
  return flow;
}

PartialValueFlow PartialValueFlow::getTogether(unsigned numOperands) {
  return makeFlow(numOperands, /*together=*/true);
}

PartialValueFlow PartialValueFlow::getOneByOne(unsigned numOperands) {
  return makeFlow(numOperands, /*together=*/false);
}

bool ipu::isElementwiseOrBroadcast(Operation *op) {
  sharding::OpClass opClass =
      cast<ShardingRuleOpInterface>(op).getShardingClass();
  return opClass == sharding::OpClass::Elementwise ||
         opClass == sharding::OpClass::Broadcast;
}

Value ipu::findEdgeOwner(Operation *op, BlockArgument target) {
  auto dataFlow = cast<ShardableDataFlowOpInterface>(op);
  for (Value owner : dataFlow.getEdgeOwners())
    if (owner == target ||
        llvm::is_contained(dataFlow.getOtherTargets(owner), target))
      return owner;
  return {};
}

ArrayRef<int64_t> ipu::getTensorShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

sharding::RuleBuilder ipu::makeRuleBuilder(Operation *op) {
  auto getShapes = [](ValueRange values) {
    return llvm::map_to_vector(values, [](Value value) {
      return sharding::RuleBuilder::Shape(getTensorShape(value));
    });
  };
  return sharding::RuleBuilder(getShapes(op->getOperands()),
                               getShapes(op->getResults()));
}

sharding::Rule ipu::getPointwiseRule(Operation *op) {
  return makeRuleBuilder(op)
      .addPointwise(getTensorShape(op->getResult(0)))
      .build();
}
