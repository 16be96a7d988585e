//===- PairBuilder.h - Builder of arithmetic on pairs of f64 ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of about 100 bits as the sum of an f64 and its rounding error, after
// T. J. Dekker, A floating-point technique for extending the available
// precision, Numerische Mathematik 18 (1971).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_PAIRBUILDER_H
#define IPU_MLIR_SUPPORT_PAIRBUILDER_H

#include "ipu-mlir/Support/DoubleBuilder.h"

namespace mlir::ipu {

/// A number that is known in advance, like the value of a pair.
struct PairConstant {
  double hi, lo = 0;

  /// 1 / n.
  static PairConstant inverse(double n);
  PairConstant operator-() const { return {-hi, -lo}; }
};

class PairBuilder : public DoubleBuilder {
public:
  using DoubleBuilder::DoubleBuilder;

protected:
  /// hi + lo. After each operation below, except `sum` of pairs that cancel, hi
  /// is the f64 nearest to the number.
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

  /// Exact sums. The second function requires that x is not less than y in
  /// magnitude.
  Pair sum(Value x, Value y);
  Pair sumOfOrdered(Value x, Value y);
  /// The exact product, except for underflow.
  Pair product(Value x, Value y);

  Pair negate(Pair x) { return {negate(x.hi), negate(x.lo)}; }
  Pair select(Value condition, Pair x, Pair y) {
    return {select(condition, x.hi, y.hi), select(condition, x.lo, y.lo)};
  }
  Pair add(Pair x, Pair y);
  /// Requires that x is not less than y in magnitude.
  Pair addOrdered(Pair x, Pair y);
  Pair mul(Pair x, Pair y);
  Pair div(Pair x, Pair y);

  /// The sum of coefficients[i] * x^i. The first `numPairs` addends are
  /// computed as pairs, the others in f64. Each addend must be greater in
  /// magnitude than the sum of the addends after it.
  Pair series(Pair x, ArrayRef<PairConstant> coefficients, size_t numPairs);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_PAIRBUILDER_H
