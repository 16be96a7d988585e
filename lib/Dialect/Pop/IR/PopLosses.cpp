//===- PopLosses.cpp - Parts of losses --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopLosses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::LabelBuilder;

static RankedTensorType getTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value pop::detail::buildSumOfAll(OpBuilder &b, Location loc, Value input,
                                 AccumAttr accum) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(getTypeOf(input).getRank()));
  return ReduceOp::create(b, loc, ReduceKind::Sum, input, axes,
                          /*keep_dims=*/false, accum);
}

Value pop::detail::buildScalarLike(OpBuilder &b, Location loc, Value like,
                                   double value) {
  return pop::detail::buildSplat(
      b, loc, {}, b.getFloatAttr(getTypeOf(like).getElementType(), value));
}

Value pop::detail::buildAboveZero(OpBuilder &b, Location loc,
                                  Value probability) {
  auto type = cast<FloatType>(getTypeOf(probability).getElementType());
  Value least = pop::detail::buildSplat(
      b, loc, {},
      b.getFloatAttr(type,
                     APFloat::getSmallestNormalized(type.getFloatSemantics())));
  // A negative number is no probability: its logarithm stays NaN.
  Value magnitude = AbsOp::create(b, loc, probability);
  Value isTiny = LessOp::create(b, loc, magnitude, least);
  return SelectOp::create(b, loc, isTiny, least, probability);
}

//===----------------------------------------------------------------------===//
// LabelBuilder
//===----------------------------------------------------------------------===//

static bool canHold(IntegerType type, int64_t value) {
  unsigned width = type.getWidth();
  if (type.isUnsigned())
    return value >= 0 && llvm::isUIntN(width, static_cast<uint64_t>(value));
  return llvm::isIntN(width, value);
}

Value LabelBuilder::buildInteger(IntegerType type, int64_t value) {
  return pop::detail::buildSplat(b, loc, {}, b.getIntegerAttr(type, value));
}

Value LabelBuilder::buildCounts() {
  auto type = cast<IntegerType>(labels.getType().getElementType());
  int64_t classes = getNumClasses();
  Value counts;
  auto require = [&](Value condition) {
    counts = counts ? AndOp::create(b, loc, counts, condition) : condition;
  };
  if (!type.isUnsigned())
    require(GreaterEqualOp::create(b, loc, labels, buildInteger(type, 0)));
  if (canHold(type, classes))
    require(LessOp::create(b, loc, labels, buildInteger(type, classes)));
  // An ignored label that is no class does not count anyway.
  auto ignored = static_cast<int64_t>(ignoreIndex.value_or(-1));
  if (ignored >= 0 && ignored < classes && canHold(type, ignored))
    require(NotEqualOp::create(b, loc, labels, buildInteger(type, ignored)));
  if (counts)
    return counts;
  return pop::detail::buildSplat(b, loc, labels.getType().getShape(),
                                 b.getBoolAttr(true));
}

Value LabelBuilder::buildPicked(Value input) {
  int64_t rank = inputType.getRank();
  SmallVector<int64_t> permutation = {0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  Value rows = pop::detail::buildTranspose(b, loc, input, permutation);
  return buildWide(GatherOp::create(b, loc, rows, labels,
                                    /*batch_dims=*/rank - 1));
}

Value LabelBuilder::buildWeights(Value weights, Value counts) {
  if (!weights)
    return pop::detail::buildCast(b, loc, counts,
                                  getComputeType(inputType.getElementType()));
  Value picked = GatherOp::create(b, loc, weights, labels, /*batch_dims=*/0);
  return buildMasked(counts, buildWide(picked));
}

Value LabelBuilder::buildOneHot() {
  auto type = cast<IntegerType>(labels.getType().getElementType());
  int64_t classes = getNumClasses();
  Value wide = labels;
  if (!canHold(type, classes)) {
    type = b.getI64Type();
    wide = pop::detail::buildCast(b, loc, labels, type);
  }
  SmallVector<APInt> numbers;
  numbers.reserve(classes);
  for (int64_t i = 0; i < classes; ++i)
    numbers.emplace_back(type.getWidth(), i);
  SmallVector<int64_t> shape(inputType.getRank() - 1, 1);
  shape.front() = classes;
  Value iota = ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get(shape, type), numbers));
  return EqualOp::create(b, loc, buildForClasses(wide), iota);
}

Value LabelBuilder::buildForClasses(Value value) {
  SmallVector<int64_t> shape(getTypeOf(value).getShape());
  shape.insert(shape.begin() + 1, 1);
  return pop::detail::buildReshape(b, loc, value, shape);
}

Value LabelBuilder::buildWide(Value input) {
  return pop::detail::buildCast(b, loc, input,
                                getComputeType(inputType.getElementType()));
}

Value LabelBuilder::buildMasked(Value counts, Value value) {
  return SelectOp::create(b, loc, counts, value,
                          pop::detail::buildScalarLike(b, loc, value, 0.0));
}
