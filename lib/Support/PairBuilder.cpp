//===- PairBuilder.cpp - Builder of arithmetic on pairs of f64 --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/PairBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

PairConstant PairConstant::inverse(double n) {
  double hi = 1 / n;
  return {hi, std::fma(-hi, n, 1.0) / n};
}

PairBuilder::Pair PairBuilder::sum(Value x, Value y) {
  Value hi = add(x, y);
  Value part = sub(hi, x);
  return {hi, add(sub(x, sub(hi, part)), sub(y, part))};
}

PairBuilder::Pair PairBuilder::sumOfOrdered(Value x, Value y) {
  Value hi = add(x, y);
  return {hi, sub(y, sub(hi, x))};
}

PairBuilder::Pair PairBuilder::product(Value x, Value y) {
  Value hi = mul(x, y);
  return {hi, fma(x, y, negate(hi))};
}

PairBuilder::Pair PairBuilder::add(Pair x, Pair y) {
  Pair result = sum(x.hi, y.hi);
  return sumOfOrdered(result.hi, add(result.lo, add(x.lo, y.lo)));
}

PairBuilder::Pair PairBuilder::addOrdered(Pair x, Pair y) {
  Pair result = sumOfOrdered(x.hi, y.hi);
  return sumOfOrdered(result.hi, add(result.lo, add(x.lo, y.lo)));
}

PairBuilder::Pair PairBuilder::mul(Pair x, Pair y) {
  Pair result = product(x.hi, y.hi);
  Value lo = fma(x.hi, y.lo, fma(x.lo, y.hi, result.lo));
  return sumOfOrdered(result.hi, lo);
}

PairBuilder::Pair PairBuilder::div(Pair x, Pair y) {
  Value hi = div(x.hi, y.hi);
  Value quotient = negate(hi);
  Value rest = add(fma(quotient, y.hi, x.hi), x.lo);
  return sumOfOrdered(hi, div(fma(quotient, y.lo, rest), y.hi));
}

PairBuilder::Pair PairBuilder::series(Pair x,
                                      ArrayRef<PairConstant> coefficients,
                                      size_t numPairs) {
  SmallVector<double> rest;
  for (const PairConstant &coefficient : coefficients.drop_front(numPairs))
    rest.push_back(coefficient.hi);
  Pair y = extend(polynomial(x.hi, rest));
  for (const PairConstant &coefficient :
       llvm::reverse(coefficients.take_front(numPairs)))
    y = addOrdered(real(coefficient), mul(x, y));
  return y;
}
