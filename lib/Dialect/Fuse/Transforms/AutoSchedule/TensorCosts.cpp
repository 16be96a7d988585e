//===- TensorCosts.cpp - Costs of ops ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the ops of a fusion. Out: the operations and bytes of one element of each
// op's result.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"

#include "../FusionViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Operations of a body, in those of an addition: functions are polynomials of
/// about 20, a quotient or a root takes 4.
static double countOperations(linalg::LinalgOp op) {
  double operations = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp>(inner))
      operations += 1;
    else if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(inner))
      operations += 4;
    else if (isa<math::MathDialect>(inner.getDialect()))
      operations += 20;
    else if (!inner.hasTrait<OpTrait::ConstantLike>())
      operations += 1;
  }
  return operations;
}

static double getBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

std::vector<TensorCost> fuse::getTensorCosts(const FusionSchedule &fusion) {
  std::vector<TensorCost> costs(fusion.schedule.getNumTensors());
  for (auto [tensor, cost] : llvm::enumerate(costs)) {
    linalg::LinalgOp op = fusion.getOp(tensor);
    if (!op)
      continue;
    cost.operations = countOperations(op);
    cost.bytes = 0;
    for (Type type : op->getResultTypes())
      cost.bytes += getBytes(type);
  }
  for (BlockArgument argument : fusion.getFusion()->getRegion(0).getArguments())
    if (std::optional<TensorId> tensor = fusion.getTensor(argument))
      costs[*tensor].bytes = getBytes(argument.getType());
  // Views of inputs are inputs.
  for (Operation &op : fusion.getFusion()->getRegion(0).getOps())
    if (isView(&op))
      if (std::optional<TensorId> tensor = fusion.getTensor(op.getResult(0));
          tensor && !fusion.getOp(*tensor))
        costs[*tensor].bytes = getBytes(op.getResult(0).getType());
  return costs;
}
