//===- PopArithmetic.h - Arithmetic in a wider type -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPARITHMETIC_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPARITHMETIC_H

#include "PopDetail.h"

namespace mlir::pop {

/// Builds arithmetic on tensors in the type in which ops on elements of type
/// `elementType` compute (getComputeType).
struct Arithmetic {
  Arithmetic(OpBuilder &b, Location loc, Type elementType)
      : b(b), loc(loc), elementType(elementType),
        computeType(cast<FloatType>(getComputeType(elementType))) {}

  Value widen(Value value) const {
    return pop::detail::buildCast(b, loc, value, computeType);
  }
  Value round(Value value) const {
    return pop::detail::buildCast(b, loc, value, elementType);
  }
  Value constant(const APFloat &value) const {
    return pop::detail::buildSplat(b, loc, {},
                                   FloatAttr::get(computeType, value));
  }
  Value one() const { return constant(convert(APFloat(1.0))); }

  APFloat convert(APFloat value) const {
    bool losesInfo;
    value.convert(computeType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  }

  Value add(Value x, Value y) const { return AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return SubOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return MulOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return DivOp::create(b, loc, x, y); }
  /// Builds the product of `x` and a factor. The factor is `tensor` or, if
  /// `tensor` is null, `factor`. Returns `x` itself if `tensor` is null and
  /// `factor` is 1.
  Value scale(Value x, Value tensor, const APFloat &factor) const {
    if (tensor)
      return mul(x, widen(tensor));
    return factor.isExactlyValue(1.0) ? x : mul(x, constant(convert(factor)));
  }

  OpBuilder &b;
  Location loc;
  Type elementType;
  FloatType computeType;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPARITHMETIC_H
