//===- VectorLanes.cpp - Iterations of a loop as lanes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLanes.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<AffineExpr> fuse::getCoefficient(AffineExpr expr, ClassId loop) {
  MLIRContext *context = expr.getContext();
  if (!expr.isFunctionOfDim(loop))
    return getAffineConstantExpr(0, context);
  if (isa<AffineDimExpr>(expr))
    return getAffineConstantExpr(1, context);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<AffineExpr> lhs = getCoefficient(binary.getLHS(), loop);
  std::optional<AffineExpr> rhs = getCoefficient(binary.getRHS(), loop);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (binary.getKind() == AffineExprKind::Mul &&
      binary.getRHS().isSymbolicOrConstant())
    return *lhs * binary.getRHS();
  return std::nullopt;
}

AffineExpr fuse::atIteration(AffineExpr expr, ClassId loop, int64_t i) {
  return expr.replace(getAffineDimExpr(loop, expr.getContext()),
                      getAffineConstantExpr(i, expr.getContext()));
}

int64_t fuse::getNumLanes(const LoopClasses &classes, ClassId loop) {
  return cast<AffineConstantExpr>(classes[loop].extent).getValue();
}

bool fuse::isLoopOf(const LoopClasses &classes, ClassId loop, TensorId tensor) {
  return llvm::is_contained(classes.getClasses(tensor), loop);
}

bool fuse::isReductionLoopOf(const Schedule &schedule,
                             const LoopClasses &classes, ClassId loop,
                             TensorId tensor) {
  for (auto [i, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    if (classes.getClass(tensor, i) == loop)
      return schedule.getAxis(axis).isReduction();
  return false;
}

LogicalResult VectorLanes::run(ClassId loop,
                               function_ref<LogicalResult()> body) {
  current = loop;
  index.bind(loop, 0);
  LogicalResult result = body();
  index.unbind(loop);
  current = std::nullopt;
  return result;
}
