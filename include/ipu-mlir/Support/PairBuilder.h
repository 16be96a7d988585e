//===- PairBuilder.h - Builder of arithmetic on pairs of f64 ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on numbers of about 100 bits. A number is a pair of f64 whose sum
// is the number: the first f64 is the rounded number, and the second f64 is the
// rounding error. The method is described in T. J. Dekker, A floating-point
// technique for extending the available precision, Numerische Mathematik 18
// (1971).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_PAIRBUILDER_H
#define IPU_MLIR_SUPPORT_PAIRBUILDER_H

#include "ipu-mlir/Support/DoubleBuilder.h"

namespace mlir::ipu {

/// A constant number hi + lo.
struct PairConstant {
  double hi, lo = 0;

  /// Returns 1 / n.
  static PairConstant inverse(double n);
  PairConstant operator-() const { return {-hi, -lo}; }
};

class PairBuilder : public DoubleBuilder {
public:
  using DoubleBuilder::DoubleBuilder;

protected:
  /// A number hi + lo. In the result of each operation below, hi is the f64
  /// nearest to the number, except if the addends of a sum of pairs cancel.
  struct Pair {
    Value hi, lo;
  };

  using DoubleBuilder::add;
  using DoubleBuilder::div;
  using DoubleBuilder::mul;
  using DoubleBuilder::negate;
  using DoubleBuilder::select;

  Pair real(const PairConstant &value) {
    return {DoubleBuilder::real(value.hi), DoubleBuilder::real(value.lo)};
  }
  using DoubleBuilder::real;
  Pair extend(Value x) { return {x, real(0.0)}; }

  /// Return the exact sum. sumOfOrdered() requires that x is not less than y in
  /// magnitude.
  Pair sum(Value x, Value y);
  Pair sumOfOrdered(Value x, Value y);
  /// Returns the exact product, unless it underflows.
  Pair product(Value x, Value y);

  Pair negate(Pair x) { return {negate(x.hi), negate(x.lo)}; }
  Pair select(Value condition, Pair x, Pair y) {
    return {select(condition, x.hi, y.hi), select(condition, x.lo, y.lo)};
  }
  Pair add(Pair x, Pair y);
  /// Returns the sum. Requires that x is not less than y in magnitude.
  Pair addOrdered(Pair x, Pair y);
  Pair mul(Pair x, Pair y);
  Pair div(Pair x, Pair y);

  /// Returns the sum of coefficients[i] * x^i. The first `numPairs` addends are
  /// computed as pairs, and the other addends in f64. Each addend must be
  /// greater in magnitude than the sum of the addends after it.
  Pair series(Pair x, ArrayRef<PairConstant> coefficients, size_t numPairs);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_PAIRBUILDER_H
