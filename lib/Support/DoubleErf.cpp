//===- DoubleErf.cpp - The error function of f64 as arithmetic --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/DoubleMath.h"

using namespace mlir;
using namespace mlir::ipu;

/// 2 / sqrt(pi).
static constexpr PairConstant kFactor = {0x1.20dd750429b6dp+0,
                                         0x1.1ae3a914fed80p-56};

/// Coefficients of t = (x - 2) / (x + 2) in the polynomial that is
/// e^(x^2) (1 - erf(x)) at the 18 Chebyshev nodes of t for x from 1 to 6. Its
/// error times e^-(x^2) is less than 2^-64.
static constexpr PairConstant kComplement[] = {
    {0.25539567631050575, -4.38840555750137e-18},
    {-0.4271858474139584, -2.150913170243993e-17},
    {0.24165819424246646, 7.502408633222442e-18},
    {-0.07897858101573213, 4.5456645094950496e-18},
    {0.003732892404327764},
    {0.006997461739200444},
    {-0.0008471432509203844},
    {-0.000981977026567889},
    {4.355560219515472e-05},
    {0.00017436116545392264},
    {2.7525480361206068e-05},
    {-2.7579864674305787e-05},
    {-1.396807230177146e-05},
    {1.392621183618803e-06},
    {3.789215643758464e-06},
    {1.1780775215625583e-06},
    {-5.322696855655786e-07},
    {-4.215301054238321e-07}};

/// 2 x / sqrt(pi) times the sum of (-1)^i x^2i / (i! (2i + 1)).
Value DoubleMath::getErfSeries(Value x) {
  SmallVector<PairConstant> coefficients;
  double factorial = 1;
  for (size_t i : llvm::seq<size_t>(0, 22)) {
    coefficients.push_back(PairConstant::inverse(factorial * (2 * i + 1)));
    factorial *= -static_cast<double>(i + 1);
  }
  Pair y = series(product(x, x), coefficients, /*numPairs=*/6);
  Pair slope = mul(y, real(kFactor));
  return fma(x, slope.hi, mul(x, slope.lo));
}

DoubleMath::Pair DoubleMath::getErfComplement(Value x) {
  Value two = real(2.0);
  Pair t = div(sum(x, negate(two)), sum(x, two));
  Pair power = getSmallPower(negate(product(x, x)));
  return mul(power, series(t, kComplement, /*numPairs=*/4));
}

/// The series below 1. From 6 on, erf rounds to 1.
Value DoubleMath::erf(Value x) {
  Value magnitude = clamp(abs(x), 0.0, 6.0);
  Pair one = real(PairConstant{1.0});
  Pair large = addOrdered(one, negate(getErfComplement(magnitude)));
  Value isSmall = compare(Predicate::OLT, magnitude, one.hi);
  Value y = select(isSmall, getErfSeries(magnitude), large.hi);
  return copySign(y, x);
}
