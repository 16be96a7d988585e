//===- IndexRanges.cpp - Ranges of indices ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IndexRanges.h.
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace mlir::fuse;

/// One more than the last symbol of both.
static unsigned getNumSymbols(AffineExpr lhs, AffineExpr rhs) {
  unsigned count = 0;
  (lhs + rhs).walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      count = std::max(count, symbol.getPosition() + 1);
  });
  return count;
}

std::optional<AffineExpr> IndexRanges::getUpper(AffineExpr expr) const {
  if (expr.isSymbolicOrConstant())
    return expr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return classes[dim.getPosition()].extent - 1;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<AffineExpr> lhs = getUpper(binary.getLHS());
  AffineExpr rhs = binary.getRHS();
  auto constant = dyn_cast<AffineConstantExpr>(rhs);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    if (std::optional<AffineExpr> upper = getUpper(rhs); lhs && upper)
      return *lhs + *upper;
    return std::nullopt;
  case AffineExprKind::Mul:
    if (!lhs || !rhs.isSymbolicOrConstant() ||
        (constant && constant.getValue() < 0))
      return std::nullopt;
    return *lhs * rhs;
  case AffineExprKind::FloorDiv:
    if (!lhs || !constant)
      return std::nullopt;
    return lhs->floorDiv(rhs);
  case AffineExprKind::Mod:
    return rhs - 1;
  default:
    return std::nullopt;
  }
}

/// The addends of a sum.
static void getAddends(AffineExpr expr, SmallVectorImpl<AffineExpr> &addends) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add) {
    addends.push_back(expr);
    return;
  }
  getAddends(binary.getLHS(), addends);
  getAddends(binary.getRHS(), addends);
}

/// `expr` / `divisor` if that is an integer whatever the loops; else null.
static AffineExpr getQuotient(AffineExpr expr, AffineExpr divisor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(divisor))
    return expr.isMultipleOf(constant.getValue())
               ? expr.floorDiv(constant.getValue())
               : AffineExpr();
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (product && product.getKind() == AffineExprKind::Mul &&
      product.getRHS() == divisor)
    return product.getLHS();
  return AffineExpr();
}

/// x for (x floordiv c) * c + x mod c; else null.
static AffineExpr getRejoined(AffineExpr lhs, AffineExpr rhs) {
  auto mod = dyn_cast<AffineBinaryOpExpr>(rhs);
  auto product = dyn_cast<AffineBinaryOpExpr>(lhs);
  if (!mod || mod.getKind() != AffineExprKind::Mod || !product ||
      product.getKind() != AffineExprKind::Mul ||
      product.getRHS() != mod.getRHS())
    return AffineExpr();
  auto quotient = dyn_cast<AffineBinaryOpExpr>(product.getLHS());
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv ||
      quotient.getLHS() != mod.getLHS() || quotient.getRHS() != mod.getRHS())
    return AffineExpr();
  return mod.getLHS();
}

AffineExpr IndexRanges::simplify(AffineExpr expr) const {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplify(binary.getLHS());
  AffineExpr rhs = simplify(binary.getRHS());
  AffineExprKind kind = binary.getKind();
  if (kind == AffineExprKind::Add) {
    if (AffineExpr whole = getRejoined(lhs, rhs))
      return simplify(whole);
    if (AffineExpr whole = getRejoined(rhs, lhs))
      return simplify(whole);
  }
  bool isMod = kind == AffineExprKind::Mod;
  if (!isMod && kind != AffineExprKind::FloorDiv)
    return getAffineBinaryOpExpr(kind, lhs, rhs);

  // (multiple + rest) / divisor with 0 <= rest < divisor.
  SmallVector<AffineExpr> addends;
  getAddends(lhs, addends);
  AffineExpr zero = getAffineConstantExpr(0, expr.getContext());
  AffineExpr quotient = zero, rest = zero;
  for (AffineExpr addend : addends) {
    if (AffineExpr part = getQuotient(addend, rhs))
      quotient = quotient + part;
    else
      rest = rest + addend;
  }
  if (!isBelow(rest, rhs))
    return getAffineBinaryOpExpr(kind, lhs, rhs);
  return isMod ? rest : quotient;
}

bool IndexRanges::isBelow(AffineExpr expr, AffineExpr bound) const {
  std::optional<AffineExpr> upper = getUpper(expr);
  if (!upper)
    return false;
  auto margin = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(bound - *upper - 1, 0, getNumSymbols(bound, *upper)));
  return margin && margin.getValue() >= 0;
}
