//===- Ordering.cpp - ONNX sorts and cumulative sums ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose results depend on the order of the elements along an axis.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::SortOrder;

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// Returns the number of elements that a TopK node selects: an attribute before
/// opset 10, and an input from this opset on.
static int64_t getNumSelected(Node &node, int64_t size) {
  int64_t k;
  if (node.getOpset() < 10) {
    k = node.getInt("k");
  } else {
    SmallVector<int64_t> ints = node.getConstantInts(1);
    Value operand = node.getInput(1);
    node.require(getShape(operand) == ArrayRef<int64_t>{1},
                 "expects 'K' to be a list of one integer but got " +
                     quote(operand.getType()));
    k = ints.front();
  }
  node.require(k >= 0 && k <= size,
               "expects 'K' to be from 0 to " + Twine(size) +
                   ", the size of the axis, but got " + Twine(k));
  return k;
}

SmallVector<Value> ipu::onnx::sortWithPositions(Node &node, Value x,
                                                int64_t axis, SortOrder order) {
  Value positions = getPositions(node, x, axis);
  auto getOrder = [&](SortOrder value) -> Attribute {
    return pop::SortOrderAttr::get(node.getContext(), value);
  };
  return node.createAll<pop::SortOp>(
      {x, positions},
      {node.attr("orders", node.getArrayAttr({getOrder(order),
                                              getOrder(SortOrder::Ascending)})),
       node.attr("axis", axis), node.attr("indexed", node.getUnitAttr())},
      {x.getType(), positions.getType()});
}

static void importTopK(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), getRank(x));
  int64_t k = getNumSelected(node, getDim(x, axis));
  bool largest = node.getInt("largest", 1) != 0;
  // A NaN is the last element of an ascending sort, but it is the least element
  // of a reduction.
  bool isReduction = k == 1 && (largest || isa<IntegerType>(getElement(x)));
  Value values, positions;
  if (isReduction) {
    ExtremePair pair =
        getExtremePair(node, x, axis, largest, /*selectLast=*/false);
    values = pair.value;
    positions = pair.index;
  } else {
    SmallVector<Value> sorted = sortWithPositions(
        node, x, axis, largest ? SortOrder::Descending : SortOrder::Ascending);
    values = node.slice(sorted[0], axis, 0, k);
    positions = node.slice(sorted[1], axis, 0, k);
  }
  node.setResult(0, values);
  node.setResult(1, node.cast(positions, node.getI64Type()));
}

//===----------------------------------------------------------------------===//
// CumSum
//===----------------------------------------------------------------------===//

namespace {
/// A cumulative sum along an axis, towards the end or, with `isReverse`,
/// towards the beginning.
struct CumulativeSum {
  Node &node;
  int64_t axis;
  bool isReverse;

  /// Moves the elements of `x` by `distance` positions in the direction of the
  /// sum. The elements that are moved in are `value`.
  Value shift(Value x, int64_t distance, double value) const {
    SmallVector<int64_t> low(getRank(x), 0), high = low;
    (isReverse ? high : low)[axis] = distance;
    auto type = dyn_cast<FloatType>(getElement(x));
    TypedAttr fill;
    if (type)
      fill = node.getFloatAttr(type, value);
    int64_t start = isReverse ? distance : 0;
    return node.slice(node.pad(x, low, high, fill), axis, start,
                      getDim(x, axis));
  }

  /// Doubles the number of addends of each element until it has all of them.
  Value build(Value x) const {
    for (int64_t distance = 1; distance < getDim(x, axis); distance *= 2)
      // The sum of -0 and a number is this number.
      x = node.add(x, shift(x, distance, /*value=*/-0.0));
    return x;
  }
};
} // namespace

Value ipu::onnx::getCumulativeSum(Node &node, Value x, int64_t axis) {
  return CumulativeSum{node, axis, /*isReverse=*/false}.build(x);
}

static void importCumSum(Node &node) {
  Value x = node.getInput(0);
  SmallVector<int64_t> axes = node.getConstantInts(1);
  node.require(axes.size() == 1, "expects one integer as 'axis' but got " +
                                     Twine(axes.size()) + " integers");
  CumulativeSum sum{node, node.normalizeAxis(axes.front(), getRank(x)),
                    node.getInt("reverse", 0) != 0};
  bool isExclusive = node.getInt("exclusive", 0) != 0;
  node.setResult(buildWide(node, x, [&](Value wide) {
    return sum.build(isExclusive ? sum.shift(wide, 1, /*value=*/0.0) : wide);
  }));
}

ArrayRef<OpEntry> ipu::onnx::getOrderingOps() {
  static const OpEntry kOps[] = {
      {"CumSum", 11, 2, 2, 1, importCumSum,
       "constant axis; in f32 for narrower floats; a logarithmic number of "
       "additions"},
      {"TopK", 1, 1, 2, 2, importTopK,
       "constant `K`; a NaN counts as greater than every number, and of equal "
       "elements the first one comes first, as in NumPy and PyTorch"},
  };
  return kOps;
}
