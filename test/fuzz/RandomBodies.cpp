//===- RandomBodies.cpp - Bodies of random ops ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of ops, with bounds of their values and of the error of a sum in
// another order. Values are so small that sums of whole numbers are exact in
// f32.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse::fuzz;

/// Two roundings, relative to the value.
static constexpr double kRounding = 0x1p-22;
/// Values that grow beyond the first one are clamped to the second one.
static constexpr double kLargest = 256;
static constexpr double kClamp = 8;

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

Body ProgramBuilder::pickBody(bool reduces, int64_t numAddends) {
  Body body;
  Made value;
  if (!reads.empty()) {
    value.bound = reads[0].made->bound;
    value.error = reads[0].made->error;
  }
  for (size_t i = 1; i < reads.size(); ++i) {
    Combine combine = Combine(random.pick(5u));
    body.combines.push_back(combine);
    const Made &other = *reads[i].made;
    if (combine == Combine::Mul) {
      value.error =
          value.error * (other.bound + other.error) + other.error * value.bound;
      value.bound *= other.bound;
    } else if (combine == Combine::Add || combine == Combine::Sub) {
      value.bound += other.bound;
      value.error += other.error;
    } else {
      value.bound = std::max(value.bound, other.bound);
      value.error = std::max(value.error, other.error);
    }
    value.error += kRounding * value.bound * (value.error > 0);
  }
  bool isReal = program.elements == Elements::Real;
  // A comparison of inexact values has no tolerance.
  body.unary = Body::Unary(random.pick(isReal ? 5u : 6u));
  if (body.unary == Body::Unary::Double) {
    value.bound *= 2;
    value.error *= 2;
  }
  if (body.unary == Body::Unary::Offset || body.unary == Body::Unary::Select)
    value.bound += 3;
  if (random.chance(5) && !loops.empty()) {
    body.index = random.pick(unsigned(loops.size()));
    value.bound += extents[loops[*body.index].extent].size;
  }
  value.error += kRounding * value.bound * (value.error > 0);
  if (program.elements != Elements::Int && value.bound > kLargest) {
    body.clamp = kClamp;
    value.bound = kClamp;
    value.error = std::min(value.error, 2 * kClamp);
  }
  body.results.resize(random.chance(8) ? 2 : 1);
  for (BodyResult &result : body.results)
    pickResult(result, value, reduces, numAddends);
  return body;
}

void ProgramBuilder::pickResult(BodyResult &result, const Made &addend,
                                bool reduces, int64_t numAddends) {
  result.made.bound = addend.bound;
  result.made.error = addend.error;
  if (!reduces) {
    result.usesInit = random.chance(6);
    result.combine = random.chance(70) ? Combine::Add : Combine::Max;
    return;
  }
  result.usesInit = result.isAccumulator = true;
  result.accumulatorFirst = random.chance(50);
  unsigned kind = random.pick(10u);
  bool isInt = program.elements == Elements::Int;
  result.combine = kind < 6              ? Combine::Add
                   : kind < 8            ? Combine::Max
                   : kind == 8 || !isInt ? Combine::Min
                                         : Combine::Mul;
  if (isInt && random.chance(3)) {
    result.isHorner = true;
    program.isOrdered = true;
  }
  result.start = random.chance(70) ? 0 : 3;
  if (result.combine == Combine::Max || result.combine == Combine::Min)
    result.start = random.chance(50)                ? 1
                   : result.combine == Combine::Max ? -1000
                                                    : 1000;
  if (result.combine == Combine::Mul)
    result.start = 1;
  result.made.bound += std::abs(result.start);
  if (result.combine != Combine::Add)
    return;
  double sum = addend.bound * numAddends;
  result.made.bound = sum + std::abs(result.start);
  result.made.error *= numAddends;
  if (program.elements == Elements::Real)
    result.made.error += numAddends * kRounding * result.made.bound;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Value ProgramBuilder::createConstant(OpBuilder &builder, Location loc,
                                     double value) {
  TypedAttr attribute =
      element.isInteger(32)
          ? TypedAttr(builder.getI32IntegerAttr(int32_t(value)))
          : TypedAttr(builder.getF32FloatAttr(float(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value ProgramBuilder::create(Combine combine, OpBuilder &builder, Location loc,
                             Value lhs, Value rhs) {
  bool isInt = element.isInteger(32);
  switch (combine) {
  case Combine::Add:
    return isInt ? arith::AddIOp::create(builder, loc, lhs, rhs).getResult()
                 : arith::AddFOp::create(builder, loc, lhs, rhs).getResult();
  case Combine::Sub:
    return isInt ? arith::SubIOp::create(builder, loc, lhs, rhs).getResult()
                 : arith::SubFOp::create(builder, loc, lhs, rhs).getResult();
  case Combine::Mul:
    return isInt ? arith::MulIOp::create(builder, loc, lhs, rhs).getResult()
                 : arith::MulFOp::create(builder, loc, lhs, rhs).getResult();
  case Combine::Max:
    return isInt
               ? arith::MaxSIOp::create(builder, loc, lhs, rhs).getResult()
               : arith::MaximumFOp::create(builder, loc, lhs, rhs).getResult();
  case Combine::Min:
    return isInt
               ? arith::MinSIOp::create(builder, loc, lhs, rhs).getResult()
               : arith::MinimumFOp::create(builder, loc, lhs, rhs).getResult();
  }
  llvm_unreachable("unknown combine");
}

Value ProgramBuilder::create(Body::Unary unary, OpBuilder &builder,
                             Location loc, Value value) {
  bool isInt = element.isInteger(32);
  switch (unary) {
  case Body::Unary::None:
    return value;
  case Body::Unary::Abs:
    return isInt ? math::AbsIOp::create(builder, loc, value).getResult()
                 : math::AbsFOp::create(builder, loc, value).getResult();
  case Body::Unary::Neg:
    return create(Combine::Sub, builder, loc, createConstant(builder, loc, 0),
                  value);
  case Body::Unary::Offset:
    return create(Combine::Add, builder, loc, value,
                  createConstant(builder, loc, 3));
  case Body::Unary::Double:
    return create(Combine::Mul, builder, loc, createConstant(builder, loc, 2),
                  value);
  case Body::Unary::Select: {
    Value one = createConstant(builder, loc, 1);
    Value isLess =
        isInt ? arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      value, one)
                    .getResult()
              : arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                      value, one)
                    .getResult();
    return arith::SelectOp::create(builder, loc, isLess,
                                   createConstant(builder, loc, 3), value);
  }
  }
  llvm_unreachable("unknown unary");
}

void ProgramBuilder::createBody(const Body &body, OpBuilder &builder,
                                Location loc, ValueRange args) {
  Value value = args.front();
  for (auto [i, combine] : llvm::enumerate(body.combines))
    value = create(combine, builder, loc, value, args[i + 1]);
  value = create(body.unary, builder, loc, value);
  if (body.index) {
    Value index = linalg::IndexOp::create(builder, loc, *body.index);
    index =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
    if (!element.isInteger(32))
      index = arith::SIToFPOp::create(builder, loc, element, index);
    value = create(Combine::Add, builder, loc, value, index);
  }
  if (body.clamp) {
    value = create(Combine::Min, builder, loc, value,
                   createConstant(builder, loc, *body.clamp));
    value = create(Combine::Max, builder, loc, value,
                   createConstant(builder, loc, -*body.clamp));
  }
  SmallVector<Value> results;
  ValueRange inits = args.take_back(body.results.size());
  for (auto [result, init] : llvm::zip_equal(body.results, inits)) {
    if (!result.usesInit) {
      results.push_back(value);
      continue;
    }
    Value old = init;
    if (result.isHorner)
      old = create(Body::Unary::Double, builder, loc, old);
    results.push_back(result.accumulatorFirst
                          ? create(result.combine, builder, loc, old, value)
                          : create(result.combine, builder, loc, value, old));
  }
  linalg::YieldOp::create(builder, loc, results);
}
