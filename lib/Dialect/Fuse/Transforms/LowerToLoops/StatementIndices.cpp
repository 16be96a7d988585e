//===- StatementIndices.cpp - Indices of statements -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementIndices.h"

#include "../FusionViews.h"

using namespace mlir;
using namespace mlir::fuse;

/// `expr`, or 0 where an axis has no loop.
static AffineExpr simplify(const NestContext &context, AffineExpr expr) {
  return expr ? context.ranges.simplify(expr)
              : getAffineConstantExpr(0, context.schedule.getContext());
}

AffineExpr fuse::getIndex(const NestContext &context,
                          const Statement &statement, AxisId axis) {
  return simplify(context, statement.solver->solve(axis));
}

SmallVector<AffineExpr> fuse::getBufferIndices(const NestContext &context,
                                               const Statement &statement,
                                               unsigned result) {
  const Tensor &info = context.schedule.getTensor(statement.tensor);
  const TensorState &state = context.states[statement.tensor];
  SmallVector<AxisId> axes(info.logical[result]);
  if (!state.isWhole) {
    axes.clear();
    for (unsigned loop : state.privateLoops)
      axes.push_back(info.loop[loop]);
  }
  return llvm::map_to_vector(
      axes, [&](AxisId axis) { return getIndex(context, statement, axis); });
}

/// The number of an op's operand among those of its tensor, which are the
/// operands that other tensors compute and that are read.
static unsigned getOperandNumber(const FusionSchedule &fusion,
                                 linalg::LinalgOp op, OpOperand &operand) {
  unsigned number = 0;
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand)
      break;
    number += fusion.getTensor(other.get()) && isReadOperand(op, other);
  }
  return number;
}

/// The element of the whole tensor that `operand` is.
static SmallVector<AffineExpr> getLogicalIndices(const NestContext &context,
                                                 const Statement &statement,
                                                 OpOperand &operand) {
  linalg::LinalgOp op = context.fusion.getOp(statement.tensor);
  SmallVector<AffineExpr> dims, indices;
  for (AxisId root : context.schedule.getTensor(statement.tensor).root)
    dims.push_back(getIndex(context, statement, root));
  Value base = context.getReadBase(operand.get());
  AffineMap map = getViewMap(operand.get(), base)
                      .compose(op.getMatchingIndexingMap(&operand));
  for (AffineExpr expr : map.getResults())
    indices.push_back(context.ranges.simplify(expr.replaceDims(dims)));
  // Along an axis of extent 1 only 0 is in bounds, whatever the loop says.
  auto shape = cast<RankedTensorType>(base.getType()).getShape();
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    if (size == 1)
      index = getAffineConstantExpr(0, op.getContext());
  return indices;
}

SmallVector<AffineExpr> fuse::getReadIndices(const NestContext &context,
                                             const Statement &statement,
                                             OpOperand &operand) {
  SmallVector<AffineExpr> logical =
      getLogicalIndices(context, statement, operand);
  TensorId producer = *context.fusion.getTensor(operand.get());
  const Tensor &info = context.schedule.getTensor(producer);
  const TensorState &state = context.states[producer];
  if (info.isInput || state.isWhole)
    return logical;
  unsigned number = getOperandNumber(
      context.fusion, context.fusion.getOp(statement.tensor), operand);
  return llvm::map_to_vector(state.privateLoops, [&](unsigned loop) {
    return simplify(
        context, statement.solver->solveRead(number, info.loop[loop], logical));
  });
}
