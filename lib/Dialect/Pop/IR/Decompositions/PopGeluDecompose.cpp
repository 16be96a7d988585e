//===- PopGeluDecompose.cpp - Gaussian error linear unit in f16 -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `compute = f16`, gelu becomes ops on f16. Without it, one vertex
// computes the whole function.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

using namespace mlir;
using namespace mlir::pop;

using Replacement = FailureOr<SmallVector<Value>>;

namespace {
/// gelu(x) is about x s(v), where s is the logistic function, v = x p(x^2), and
/// p is a polynomial.
struct GeluPolynomial {
  /// The coefficients of p, beginning with the constant one.
  ArrayRef<double> coefficients;
  /// If there is a bound, greater squares count as this bound. Otherwise p
  /// would become negative.
  std::optional<double> greatestSquare;
};
} // namespace

/// v is that of the definition of the approximation.
static constexpr double kTanhCoefficients[] = {1.5957691216057308,
                                               0.0713548162726009};
/// p is fitted to the logit of the normal distribution function. x s(v) differs
/// from gelu(x) by at most 2.6e-5.
static constexpr double kNormalCoefficients[] = {1.59501577, 0.0740112908,
                                                 -0.000703033604};

static GeluPolynomial getPolynomial(bool isApproximate) {
  if (isApproximate)
    return {kTanhCoefficients, std::nullopt};
  return {kNormalCoefficients, 25.0};
}

static Value buildPolynomial(PopBuilder &b, Value x,
                             ArrayRef<double> coefficients) {
  Value sum = b.splatLike(coefficients.back(), x);
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    Value product = b.mul(x, sum);
    sum = b.add(product, b.splatLike(coefficient, x));
  }
  return sum;
}

static Value buildSquare(PopBuilder &b, Value x, const GeluPolynomial &p) {
  Value square = b.mul(x, x);
  return p.greatestSquare
             ? b.min(square, b.splatLike(*p.greatestSquare, square))
             : square;
}

Replacement GeluOp::decompose(OpBuilder &builder) {
  if (!getComputeAttr())
    return failure();
  PopBuilder b(builder, getLoc());
  Value x = getInput();
  GeluPolynomial p = getPolynomial(getApproximate());
  Value v = b.mul(x, buildPolynomial(b, buildSquare(b, x, p), p.coefficients));
  return SmallVector<Value>{b.mul(x, b.create<SigmoidOp>(v))};
}

/// s(v) + (x v'(x)) s(v) (1 - s(v)), where x v'(x) = x (p + 2 x^2 p').
Replacement GeluSlopeOp::decompose(OpBuilder &builder) {
  if (!getComputeAttr())
    return failure();
  PopBuilder b(builder, getLoc());
  GeluPolynomial p = getPolynomial(getApproximate());
  // Beyond these bounds the slope is 0 or 1 in f16, and powers of x may
  // overflow.
  Value x = b.max(getInput(), b.splatLike(-8.0, getInput()));
  x = b.min(x, b.splatLike(8.0, x));
  Value square = buildSquare(b, x, p);
  SmallVector<double> slope(p.coefficients);
  for (auto [i, coefficient] : llvm::enumerate(slope))
    coefficient *= 2.0 * static_cast<double>(i) + 1.0;
  Value v = b.mul(x, buildPolynomial(b, square, p.coefficients));
  Value weight = b.mul(x, buildPolynomial(b, square, slope));
  Value gate = b.create<SigmoidOp>(v);
  Value rest = b.sub(b.splatLike(1.0, gate), gate);
  return SmallVector<Value>{b.add(gate, b.mul(weight, b.mul(gate, rest)))};
}
