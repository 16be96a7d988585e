//===- WideMath.h - Functions of f32 as arithmetic on f64 -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_WIDEMATH_H
#define IPU_MLIR_SUPPORT_WIDEMATH_H

#include "ipu-mlir/Support/PairBuilder.h"

namespace mlir::ipu {

/// Builds functions of f32 as arithmetic on f64: arguments are extended to f64,
/// and results are rounded to f32. What is lost in f64 is far below the last
/// place of f32, so that nearly all results are the correctly rounded ones;
/// results that overflow or are denormal are rounded like all others.
class WideMath : public PairBuilder {
public:
  using PairBuilder::PairBuilder;

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value pow(Value x, Value y);
  /// The sine of x, or of x + pi / 2.
  Value sin(Value x, bool isCosine);

private:
  Pair getTurns(Value x);
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_WIDEMATH_H
