//===- PopCodelets.cpp - Common parts of codelets ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pop;

ipu::CodeletCost pop::detail::getCost(Operation *op,
                                      ipu::CodeletCostKind kind) {
  return {kind, op->getName().stripDialect()};
}

Value pop::detail::buildExtend(OpBuilder &b, Location loc, Value scalar) {
  if (!isNarrowFloat(scalar.getType()))
    return scalar;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), scalar);
}

Value pop::detail::buildScalarConstant(OpBuilder &b, Location loc,
                                       TypedAttr value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = b.getIntegerAttr(b.getIntegerType(integer.getValue().getBitWidth()),
                             integer.getValue());
  return arith::ConstantOp::create(b, loc, value);
}

static Value buildFloatCombine(OpBuilder &b, Location loc, ReduceKind kind,
                               Value lhs, Value rhs) {
  switch (kind) {
  case ReduceKind::Sum:
    return arith::AddFOp::create(b, loc, lhs, rhs);
  case ReduceKind::Prod:
    return arith::MulFOp::create(b, loc, lhs, rhs);
  case ReduceKind::Max:
    return arith::MaximumFOp::create(b, loc, lhs, rhs);
  case ReduceKind::Min:
    return arith::MinimumFOp::create(b, loc, lhs, rhs);
  default:
    llvm_unreachable("`and` and `or` are verified to have i1 operands, and a "
                     "`mean` is decomposed");
  }
}

Value pop::detail::buildCombine(OpBuilder &b, Location loc, ReduceKind kind,
                                Type elementType, Value lhs, Value rhs) {
  if (isa<FloatType>(elementType))
    return buildFloatCombine(b, loc, kind, lhs, rhs);
  bool isUnsigned = elementType.isUnsignedInteger();
  switch (kind) {
  case ReduceKind::Sum:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Prod:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Max:
    if (isUnsigned)
      return arith::MaxUIOp::create(b, loc, lhs, rhs);
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Min:
    if (isUnsigned)
      return arith::MinUIOp::create(b, loc, lhs, rhs);
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, lhs, rhs);
  case ReduceKind::Mean:
    break;
  }
  llvm_unreachable("`mean` is verified to have operands of floats");
}

Value pop::detail::buildIsMoreExtreme(OpBuilder &b, Location loc,
                                      ReduceKind kind, Type elementType,
                                      Value x, Value other) {
  bool isMax = kind == ReduceKind::Max;
  if (isa<IntegerType>(elementType)) {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned =
        elementType.isUnsignedInteger() || elementType.isInteger(1);
    Predicate greater = isUnsigned ? Predicate::ugt : Predicate::sgt;
    Predicate less = isUnsigned ? Predicate::ult : Predicate::slt;
    return arith::CmpIOp::create(b, loc, isMax ? greater : less, x, other);
  }
  using Predicate = arith::CmpFPredicate;
  Value isBeyond = arith::CmpFOp::create(
      b, loc, isMax ? Predicate::UGT : Predicate::ULT, x, other);
  Value isNumber = arith::CmpFOp::create(b, loc, Predicate::ORD, other, other);
  return arith::AndIOp::create(b, loc, isBeyond, isNumber);
}
