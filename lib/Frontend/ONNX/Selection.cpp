//===- Selection.cpp - ONNX operators that select or replace rows ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of rows or columns of a result of EyeLike, whose numbers
/// are constants.
static constexpr int64_t kMaxEye = 1 << 20;

//===----------------------------------------------------------------------===//
// CenterCropPad, EyeLike
//===----------------------------------------------------------------------===//

static void importCenterCropPad(Node &node) {
  Value x = node.getInput(0);
  int64_t rank = getRank(x);
  SmallVector<int64_t> sizes = node.getConstantInts(1);
  SmallVector<int64_t> axes =
      node.getOptionalInts("axes").value_or(getAxesFrom(0, rank));
  node.require(sizes.size() == axes.size(), "expects " + Twine(axes.size()) +
                                                " sizes but got " +
                                                Twine(sizes.size()));
  node.normalizeAxes(axes, rank);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  for (auto [given, size] : llvm::zip_equal(axes, sizes)) {
    node.require(size >= 0 && size < (int64_t(1) << 40),
                 "expects sizes from 0 to 2^40 - 1 but got " + Twine(size));
    int64_t axis = node.normalizeAxis(given, rank), old = getDim(x, axis);
    // If the difference is odd, the larger half is at the end.
    if (size < old) {
      x = node.slice(x, axis, (old - size) / 2, size);
      continue;
    }
    low[axis] = (size - old) / 2;
    high[axis] = size - old - low[axis];
  }
  node.setResult(node.pad(x, low, high));
}

static void importEyeLike(Node &node) {
  Value x = node.getInput(0);
  node.require(getRank(x) == 2,
               "expects an operand of rank 2 but got " + quote(x.getType()));
  Type type = getElement(x);
  if (node.hasAttr("dtype")) {
    int32_t number = node.getElementTypeNumber("dtype", /*defaultValue=*/0);
    type = getElementType(number, node.getContext());
    if (!type)
      node.unsupported("a result of type " + getElementTypeName(number));
  }
  int64_t offset = node.getInt("k", 0), rows = getDim(x, 0),
          columns = getDim(x, 1);
  if (rows > kMaxEye || columns > kMaxEye)
    node.unsupported("a matrix of more than " + Twine(kMaxEye) +
                     " rows or columns");
  // A diagonal that is farther away has no elements, too.
  offset = std::clamp(offset, -rows, columns);
  Type index = node.getI64Type();
  Value diagonal = node.add(node.iota(rows, index, 0, 2),
                            node.splat(static_cast<double>(offset), index));
  node.setResult(
      node.cast(node.equal(diagonal, node.iota(columns, index, 1, 2)), type));
}

//===----------------------------------------------------------------------===//
// ReverseSequence, TensorScatter
//===----------------------------------------------------------------------===//

static void importReverseSequence(Node &node) {
  Value x = node.getInput(0), lengths = node.getInput(1);
  int64_t batchAxis = node.getInt("batch_axis", 1);
  int64_t timeAxis = node.getInt("time_axis", 0);
  node.require(getRank(x) >= 2,
               "expects an operand of rank 2 or more but got " +
                   quote(x.getType()));
  node.require(batchAxis + timeAxis == 1 && batchAxis * timeAxis == 0,
               "expects 'batch_axis' and 'time_axis' to be 0 and 1 but got " +
                   Twine(batchAxis) + " and " + Twine(timeAxis));
  node.require(getShape(lengths) == ArrayRef<int64_t>(getDim(x, batchAxis)),
               "expects " + Twine(getDim(x, batchAxis)) + " lengths but got " +
                   quote(lengths.getType()));
  auto order = getAxesFrom(0, getRank(x));
  std::swap(order[0], order[batchAxis]);
  x = node.transpose(x, order);
  int64_t batch = getDim(x, 0), steps = getDim(x, 1);
  Value positions = node.iota(steps, getElement(lengths), 1, 2);
  lengths = node.reshape(lengths, {batch, 1});
  Value reversed =
      node.sub(node.sub(lengths, node.splatLike(1, lengths)), positions);
  Value indices = node.select(node.less(positions, lengths), reversed,
                              node.expand(positions, {batch, steps}));
  Value y =
      node.create<pop::GatherOp>({x, indices}, node.attr("batch_dims", 1));
  node.setResult(node.transpose(y, order));
}

static void importTensorScatter(Node &node) {
  Value cache = node.getInput(0), update = node.getInput(1);
  int64_t rank = getRank(cache);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -2), rank);
  node.require(axis > 0, "expects an axis other than the batch, 0");
  bool isCircular = getChoice<bool>(node, "mode", "linear",
                                    {{"linear", false}, {"circular", true}});
  SmallVector<int64_t> expected(getShape(cache));
  if (getRank(update) == rank)
    expected[axis] = getDim(update, axis);
  node.require(getShape(update) == ArrayRef<int64_t>(expected) &&
                   getElement(update) == getElement(cache) &&
                   expected[axis] <= getDim(cache, axis),
               "expects an update with up to " + Twine(getDim(cache, axis)) +
                   " rows of " + quote(cache.getType()) + " but got " +
                   quote(update.getType()));
  int64_t batch = getDim(cache, 0), rows = getDim(cache, axis);
  Type index = node.getI64Type();
  Value indices = node.expand(node.iota(expected[axis], index, 1, 2),
                              {batch, expected[axis]});
  if (Value starts = node.getOptionalInput(2)) {
    node.require(getShape(starts) == ArrayRef<int64_t>(batch) &&
                     getElement(starts) == index,
                 "expects write indices of type " +
                     quote(RankedTensorType::get(batch, index)) + " but got " +
                     quote(starts.getType()));
    indices = node.add(indices, node.reshape(starts, {batch, 1}));
  }
  if (isCircular)
    indices = node.create<pop::RemOp>(
        {indices, node.splat(static_cast<double>(rows), index)});
  SmallVector<int64_t> order = getAxesFrom(0, rank);
  std::swap(order[1], order[axis]);
  cache = node.transpose(cache, order);
  Value y = node.create<pop::ScatterOp>(
      {cache, indices, node.transpose(update, order)},
      {node.attr("kind", pop::ScatterKindAttr::get(node.getContext(),
                                                   pop::ScatterKind::Replace)),
       node.attr("batch_dims", 1)},
      cache.getType());
  node.setResult(node.transpose(y, order));
}

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a NonMaxSuppression node, with regions [B, N, 4] and scores
/// [B, C, N].
struct Suppression {
  Node &node;
  Value regions, scores;
  int64_t maxSelected;
  double iouThreshold, scoreThreshold;
  bool hasCenters;

  explicit Suppression(Node &node);
  double getThreshold(size_t i, double defaultValue);
  int64_t getMaxSelected();
  DenseElementsAttr select(DenseElementsAttr regionValues,
                           DenseElementsAttr scoreValues);
};

/// A rectangle with its lower and upper bounds along both axes.
struct Rectangle {
  double low[2], high[2];

  double getArea() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};
} // namespace

Suppression::Suppression(Node &node)
    : node(node), regions(node.getInput(0)), scores(node.getInput(1)),
      maxSelected(getMaxSelected()), iouThreshold(getThreshold(3, 0)),
      scoreThreshold(getThreshold(4, -std::numeric_limits<double>::infinity())),
      hasCenters(node.getInt("center_point_box", 0) != 0) {
  node.require(
      getRank(regions) == 3 && getDim(regions, 2) == 4 &&
          getRank(scores) == 3 && getDim(scores, 0) == getDim(regions, 0) &&
          getDim(scores, 2) == getDim(regions, 1),
      "expects regions [B, N, 4] and scores [B, C, N] but got " +
          quote(regions.getType()) + " and " + quote(scores.getType()));
  node.require(iouThreshold >= 0 && iouThreshold <= 1,
               "expects an IoU threshold from 0 to 1");
}

/// Returns the value of operand `i`, one float.
double Suppression::getThreshold(size_t i, double defaultValue) {
  if (!node.hasInput(i))
    return defaultValue;
  DenseElementsAttr value = node.getConstant(i);
  node.require(isa<FloatType>(value.getElementType()) &&
                   value.getNumElements() == 1,
               "expects input " + Twine(i) + " to be one float but got " +
                   quote(value.getType()));
  return (*value.value_begin<APFloat>()).convertToDouble();
}

/// Returns the greatest number of regions that are selected for a class.
int64_t Suppression::getMaxSelected() {
  if (!node.hasInput(2))
    return 0;
  SmallVector<int64_t> ints = node.getConstantInts(2);
  node.require(ints.size() == 1, "expects input 2 to be one integer but got " +
                                     Twine(ints.size()));
  return std::max<int64_t>(ints.front(), 0);
}

/// Returns rectangle `i` of [N, 4]: two opposite corners, or with `hasCenters`
/// the center and the size.
static Rectangle getRectangle(ArrayRef<double> numbers, int64_t i,
                              bool hasCenters) {
  Rectangle rectangle;
  for (int64_t axis : {0, 1}) {
    double a = numbers[4 * i + axis], b = numbers[4 * i + 2 + axis];
    rectangle.low[axis] = hasCenters ? a - b / 2 : std::min(a, b);
    rectangle.high[axis] = hasCenters ? a + b / 2 : std::max(a, b);
  }
  return rectangle;
}

/// Returns whether the ratio of the intersection and the union of two
/// rectangles is above `threshold`.
static bool isOverlapping(const Rectangle &a, const Rectangle &b,
                          double threshold) {
  double intersection = 1;
  for (int axis : {0, 1})
    intersection *= std::max(std::min(a.high[axis], b.high[axis]) -
                                 std::max(a.low[axis], b.low[axis]),
                             0.0);
  double sum = a.getArea() + b.getArea() - intersection;
  return a.getArea() > 0 && b.getArea() > 0 &&
         static_cast<float>(intersection) / static_cast<float>(sum) >
             static_cast<float>(threshold);
}

static std::vector<double> getNumbers(DenseElementsAttr value) {
  std::vector<double> numbers;
  for (const APFloat &element : value.getValues<APFloat>())
    numbers.push_back(element.convertToDouble());
  return numbers;
}

/// Selects the regions of constants: for each class, the one with the greatest
/// score that does not overlap a selected one, again and again.
DenseElementsAttr Suppression::select(DenseElementsAttr regionValues,
                                      DenseElementsAttr scoreValues) {
  std::vector<double> coordinates = getNumbers(regionValues);
  std::vector<double> numbers = getNumbers(scoreValues);
  int64_t batch = getDim(scores, 0), classes = getDim(scores, 1);
  int64_t count = getDim(scores, 2);
  SmallVector<int64_t> selected;
  for (int64_t row = 0; row < batch * classes; ++row) {
    auto rowScores = ArrayRef(numbers).slice(row * count, count);
    auto rowRegions =
        ArrayRef(coordinates).slice(row / classes * count * 4, count * 4);
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      if (rowScores[i] > scoreThreshold)
        order.push_back(i);
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return std::pair(-rowScores[a], a) < std::pair(-rowScores[b], b);
    });
    SmallVector<Rectangle> found;
    for (int64_t i : order) {
      if (static_cast<int64_t>(found.size()) >= maxSelected)
        break;
      Rectangle rectangle = getRectangle(rowRegions, i, hasCenters);
      if (llvm::any_of(found, [&](const Rectangle &other) {
            return isOverlapping(rectangle, other, iouThreshold);
          }))
        continue;
      found.push_back(rectangle);
      selected.append({row / classes, row % classes, i});
    }
  }
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(selected.size()) / 3, 3}, node.getI64Type());
  return DenseElementsAttr::get(type, ArrayRef<int64_t>(selected));
}

static void importNonMaxSuppression(Node &node) {
  Suppression suppression(node);
  if (suppression.maxSelected == 0)
    return node.setResult(node.splat(0, node.getI64Type(), {0, 3}));
  DenseElementsAttr regions = node.getConstant(0), scores = node.getConstant(1);
  node.setResult(node.constant(suppression.select(regions, scores)));
}

ArrayRef<OpEntry> ipu::onnx::getSelectionOps() {
  static const OpEntry kOps[] = {
      {"CenterCropPad", 18, 2, 2, 1, importCenterCropPad, "constant shape"},
      {"EyeLike", 9, 1, 1, 1, importEyeLike},
      {"NonMaxSuppression", 10, 2, 5, 1, importNonMaxSuppression,
       "constant operands: the number of results depends on them"},
      {"ReverseSequence", 10, 2, 2, 1, importReverseSequence},
      {"TensorScatter", 24, 2, 3, 1, importTensorScatter,
       "an index that is out of range has no effect"},
  };
  return kOps;
}
