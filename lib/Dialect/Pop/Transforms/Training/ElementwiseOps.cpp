//===- ElementwiseOps.cpp - Ops whose elements are independent ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include "OptimizerSteps.h"

using namespace mlir;
using namespace mlir::pop;

/// Returns whether `value` is a tensor of `shape`, a ref to such a tensor, or a
/// scalar.
static bool hasShapeOrIsScalar(Value value, ArrayRef<int64_t> shape) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && (type.getRank() == 0 || type.getShape() == shape);
}

bool mlir::pop::isElementwise(Operation *op, ArrayRef<int64_t> shape) {
  auto fits = [&](Value value) { return hasShapeOrIsScalar(value, shape); };
  if (!llvm::all_of(op->getResults(), fits))
    return false;
  if (op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<Broadcasting>())
    return op->getNumResults() == 1 &&
           cast<ShapedType>(op->getResult(0).getType()).getShape() == shape;
  auto step = dyn_cast<OptimizerStepOp>(op);
  bool isUpdate = isa<AccumulateOp, InPlaceOpInterface>(op) ||
                  (step && updatesElementwise(step.getOptimizer()));
  return isUpdate && llvm::all_of(op->getOperands(), fits);
}
