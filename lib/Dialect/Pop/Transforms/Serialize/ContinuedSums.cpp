//===- ContinuedSums.cpp - Sums that continue other sums ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContinuedSums.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pop;

/// Returns whether all positions of the kernel of `conv` are in one region of
/// its order. Channels are then the outermost numbers of blocks.
static bool hasOneRegion(ConvOp conv, AccumAttr order) {
  ArrayRef<int64_t> kernel =
      conv.getWeights().getType().getShape().drop_front(2);
  if (order.isChain())
    return computeProduct(kernel) == 1;
  return !order.getKernel() || order.getKernel().asArrayRef() == kernel;
}

bool mlir::pop::canContinueSum(Operation *op, int64_t numAddends) {
  if (!isa<MatmulOp, ConvOp>(op))
    return false;
  AccumAttr order = cast<AccumOpInterface>(op).getAccumAttr();
  if (auto conv = dyn_cast<ConvOp>(op); conv && !hasOneRegion(conv, order))
    return false;
  if (order.isChain())
    return true;
  int64_t blocks = std::max<int64_t>(order.getGroup(), 1);
  return numAddends % (order.getBlock() * blocks) == 0;
}

static MutableOperandRange getStartOperand(Operation *op) {
  return TypeSwitch<Operation *, MutableOperandRange>(op)
      .Case<MatmulOp, ConvOp>([](auto sum) { return sum.getAccMutable(); });
}

Value mlir::pop::getSumStart(Operation *op) {
  MutableOperandRange start = getStartOperand(op);
  return start.empty() ? Value() : start[0].get();
}

void mlir::pop::setSumStart(Operation *op, Value start) {
  getStartOperand(op).assign(start);
  op->getResult(0).setType(start.getType());
}

RankedTensorType mlir::pop::getSumType(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return type.clone(getComputeType(type.getElementType()));
}

Value mlir::pop::buildSumStart(PopBuilder &b, Operation *op) {
  RankedTensorType type = getSumType(op);
  // A chain starts from +0. The result of the first block may be -0, and only
  // -0 does not change it.
  bool isChain = cast<AccumOpInterface>(op).getAccumAttr().isChain();
  if (isChain || !isa<FloatType>(type.getElementType()))
    return b.zeros(type);
  return b.splat(-0.0, type.getElementType(), type.getShape());
}
