//===- GradientUtils.cpp - Utilities of gradients ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;

LogicalResult pop::detail::checkGradientShape(Operation *op,
                                              ArrayRef<int64_t> shape) {
  if (isPopShape(shape))
    return success();
  return op->emitOpError() << "expects tensors of at most 2^56 elements in its "
                              "gradients but got shape ["
                           << shape << "]";
}

Value pop::detail::buildOperand(GradientBuilder &b, Value operand, Value dy) {
  return b.cast(b.getForward(operand), getTypeOf(dy).getElementType());
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Value pop::detail::buildSpread(GradientBuilder &b, Value tensor,
                               ArrayRef<int64_t> steps) {
  // Each element gets its zeros after it, along a dimension of its own.
  SmallVector<int64_t> alone, high, joined, sizes;
  for (auto [size, step] :
       llvm::zip_equal(getTypeOf(tensor).getShape(), steps)) {
    int64_t zeros = size > 1 ? step - 1 : 0;
    alone.append({size, 1});
    high.append({0, zeros});
    joined.push_back(size * (zeros + 1));
    sizes.push_back(joined.back() - zeros);
  }
  SmallVector<int64_t> low(alone.size(), 0);
  if (high == low)
    return tensor;
  Value padded = b.pad(b.reshape(tensor, alone), low, high);
  return b.slice(b.reshape(padded, joined),
                 SmallVector<int64_t>(sizes.size(), 0), sizes,
                 SmallVector<int64_t>(sizes.size(), 1));
}

Value pop::detail::buildPlaced(GradientBuilder &b, Value tensor,
                               ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> starts,
                               ArrayRef<int64_t> steps) {
  SmallVector<int64_t> sizes(getTypeOf(tensor).getShape());
  if (llvm::is_contained(sizes, 0))
    return {};
  SmallVector<int64_t> low, high, distances, first, directions;
  for (auto [extent, size, start, step] :
       llvm::zip_equal(shape, sizes, starts, steps)) {
    bool isReversed = size > 1 && step < 0;
    int64_t distance = size > 1 ? std::abs(step) : 1;
    int64_t reach = (size - 1) * distance;
    first.push_back(isReversed ? size - 1 : 0);
    directions.push_back(isReversed ? -1 : 1);
    distances.push_back(distance);
    low.push_back(isReversed ? start - reach : start);
    high.push_back(extent - low.back() - reach - 1);
  }
  Value ascending = b.slice(tensor, first, sizes, directions);
  return b.pad(buildSpread(b, ascending, distances), low, high);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Every second column of `rows`, from `first` on.
static Value buildHalf(GradientBuilder &b, Value rows, int64_t first) {
  ArrayRef<int64_t> shape = pop::detail::getTypeOf(rows).getShape();
  return b.create<SliceOp>(rows, ArrayRef<int64_t>{0, first},
                           ArrayRef<int64_t>{shape[0], shape[1] / 2},
                           ArrayRef<int64_t>{1, 2});
}

/// Multiplies each column of `rows` that a pair of columns of `products` was
/// multiplied to by the other column of the pair.
static Value buildByNeighbours(GradientBuilder &b, Value outer,
                               Value products) {
  SmallVector<int64_t> shape(pop::detail::getTypeOf(products).getShape());
  SmallVector<int64_t> pairs = {shape[0], shape[1] / 2, 2};
  Value swapped =
      b.create<SliceOp>(b.reshape(products, pairs), ArrayRef<int64_t>{0, 0, 1},
                        pairs, ArrayRef<int64_t>{1, 1, -1});
  outer = b.reshape(outer, {shape[0], shape[1] / 2, 1});
  return b.reshape(b.mul(outer, swapped), shape);
}

Value pop::detail::buildProductsOfOthers(GradientBuilder &b, Value rows,
                                         Value factors) {
  // A tree of products: what multiplies a node from outside is what multiplies
  // its parent, times its sibling.
  SmallVector<int64_t> shape(getTypeOf(rows).getShape());
  int64_t width = llvm::PowerOf2Ceil(shape[1]);
  SmallVector<Value> levels = {
      b.pad(rows, {0, 0}, {0, width - shape[1]},
            b.getFloatAttr(getTypeOf(rows).getElementType(), 1.0))};
  for (; width > 2; width /= 2) {
    Value level = levels.back();
    Value even = buildHalf(b, level, 0);
    levels.push_back(b.mul(even, buildHalf(b, level, 1)));
  }
  Value outer = factors;
  if (shape[1] > 1)
    for (Value level : llvm::reverse(levels))
      outer = buildByNeighbours(b, outer, level);
  return b.slice(outer, {0, 0}, shape, {1, 1});
}
