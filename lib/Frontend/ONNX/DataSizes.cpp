//===- DataSizes.cpp - ONNX results whose sizes depend on data ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the operands are constants, the result is computed at import. Otherwise
// the user states the size of the result, and the device fills it up.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::ScatterKind;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Returns the size that the user states for a result that depends on operand
/// `i`, which is not a constant, but at most `most`. `filler` describes what
/// the result has beyond the elements that the operator selects.
static int64_t getStatedSize(Node &node, size_t i, StringRef filler,
                             int64_t most) {
  std::optional<int64_t> size =
      node.getState().getLimit(LimitKind::Size, node.getName());
  if (!size) {
    std::string hint =
        node.requestConstant(i, "the size of a result depends on its value");
    node.unsupported("the size of the result depends on the value of input " +
                     Twine(i) + ", which is not a constant; --max-size '" +
                     node.getName() + "=N' gives the result the size N, and " +
                     filler + hint);
  }
  return std::min(*size, most);
}

//===----------------------------------------------------------------------===//
// Selections on the device
//===----------------------------------------------------------------------===//

/// Returns `base`, of rank 1, in which `updates` replace the elements
/// `indices`, or are added to them. Indices out of range have no effect.
static Value scatter(Node &node, Value base, Value indices, Value updates,
                     ScatterKind kind = ScatterKind::Replace) {
  return node.create<pop::ScatterOp>(
      {base, indices, updates},
      node.attr("kind", pop::ScatterKindAttr::get(node.getContext(), kind)),
      base.getType());
}

static Value splatI32(Node &node, int64_t value, ArrayRef<int64_t> shape = {}) {
  return node.splat(static_cast<double>(value), node.getI32Type(), shape);
}

/// Returns the number of true elements of `mask`, of rank 1, before and
/// including each element.
static Value countUpTo(Node &node, Value mask) {
  return getCumulativeSum(node, node.cast(mask, node.getI32Type()), 0);
}

/// Lets a run fail in which the last of `counts` exceeds `size`.
static void checkCount(Node &node, Value counts, int64_t size) {
  int64_t last = getDim(counts, 0) - 1;
  if (last < size)
    return;
  Value count = node.reshape(node.slice(counts, 0, last, 1), {});
  failRunIf(node, node.less(splatI32(node, size), count));
}

/// Returns the positions of the first `size` true elements of `mask`, of rank
/// 1, as i32. If there are fewer, the rest is the number of elements. A run
/// fails if there are more.
static Value findTrue(Node &node, Value mask, int64_t size) {
  int64_t extent = getDim(mask, 0);
  Value none = splatI32(node, extent, {size});
  if (extent == 0 || size == 0)
    return none;
  Value counts = countUpTo(node, mask);
  checkCount(node, counts, size);
  Value target = node.select(mask, node.sub(counts, splatI32(node, 1)),
                             splatI32(node, size));
  return scatter(node, none, target, node.iota(extent, node.getI32Type()));
}

/// Returns `x` as one dimension, which has less than 2^31 elements.
static Value flatten(Node &node, Value x) {
  int64_t count = getTensorType(x).getNumElements();
  if (!llvm::isInt<32>(count))
    node.unsupported("2^31 or more elements");
  return node.reshape(x, {count});
}

//===----------------------------------------------------------------------===//
// NonZero
//===----------------------------------------------------------------------===//

/// Calls `fn` with the number of each element of `value`, and whether it is 0.
static void visitZeros(DenseElementsAttr value,
                       function_ref<void(int64_t, bool)> fn) {
  if (isa<FloatType>(value.getElementType())) {
    for (auto [i, element] : llvm::enumerate(value.getValues<APFloat>()))
      fn(i, element.isZero());
    return;
  }
  for (auto [i, element] : llvm::enumerate(value.getValues<APInt>()))
    fn(i, element.isZero());
}

static void importConstantNonZero(Node &node, DenseElementsAttr value) {
  SmallVector<int64_t> found, coordinates;
  visitZeros(value, [&](int64_t i, bool isZero) {
    if (!isZero)
      found.push_back(i);
  });
  // As in ONNX Runtime, a scalar has one coordinate.
  SmallVector<int64_t> shape(value.getType().getShape());
  if (shape.empty())
    shape = {1};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t stride = getProduct(ArrayRef(shape).drop_front(axis + 1));
    for (int64_t i : found)
      coordinates.push_back(i / stride % shape[axis]);
  }
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(shape.size()), static_cast<int64_t>(found.size())},
      node.getI64Type());
  node.setResult(node.constant(
      DenseElementsAttr::get(type, ArrayRef<int64_t>(coordinates))));
}

static void importNonZero(Node &node) {
  Value x = node.getInput(0);
  if (DenseElementsAttr value = node.findConstant(0))
    return importConstantNonZero(node, value);
  Value flat = flatten(node, x);
  int64_t extent = getDim(flat, 0);
  int64_t size = getStatedSize(
      node, 0, "further columns have the sizes of the dimensions", extent);
  Value isZero = node.create<pop::EqualOp>({flat, node.splatLike(0, flat)});
  Value found = findTrue(node, node.create<pop::NotOp>({isZero}), size);
  SmallVector<Value> rows;
  SmallVector<int64_t> shape(getShape(x));
  if (shape.empty())
    shape = {1};
  Value isFound = node.less(found, splatI32(node, extent));
  for (auto [axis, dim] : llvm::enumerate(shape)) {
    int64_t stride = getProduct(ArrayRef(shape).drop_front(axis + 1));
    Value quotient =
        node.div(found, splatI32(node, std::max<int64_t>(stride, 1)));
    Value whole = node.div(quotient, splatI32(node, std::max<int64_t>(dim, 1)));
    Value rest = node.sub(quotient, node.mul(whole, splatI32(node, dim)));
    rows.push_back(node.reshape(node.select(isFound, rest, splatI32(node, dim)),
                                {1, size}));
  }
  node.setResult(node.cast(node.concat(rows, 0), node.getI64Type()));
}

//===----------------------------------------------------------------------===//
// Compress
//===----------------------------------------------------------------------===//

static void importCompress(Node &node) {
  Value x = node.getInput(0), condition = node.getInput(1);
  node.require(getElement(condition).isInteger(1) && getRank(condition) == 1,
               "expects a condition of bools of rank 1 but got " +
                   quote(condition.getType()));
  int64_t axis = 0;
  if (node.hasAttr("axis"))
    axis = node.normalizeAxis(node.getInt("axis"), getRank(x));
  else
    x = flatten(node, x);
  int64_t extent = std::min(getDim(x, axis), getDim(condition, 0));
  if (DenseElementsAttr value = node.findConstant(1)) {
    SmallVector<int64_t> rows;
    for (auto [i, isSelected] : llvm::enumerate(value.getValues<bool>()))
      if (isSelected && static_cast<int64_t>(i) < extent)
        rows.push_back(i);
    return node.setResult(gatherRows(node, x, axis, rows));
  }
  int64_t size = getStatedSize(node, 1, "further rows are 0", extent);
  Value mask = node.slice(condition, 0, 0, extent);
  Value found = findTrue(node, mask, size);
  // The number of elements of the condition may be a row of `x`.
  Value isFound = node.less(found, splatI32(node, extent));
  found = node.select(isFound, found, splatI32(node, getDim(x, axis)));
  node.setResult(gatherAlongAxis(node, x, axis, found));
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

namespace {
/// The distinct rows of a constant, by the numbers of rows.
struct DistinctRows {
  /// The first row of each group of equal rows.
  SmallVector<int64_t> first;
  /// The group of each row.
  SmallVector<int64_t> group;
  SmallVector<int64_t> counts;
};
} // namespace

/// Groups equal rows. `isLess` orders rows. With `isSorted`, groups have this
/// order, and otherwise that of their first rows.
static DistinctRows groupRows(int64_t numRows, bool isSorted,
                              function_ref<bool(int64_t, int64_t)> isLess) {
  SmallVector<int64_t> order = getAxesFrom(0, numRows);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return isLess(a, b) || (!isLess(b, a) && a < b);
  });
  SmallVector<SmallVector<int64_t>> groups;
  for (int64_t row : order) {
    if (groups.empty() || isLess(groups.back().front(), row))
      groups.emplace_back();
    groups.back().push_back(row);
  }
  if (!isSorted)
    llvm::sort(groups, [](const auto &a, const auto &b) {
      return a.front() < b.front();
    });
  DistinctRows result;
  result.group.resize(numRows);
  for (auto [i, rows] : llvm::enumerate(groups)) {
    result.first.push_back(rows.front());
    result.counts.push_back(rows.size());
    for (int64_t row : rows)
      result.group[row] = i;
  }
  return result;
}

/// Returns an order of the rows along `axis` of `value`: that of their
/// elements. NaN is the greatest element.
template <typename T>
static std::function<bool(int64_t, int64_t)>
getRowOrder(DenseElementsAttr value, int64_t axis,
            function_ref<T(Attribute)> convert) {
  auto elements = std::make_shared<std::vector<T>>();
  for (Attribute element : value.getValues<Attribute>())
    elements->push_back(convert(element));
  ArrayRef<int64_t> shape = value.getType().getShape();
  int64_t inner = getProduct(shape.drop_front(axis + 1));
  int64_t outer = getProduct(shape.take_front(axis)), size = shape[axis];
  return [=](int64_t a, int64_t b) {
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t j = 0; j < inner; ++j) {
        T x = (*elements)[(i * size + a) * inner + j];
        T y = (*elements)[(i * size + b) * inner + j];
        bool isNaN = x != x, isOtherNaN = y != y;
        if (isNaN != isOtherNaN)
          return isOtherNaN;
        if (x < y || y < x)
          return x < y;
      }
    return false;
  };
}

static std::function<bool(int64_t, int64_t)>
getRowOrder(DenseElementsAttr value, int64_t axis) {
  Type type = value.getElementType();
  if (isa<FloatType>(type))
    return getRowOrder<double>(value, axis, [](Attribute element) {
      return cast<FloatAttr>(element).getValueAsDouble();
    });
  bool isSigned = !type.isUnsignedInteger() && !type.isInteger(1);
  if (!isSigned)
    return getRowOrder<uint64_t>(value, axis, [](Attribute element) {
      return cast<IntegerAttr>(element).getValue().getZExtValue();
    });
  return getRowOrder<int64_t>(value, axis, [](Attribute element) {
    return cast<IntegerAttr>(element).getValue().getSExtValue();
  });
}

static void setInts(Node &node, size_t i, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                    node.getI64Type());
  node.setResult(i, node.constant(DenseElementsAttr::get(type, values)));
}

static void importConstantUnique(Node &node, DenseElementsAttr value, Value x,
                                 int64_t axis, bool isSorted) {
  // The elements of a splat are equal, so that its shape does not matter.
  DistinctRows rows =
      groupRows(getDim(x, axis), isSorted,
                getRowOrder(value.reshape(getTensorType(x)), axis));
  node.setResult(0, gatherRows(node, x, axis, rows.first));
  setInts(node, 1, rows.first);
  setInts(node, 2, rows.group);
  setInts(node, 3, rows.counts);
}

/// Returns the group of each element in the order of first elements. `group` is
/// its group in the order of values, and `position` its position in this order
/// of elements.
static Value orderByFirst(Node &node, Value isFirst, Value group,
                          Value position) {
  int64_t extent = getDim(group, 0);
  Value none = splatI32(node, extent);
  // Whether the element at each original position is the first of its group.
  Value marks = scatter(node, splatI32(node, 0, {extent}),
                        node.select(isFirst, position, none),
                        splatI32(node, 1, {extent}));
  Value ranks = node.sub(getCumulativeSum(node, marks, 0), splatI32(node, 1));
  Value firsts = scatter(node, splatI32(node, 0, {extent}),
                         node.select(isFirst, group, none), position);
  return gatherAlongAxis(node, ranks, 0,
                         gatherAlongAxis(node, firsts, 0, group));
}

static void importUnique(Node &node) {
  Value x = node.getInput(0);
  bool isSorted = node.getInt("sorted", 1) != 0;
  int64_t axis = 0;
  if (node.hasAttr("axis"))
    axis = node.normalizeAxis(node.getInt("axis"), getRank(x));
  else
    x = flatten(node, x);
  if (DenseElementsAttr value = node.findConstant(0))
    return importConstantUnique(node, value, x, axis, isSorted);
  int64_t extent = getDim(x, axis);
  int64_t size = getStatedSize(
      node, 0, "further elements are 0, also their counts", extent);
  if (getTensorType(x).getNumElements() != extent)
    node.unsupported("rows of several elements that are not constants");
  SmallVector<int64_t> shape(getShape(x));
  x = flatten(node, x);
  Type i64 = node.getI64Type();
  if (extent == 0) {
    for (size_t i = 0; i < 4; ++i)
      node.setResult(i, i == 0 ? x : node.splat(0, i64, {0}));
    return;
  }
  SmallVector<Value> sorted =
      sortWithPositions(node, x, 0, pop::SortOrder::Ascending);
  // An element is the first of its group if it differs from the one before.
  Value before = node.slice(sorted[0], 0, 0, extent - 1);
  Value differs = node.create<pop::NotEqualOp>(
      {node.slice(sorted[0], 0, 1, extent - 1), before});
  Value isFirst =
      node.concat({node.splat(1, node.getI1Type(), {1}), differs}, 0);
  Value counts = countUpTo(node, isFirst);
  checkCount(node, counts, size);
  Value group = node.sub(counts, splatI32(node, 1));
  if (!isSorted)
    group = orderByFirst(node, isFirst, group, sorted[1]);
  Value target = node.select(isFirst, group, splatI32(node, size));
  Value values =
      scatter(node, node.splat(0, getElement(x), {size}), target, sorted[0]);
  shape[axis] = size;
  node.setResult(0, node.reshape(values, shape));
  Value zeros = splatI32(node, 0, {size});
  node.setResult(1, node.cast(scatter(node, zeros, target, sorted[1]), i64));
  node.setResult(
      2, node.cast(scatter(node, splatI32(node, 0, {extent}), sorted[1], group),
                   i64));
  node.setResult(
      3, node.cast(scatter(node, zeros, group, splatI32(node, 1, {extent}),
                           ScatterKind::Add),
                   i64));
}

ArrayRef<OpEntry> ipu::onnx::getDataSizeOps() {
  static const OpEntry kOps[] = {
      {"Compress", 9, 2, 2, 1, importCompress,
       "see [Results of unknown size](#results-of-unknown-size)"},
      {"NonZero", 9, 1, 1, 1, importNonZero,
       "see [Results of unknown size](#results-of-unknown-size)"},
      {"Unique", 11, 1, 1, 4, importUnique,
       "see [Results of unknown size](#results-of-unknown-size); rows of "
       "several elements must be constants"},
  };
  return kOps;
}
