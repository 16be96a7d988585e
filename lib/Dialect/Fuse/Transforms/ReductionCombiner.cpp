//===- ReductionCombiner.cpp - Combiners of reductions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionCombiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<TypedAttr> fuse::getNeutralElement(Operation *combiner) {
  if (auto add = dyn_cast<arith::AddFOp>(combiner))
    if (auto type = dyn_cast<FloatType>(add.getType()))
      return FloatAttr::get(
          type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  return arith::getNeutralElement(combiner);
}

Operation *fuse::getCombiner(linalg::LinalgOp op, unsigned result) {
  Block *body = op.getBlock();
  Operation *combiner =
      body->getTerminator()->getOperand(result).getDefiningOp();
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || combiner->getNumResults() != 1 ||
      !combiner->hasOneUse() || !out.hasOneUse() ||
      *out.user_begin() != combiner || !fuse::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}
