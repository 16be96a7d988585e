//===- PopRandomNormal.cpp - Inverse of the normal distribution -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a probability, as f64. Out: the quantile of the normal distribution for
// this probability, computed by the function PPND16 of M. J. Wichura, Algorithm
// AS 241: the percentage points of the normal distribution, Applied Statistics
// 37 (1988), which is the source of the coefficients. The relative error is
// about 1e-16.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "ipu-mlir/Support/DoubleBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Coefficients of a quotient of polynomials, those of x^0 first.
struct Quotient {
  double numerator[8], denominator[8];
};
} // namespace

static constexpr double kCentral = 0.425;
static constexpr double kCentralOffset = 0.180625;
static constexpr double kNearOffset = 1.6;
static constexpr double kFar = 5;

static constexpr Quotient kCentralQuotient = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
     5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
     2.8729085735721942674e4, 5.2264952788528545610e3}};
static constexpr Quotient kNearQuotient = {
    {1.42343711074968357734e0, 4.63033784615654529590e0,
     5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
     6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
static constexpr Quotient kFarQuotient = {
    {6.65790464350110377720e0, 5.46378491116411436990e0,
     1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
     1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

namespace {
class InverseNormal : public ipu::DoubleBuilder {
public:
  using DoubleBuilder::DoubleBuilder;

  Value build(Value probability);

private:
  Value addConstant(Value x, double y) { return add(x, real(y)); }
  Value isAtMost(Value x, double y) {
    return compare(Predicate::OLE, x, real(y));
  }
  Value quotient(Value x, const Quotient &quotient) {
    Value numerator = polynomial(x, quotient.numerator);
    return div(numerator, polynomial(x, quotient.denominator));
  }
};
} // namespace

Value InverseNormal::build(Value probability) {
  Value q = addConstant(probability, -0.5);
  Value magnitude = abs(q);
  Value rest = sub(real(kCentralOffset), mul(q, q));
  Value central = mul(q, quotient(rest, kCentralQuotient));

  // The lesser of the probability and 1 minus it: exact, and above 0.
  Value tail = sub(real(0.5), magnitude);
  Value logarithm = math::LogOp::create(b, tail);
  Value r = math::SqrtOp::create(b, negate(logarithm));
  Value near = quotient(addConstant(r, -kNearOffset), kNearQuotient);
  Value far = quotient(addConstant(r, -kFar), kFarQuotient);
  Value outer = copySign(select(isAtMost(r, kFar), near, far), q);
  return select(isAtMost(magnitude, kCentral), central, outer);
}

Value pop::detail::buildInverseNormal(OpBuilder &builder, Location loc,
                                      Value probability) {
  return InverseNormal(builder, loc).build(probability);
}
