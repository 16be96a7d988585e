//===- ComposedMath.h - Functions of other functions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds functions of f64 from exponential functions, logarithms and
// arithmetic. The forms neither cancel nor overflow: an error is a few units in
// the last place of f64, also of results near 0 and near the greatest f64.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_COMPOSEDMATH_H
#define IPU_MLIR_SUPPORT_COMPOSEDMATH_H

#include "ipu-mlir/Support/DoubleMath.h"
#include "ipu-mlir/Support/WideMath.h"

namespace mlir::ipu {

/// `Base` is DoubleMath or WideMath.
template <typename Base>
class ComposedMath : public Base {
public:
  using Base::Base;

  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  /// The angle of the point (x, y).
  Value atan2(Value y, Value x);
  /// x times the normal distribution function of x.
  Value gelu(Value x);
  /// The derivative of gelu().
  Value geluSlope(Value x);
  /// x / (1 + e^-v) for v = sqrt(8 / pi) (x + 0.044715 x^3).
  Value tanhGelu(Value x);
  /// The derivative of tanhGelu().
  Value tanhGeluSlope(Value x);

private:
  using Base::add, Base::sub, Base::mul, Base::div, Base::fma, Base::abs,
      Base::negate, Base::real, Base::select, Base::compare, Base::clamp,
      Base::copySign, Base::polynomial;
  using typename Base::Predicate;

  /// The inverse tangent of less / more, for 0 <= less <= more.
  Value getSmallAngle(Value less, Value more);
  /// sqrt(1 - x^2).
  Value getOtherLeg(Value x);
  /// e^(x/2) - 1 and e^(-x/2) - 1.
  std::pair<Value, Value> getHalfPowers(Value x);
  /// ln(2x).
  Value logOfTwice(Value x);
  /// The weight e^(-x^2 / 2), and the share of the normal distribution beyond
  /// |x|. `x` must be in the bounds of clampNormal().
  struct Tail {
    Value weight, share;
  };
  Tail getTail(Value x);
  Value clampNormal(Value x);
  /// 1 / (1 + e^-v) and 1 / (1 + e^v) of the v of tanhGelu().
  std::pair<Value, Value> getGates(Value x);
};

extern template class ComposedMath<DoubleMath>;
extern template class ComposedMath<WideMath>;

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_COMPOSEDMATH_H
