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

Value pop::detail::buildAboveZero(PopBuilder &b, Value probability) {
  auto type = cast<FloatType>(getTypeOf(probability).getElementType());
  Value least =
      b.splat(APFloat::getSmallestNormalized(type.getFloatSemantics()), type);
  // A negative number is no probability: its logarithm stays NaN.
  Value magnitude = b.abs(probability);
  Value isTiny = b.less(magnitude, least);
  return b.select(isTiny, least, probability);
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
  return b.splat(b.getIntegerAttr(type, value));
}

Value LabelBuilder::buildCounts() {
  auto type = cast<IntegerType>(labels.getType().getElementType());
  int64_t classes = getNumClasses();
  Value counts;
  auto require = [&](Value condition) {
    counts = counts ? b.create<AndOp>(counts, condition) : condition;
  };
  if (!type.isUnsigned())
    require(b.create<GreaterEqualOp>(labels, buildInteger(type, 0)));
  if (canHold(type, classes))
    require(b.less(labels, buildInteger(type, classes)));
  // An ignored label that is no class does not count anyway.
  auto ignored = static_cast<int64_t>(ignoreIndex.value_or(-1));
  if (ignored >= 0 && ignored < classes && canHold(type, ignored))
    require(b.create<NotEqualOp>(labels, buildInteger(type, ignored)));
  if (counts)
    return counts;
  return b.splat(b.getBoolAttr(true), labels.getType().getShape());
}

Value LabelBuilder::buildPicked(Value input) {
  int64_t rank = inputType.getRank();
  SmallVector<int64_t> permutation = {0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  Value rows = b.transpose(input, permutation);
  return b.widen(b.create<GatherOp>(rows, labels,
                                    /*batch_dims=*/rank - 1));
}

Value LabelBuilder::buildWeights(Value weights, Value counts) {
  if (!weights)
    return b.cast(counts, getComputeType(inputType.getElementType()));
  Value picked = b.create<GatherOp>(weights, labels, /*batch_dims=*/0);
  return b.mask(counts, b.widen(picked));
}

Value LabelBuilder::buildOneHot() {
  auto type = cast<IntegerType>(labels.getType().getElementType());
  int64_t classes = getNumClasses();
  Value wide = labels;
  if (!canHold(type, classes)) {
    type = b.getI64Type();
    wide = b.cast(labels, type);
  }
  Value iota = b.iota(classes, type, /*axis=*/0,
                      /*rank=*/inputType.getRank() - 1);
  return b.equal(buildForClasses(wide), iota);
}

Value LabelBuilder::buildForClasses(Value value) {
  SmallVector<int64_t> shape(getTypeOf(value).getShape());
  shape.insert(shape.begin() + 1, 1);
  return b.reshape(value, shape);
}
