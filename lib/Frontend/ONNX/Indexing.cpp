//===- Indexing.cpp - ONNX slices, pads and gathers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// The elements of one dimension that a slice selects.
struct SliceRange {
  int64_t start = 0;
  int64_t size = 0;
  int64_t step = 1;
};
} // namespace

/// Returns the elements that numpy's start:end:step selects of a dimension with
/// `extent` elements.
static SliceRange clampRange(int64_t start, int64_t end, int64_t step,
                             int64_t extent) {
  // Longer steps also select at most one element, so that they can be clamped.
  step = std::clamp(step, -extent - 1, extent + 1);
  auto clamp = [&](int64_t bound) {
    bound = bound < 0 ? bound + extent : bound;
    return step > 0 ? std::clamp<int64_t>(bound, 0, extent)
                    : std::clamp<int64_t>(bound, -1, extent - 1);
  };
  start = clamp(start);
  end = clamp(end);
  int64_t distance = step > 0 ? end - start : start - end;
  int64_t size = distance > 0 ? llvm::divideCeil(distance, std::abs(step)) : 0;
  return {size > 0 ? start : 0, size, step};
}

static void importSlice(Node &node) {
  Value x = node.getInput(0);
  auto starts = node.getIntsOrInput("starts", 1, 10);
  auto ends = node.getIntsOrInput("ends", 2, 10);
  node.require(starts && ends, "expects starts and ends but got " +
                                   Twine(starts ? "no ends" : "no starts"));
  SmallVector<int64_t> axes = node.getIntsOrInput("axes", 3, 10)
                                  .value_or(getAxesFrom(0, starts->size()));
  SmallVector<int64_t> steps =
      node.getIntsOrInput("steps", 4, 10)
          .value_or(SmallVector<int64_t>(starts->size(), 1));
  node.require(
      starts->size() == ends->size() && starts->size() == axes.size() &&
          starts->size() == steps.size(),
      "expects equal numbers of starts, ends, axes and steps but got " +
          Twine(starts->size()) + ", " + Twine(ends->size()) + ", " +
          Twine(axes.size()) + " and " + Twine(steps.size()));
  node.normalizeAxes(axes, getRank(x));
  SmallVector<int64_t> allStarts(getRank(x), 0), sizes(getShape(x)),
      allSteps(getRank(x), 1);
  for (auto [start, end, axis, step] :
       llvm::zip_equal(*starts, *ends, axes, steps)) {
    node.require(step != 0, "expects steps other than 0");
    int64_t i = node.normalizeAxis(axis, getRank(x));
    SliceRange range = clampRange(start, end, step, getDim(x, i));
    allStarts[i] = range.start;
    sizes[i] = range.size;
    allSteps[i] = range.step;
  }
  node.setResult(node.slice(x, allStarts, sizes, allSteps));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of elements that are added at both ends of each dimension.
struct Pads {
  SmallVector<int64_t> low, high;
};
} // namespace

static Pads getPads(Node &node, int64_t rank) {
  auto pads =
      node.getIntsOrInput(node.getOpset() < 2 ? "paddings" : "pads", 1, 11);
  node.require(pads.has_value(), "expects pads but got none");
  SmallVector<int64_t> axes = getAxesFrom(0, rank);
  if (node.hasInput(3)) {
    axes = node.getConstantInts(3);
    node.normalizeAxes(axes, rank);
  }
  node.require(pads->size() == 2 * axes.size(),
               "expects " + Twine(2 * axes.size()) + " pads but got " +
                   Twine(pads->size()));
  Pads result{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t dim = node.normalizeAxis(axis, rank);
    result.low[dim] = (*pads)[i];
    result.high[dim] = (*pads)[i + axes.size()];
  }
  return result;
}

/// Removes the elements that negative pads specify, and sets these pads to 0.
static Value cropNegativePads(Node &node, Value x, Pads &pads) {
  SmallVector<int64_t> starts, sizes(getShape(x)), steps(getRank(x), 1);
  for (auto [size, low, high] : llvm::zip_equal(sizes, pads.low, pads.high)) {
    int64_t start = -std::max(std::min<int64_t>(low, 0), -size);
    int64_t end = size + std::max(std::min<int64_t>(high, 0), -size);
    node.require(start <= end,
                 "expects negative pads that remove at most the " +
                     Twine(size) + " elements of the dimension but got " +
                     Twine(low) + " and " + Twine(high));
    starts.push_back(start);
    size = end - start;
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
  }
  return getShape(x) == ArrayRef<int64_t>(sizes)
             ? x
             : node.slice(x, starts, sizes, steps);
}

static TypedAttr getPadValue(Node &node, Value x) {
  Type type = getElement(x);
  if (node.getOpset() < 11) {
    float value = node.getFloat("value", 0);
    if (isa<FloatType>(type))
      return FloatAttr::get(type, value);
    node.require(value == 0,
                 "expects a float operand for a 'value' other than 0 but got " +
                     quote(x.getType()));
    return node.getZeroAttr(type);
  }
  if (!node.hasInput(2))
    return node.getZeroAttr(type);
  DenseElementsAttr value = node.getConstant(2);
  if (value.getNumElements() != 1 || value.getElementType() != type)
    node.fail("expects input 2 to be a scalar of type " + quote(type) +
              " but got " + quote(value.getType()));
  return cast<TypedAttr>(*value.value_begin<Attribute>());
}

/// Returns the `count` elements that `mode` adds before (`isLow`) or after
/// dimension `axis`. They are elements of the same tensor.
static Value getBorder(Node &node, Value x, int64_t axis, int64_t count,
                       bool isLow, StringRef mode) {
  int64_t size = getDim(x, axis);
  if (mode == "edge") {
    node.require(
        size > 0,
        "expects dimension " + Twine(axis) +
            " to have an element that mode edge can repeat but got size 0");
    SmallVector<int64_t> shape(getShape(x));
    shape[axis] = count;
    return node.expand(node.slice(x, axis, isLow ? 0 : size - 1, 1), shape);
  }
  bool isReflect = mode == "reflect";
  if (count > size - (isReflect ? 1 : 0))
    node.unsupported("mode " + mode + " with more pads than elements");
  if (isReflect)
    return node.slice(x, axis, isLow ? count : size - 2, count, -1);
  return node.slice(x, axis, isLow ? size - count : 0, count);
}

static void importPad(Node &node) {
  Value x = node.getInput(0);
  std::string mode = node.getString("mode", "constant");
  Pads pads = getPads(node, getRank(x));
  if (mode != "constant" && mode != "reflect" && mode != "edge" &&
      (mode != "wrap" || node.getOpset() < 19))
    node.fail("expects 'mode' to be constant, reflect, edge or, from opset 19 "
              "on, wrap but got '" +
              mode + "'");
  x = cropNegativePads(node, x, pads);
  if (mode == "constant")
    return node.setResult(
        node.pad(x, pads.low, pads.high, getPadValue(node, x)));
  for (int64_t axis = 0; axis < getRank(x); ++axis) {
    SmallVector<Value> parts;
    if (pads.low[axis] > 0)
      parts.push_back(getBorder(node, x, axis, pads.low[axis], true, mode));
    parts.push_back(x);
    if (pads.high[axis] > 0)
      parts.push_back(getBorder(node, x, axis, pads.high[axis], false, mode));
    x = node.concat(parts, axis);
  }
  node.setResult(x);
}

//===----------------------------------------------------------------------===//
// Gather, OneHot
//===----------------------------------------------------------------------===//

/// The greatest number of slices whose concatenation replaces a gather with
/// constant indices.
static constexpr size_t kMaxGathered = 64;

/// Returns the rows `indices` of dimension `axis`: one slice if the indices are
/// evenly spaced, otherwise a concatenation of slices. Returns null if too many
/// slices would be necessary.
static Value sliceRows(Node &node, Value x, int64_t axis,
                       ArrayRef<int64_t> indices) {
  int64_t count = indices.size();
  if (count == 0)
    return node.slice(x, axis, 0, 0);
  int64_t step = count > 1 ? indices[1] - indices[0] : 1;
  bool isEven = step != 0;
  for (int64_t i = 1; i < count; ++i)
    isEven &= indices[i] - indices[i - 1] == step;
  if (isEven)
    return node.slice(x, axis, indices.front(), count, step);
  if (indices.size() > kMaxGathered)
    return {};
  SmallVector<Value> rows;
  for (int64_t index : indices)
    rows.push_back(node.slice(x, axis, index, 1));
  return node.concat(rows, axis);
}

Value ipu::onnx::normalizeIndices(Node &node, Value indices, int64_t extent) {
  Value isNegative = node.less(indices, node.splatLike(0, indices));
  Value fromEnd =
      node.add(indices, node.splatLike(static_cast<double>(extent), indices));
  return node.select(isNegative, fromEnd, indices);
}

void ipu::onnx::requireIndices(Node &node, Type type) {
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    node.fail("expects indices of type i32 or i64 but got " + quote(type));
}

Value ipu::onnx::mergeIndices(Node &node, Value indices,
                              ArrayRef<int64_t> extents) {
  int64_t last = getRank(indices) - 1;
  SmallVector<int64_t> shape(getShape(indices).drop_back());
  Value rows, isValid;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    Value part = node.reshape(node.slice(indices, last, i, 1), shape);
    part = normalizeIndices(node, part, extent);
    Value size = node.splatLike(static_cast<double>(extent), part);
    rows = rows ? node.add(node.mul(rows, size), part) : part;
    // An index of a single dimension is in range if and only if its row is.
    if (extents.size() == 1)
      continue;
    Value isInRange = node.create<pop::AndOp>(
        {node.less(part, size),
         node.create<pop::GreaterEqualOp>({part, node.splatLike(0, part)})});
    isValid =
        isValid ? node.create<pop::AndOp>({isValid, isInRange}) : isInRange;
  }
  return isValid ? node.select(isValid, rows, node.splatLike(-1, rows)) : rows;
}

static Value gather(Node &node, Value table, Value indices, int64_t numBatch) {
  return node.create<pop::GatherOp>({table, indices},
                                    node.attr("batch_dims", numBatch));
}

Value ipu::onnx::gatherAlongAxis(Node &node, Value x, int64_t axis,
                                 Value indices) {
  int64_t rank = getRank(x), indexRank = getRank(indices);
  SmallVector<int64_t> order = {axis};
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      order.push_back(i);
  Value rows = gather(node, node.transpose(x, order), indices, 0);
  order.clear();
  for (int64_t i = 0; i < axis; ++i)
    order.push_back(indexRank + i);
  llvm::append_range(order, getAxesFrom(0, indexRank));
  llvm::append_range(order, getAxesFrom(indexRank + axis, getRank(rows)));
  return node.transpose(rows, order);
}

Value ipu::onnx::gatherRows(Node &node, Value x, int64_t axis,
                            ArrayRef<int64_t> indices) {
  if (Value rows = sliceRows(node, x, axis, indices))
    return rows;
  auto type = RankedTensorType::get(static_cast<int64_t>(indices.size()),
                                    node.getI64Type());
  return gatherAlongAxis(node, x, axis,
                         node.constant(DenseElementsAttr::get(type, indices)));
}

/// Imports a gather of rows of dimension `axis` that sliceRows() cannot build.
static void importDynamicGather(Node &node, int64_t axis) {
  Value x = node.getInput(0), indices = node.getInput(1);
  requireIndices(node, getElement(indices));
  indices = normalizeIndices(node, indices, getDim(x, axis));
  node.setResult(gatherAlongAxis(node, x, axis, indices));
}

static void importGatherElements(Node &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  int64_t rank = getRank(x);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  requireIndices(node, getElement(indices));
  node.require(getRank(indices) == rank, "expects indices of rank " +
                                             Twine(rank) + " but got " +
                                             Twine(getRank(indices)));
  SmallVector<int64_t> sizes(getShape(x));
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (static_cast<int64_t>(i) == axis)
      continue;
    node.require(getDim(indices, i) <= size, "expects at most " + Twine(size) +
                                                 " indices along dimension " +
                                                 Twine(i) + " but got " +
                                                 Twine(getDim(indices, i)));
    size = getDim(indices, i);
  }
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
  x = node.slice(x, zeros, sizes, ones);
  // Each position in the other dimensions is a batch, whose rows have one
  // element.
  SmallVector<int64_t> order = getAxesFrom(0, rank);
  std::swap(order[axis], order.back());
  indices = normalizeIndices(node, indices, getDim(x, axis));
  x = node.transpose(x, order);
  Value y = gather(node, x, node.transpose(indices, order), rank - 1);
  node.setResult(node.transpose(y, order));
}

static void importGatherND(Node &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  int64_t numBatch = node.getInt("batch_dims", 0);
  requireIndices(node, getElement(indices));
  int64_t last = getRank(indices) - 1;
  node.require(
      numBatch >= 0 && numBatch <= last && numBatch < getRank(x),
      "expects 'batch_dims' not to be negative, and to be less than the "
      "ranks of the data and the indices, but got " +
          Twine(numBatch));
  int64_t depth = getDim(indices, last);
  node.require(depth >= 1 && depth <= getRank(x) - numBatch,
               "expects the last dimension of the indices between 1 and " +
                   Twine(getRank(x) - numBatch) + " but got " + Twine(depth));
  for (int64_t i = 0; i < numBatch; ++i)
    node.require(
        getDim(x, i) == getDim(indices, i),
        "expects data and indices with equal batch dimensions but got " +
            Twine(getDim(x, i)) + " and " + Twine(getDim(indices, i)));
  // The dimensions that the indices address are merged into one dimension.
  ArrayRef<int64_t> shape = getShape(x);
  Value rows = mergeIndices(node, indices, shape.slice(numBatch, depth));
  SmallVector<int64_t> table(shape.take_front(numBatch));
  table.push_back(getProduct(shape.slice(numBatch, depth)));
  llvm::append_range(table, shape.drop_front(numBatch + depth));
  node.setResult(gather(node, node.reshape(x, table), rows, numBatch));
}

static void importGather(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), getRank(x));
  DenseElementsAttr constant = node.findConstant(1);
  if (!constant)
    return importDynamicGather(node, axis);
  requireIndices(node, constant.getElementType());
  if (constant.getNumElements() > (1 << 20))
    node.unsupported("more than " + Twine(1 << 20) + " indices");
  SmallVector<int64_t> indices;
  int64_t extent = getDim(x, axis);
  for (const APInt &value : constant.getValues<APInt>()) {
    int64_t index = value.getSExtValue();
    node.require(index >= -extent && index < extent,
                 "expects indices between " + Twine(-extent) + " and " +
                     Twine(extent - 1) + " but got " + Twine(index));
    indices.push_back(index < 0 ? index + extent : index);
  }
  Value rows = sliceRows(node, x, axis, indices);
  if (!rows)
    return importDynamicGather(node, axis);
  // The dimensions of the indices take the place of the axis.
  SmallVector<int64_t> shape(getShape(x));
  shape.erase(shape.begin() + axis);
  ArrayRef<int64_t> indexShape = constant.getType().getShape();
  shape.insert(shape.begin() + axis, indexShape.begin(), indexShape.end());
  node.setResult(node.reshape(rows, shape));
}

static int64_t getDepth(Node &node, Attribute attr) {
  double depth = isa<IntegerAttr>(attr)
                     ? cast<IntegerAttr>(attr).getValue().signedRoundToDouble()
                     : cast<FloatAttr>(attr).getValueAsDouble();
  // NaN does not satisfy this comparison.
  node.require(depth >= 1, "expects a positive depth");
  if (depth > (1 << 24))
    node.unsupported("a depth of more than " + Twine(1 << 24));
  return static_cast<int64_t>(depth);
}

static void importOneHot(Node &node) {
  Value indices = node.getInput(0), values = node.getInput(2);
  DenseElementsAttr depthValue = node.getConstant(1);
  node.keepConstant(2);
  node.require(depthValue.getNumElements() == 1,
               "expects 'depth' to be a scalar but got " +
                   quote(depthValue.getType()));
  int64_t depth = getDepth(node, *depthValue.value_begin<Attribute>());
  Type indexType = node.getI64Type();
  node.require(getRank(values) == 1 && getDim(values, 0) == 2,
               "expects 'values' to be two numbers but got " +
                   quote(values.getType()));
  int64_t rank = getRank(indices) + 1;
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), rank);

  // An index that is out of range is equal to none of the numbers 0 to depth -
  // 1.
  indices = node.cast(indices, indexType);
  Value isNegative = node.less(indices, node.splatLike(0, indices));
  indices = node.select(
      isNegative,
      node.add(indices, node.splat(static_cast<double>(depth), indexType)),
      indices);
  SmallVector<int64_t> shape(getShape(indices));
  shape.insert(shape.begin() + axis, 1);
  Value isHot = node.create<pop::EqualOp>(
      {node.reshape(indices, shape), node.iota(depth, indexType, axis, rank)});
  Value off = node.reshape(node.slice(values, 0, 0, 1), {});
  Value on = node.reshape(node.slice(values, 0, 1, 1), {});
  node.setResult(node.select(isHot, on, off));
}

ArrayRef<OpEntry> ipu::onnx::getIndexingOps() {
  static const OpEntry kOps[] = {
      {"Gather", 1, 2, 2, 1, importGather, "see Limits"},
      {"GatherElements", 11, 2, 2, 1, importGatherElements, "see Limits"},
      {"GatherND", 11, 2, 2, 1, importGatherND, "see Limits"},
      {"OneHot", 9, 3, 3, 1, importOneHot, "constant depth"},
      {"Pad", 1, 1, 4, 1, importPad,
       "modes constant, reflect, edge and, from opset 19 on, wrap; negative "
       "pads are supported"},
      {"Slice", 1, 1, 5, 1, importSlice, "constant bounds"},
  };
  return kOps;
}
