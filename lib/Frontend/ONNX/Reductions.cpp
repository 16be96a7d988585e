//===- Reductions.cpp - ONNX reductions and softmax -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::ReduceKind;

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

namespace {
/// The operand, axes and attributes that all Reduce operators have.
struct Reduction {
  Node &node;
  Value x;
  SmallVector<int64_t> axes;
  bool keepDims;

  Reduction(Node &node, int64_t axesInputOpset);
  bool isFloat() const { return isa<FloatType>(getElement(x)); }
  Value reduce(ReduceKind kind, Value value, Type accumulator = {}) const {
    return node.reduce(kind, value, axes, keepDims, /*order=*/{}, accumulator);
  }
};
} // namespace

Reduction::Reduction(Node &node, int64_t axesInputOpset)
    : node(node), x(node.getInput(0)),
      keepDims(node.getInt("keepdims", 1) != 0) {
  SmallVector<int64_t> given = node.getIntsOrInput("axes", 1, axesInputOpset)
                                   .value_or(SmallVector<int64_t>());
  axes = node.normalizeAxes(given, getRank(x));
  if (axes.empty() && node.getInt("noop_with_empty_axes", 0) == 0)
    axes = getAxesFrom(0, getRank(x));
}

/// Reads a Reduce node. Its axes are an input from opset 13 on for ReduceSum,
/// and from opset 18 on for all other operators.
static Reduction getReduction(Node &node) {
  return Reduction(node, node.getOpType() == "ReduceSum" ? 13 : 18);
}

template <ReduceKind kind>
static void importReduce(Node &node) {
  Reduction r = getReduction(node);
  bool isBool = getElement(r.x).isInteger(1);
  ReduceKind actual = kind;
  if (isBool && kind == ReduceKind::Max)
    actual = ReduceKind::Or;
  else if (isBool && kind == ReduceKind::Min)
    actual = ReduceKind::And;
  node.setResult(r.reduce(actual, r.x));
}

static void importReduceMean(Node &node) {
  Reduction r = getReduction(node);
  node.setResult(node.mean(r.x, r.axes, r.keepDims));
}

static void importReduceL1(Node &node) {
  Reduction r = getReduction(node);
  node.setResult(r.reduce(ReduceKind::Sum, node.abs(r.x)));
}

/// Returns the sum of squares. Narrower floats are converted to f32, because
/// their squares may overflow.
static Value sumSquares(const Reduction &r, Value x) {
  Value wide = r.node.widen(x);
  return r.reduce(ReduceKind::Sum, r.node.mul(wide, wide));
}

static void importReduceSumSquare(Node &node) {
  Reduction r = getReduction(node);
  node.setResult(node.cast(sumSquares(r, r.x), getElement(r.x)));
}

ScaledRows ipu::onnx::scaleRows(Node &node, Value x, ArrayRef<int64_t> axes) {
  bool isHalf = getElement(x).isF16();
  x = node.widen(x);
  // Squares of f16 are usual numbers of f32.
  if (isHalf)
    return {x, Value()};
  // A row has the power after the last bound that its greatest element is
  // beyond: there, neither squares nor their gradients overflow or vanish.
  int unit = getElement(x).isF64() ? 8 : 1;
  auto power = [&](int exponent) {
    return node.splatLike(std::ldexp(1.0, unit * exponent), x);
  };
  Value greatest =
      node.reduce(ReduceKind::Max, node.abs(x), axes, /*keepDims=*/true);
  Value scale = power(0);
  for (auto [bound, exponent] : {std::pair(40, -60), std::pair(90, -80)})
    scale = node.select(node.greater(greatest, power(bound)), power(exponent),
                        scale);
  for (auto [bound, exponent] : {std::pair(-40, 60), std::pair(-100, 88)})
    scale =
        node.select(node.less(greatest, power(bound)), power(exponent), scale);
  return {node.mul(x, scale), scale};
}

Value ipu::onnx::buildNormRoot(Node &node, Value x) {
  Value zero = node.splatLike(0, x);
  Value isZero = node.equal(x, zero);
  Value positive = node.select(isZero, node.splatLike(1, x), x);
  return node.select(isZero, zero, node.sqrt(positive));
}

static void importReduceL2(Node &node) {
  Reduction r = getReduction(node);
  Type type = getElement(r.x);
  if (!r.isFloat()) {
    Value sum = node.cast(sumSquares(r, r.x), node.getF64Type());
    return node.setResult(node.cast(node.sqrt(sum), type));
  }
  ScaledRows rows = scaleRows(node, r.x, r.axes);
  Value norm = buildNormRoot(node, sumSquares(r, rows.value));
  if (rows.scale)
    norm = node.div(norm, node.reshape(rows.scale, getShape(norm)));
  node.setResult(node.cast(norm, type));
}

static void importReduceLogSum(Node &node) {
  Reduction r = getReduction(node);
  if (!r.isFloat())
    node.unsupported("integer operands");
  ScaledRows rows = scaleRows(node, r.x, r.axes);
  Value y = node.log(r.reduce(ReduceKind::Sum, rows.value));
  if (rows.scale)
    y = node.sub(y, node.reshape(node.log(rows.scale), getShape(y)));
  node.setResult(node.cast(y, getElement(r.x)));
}

static void importReduceLogSumExp(Node &node) {
  Reduction r = getReduction(node);
  if (!r.isFloat())
    node.unsupported("integer operands");
  Type type = getElement(r.x);
  Value x = node.widen(r.x);
  // The greatest element is subtracted before the exponential, so that no
  // element overflows. An infinite element is not subtracted, because infinity
  // minus infinity is NaN.
  Value max = node.reduce(ReduceKind::Max, x, r.axes, /*keepDims=*/true);
  Value isInfinite = node.create<pop::IsInfOp>({max});
  max = node.select(isInfinite, node.splatLike(0, max), max);
  Value sum = r.reduce(ReduceKind::Sum, node.exp(node.sub(x, max)));
  max = node.reshape(max, getShape(sum));
  node.setResult(node.cast(node.add(node.log(sum), max), type));
}

//===----------------------------------------------------------------------===//
// ArgMax, ArgMin
//===----------------------------------------------------------------------===//

Value ipu::onnx::getPositions(Node &node, Value x, int64_t axis) {
  Value index = node.iota(getDim(x, axis), node.getI32Type(), axis, getRank(x));
  return node.expand(index, getShape(x));
}

ExtremePair ipu::onnx::getExtremePair(Node &node, Value x, int64_t axis,
                                      bool isMax, bool selectLast) {
  node.require(getDim(x, axis) > 0, "expects at least one element along axis " +
                                        Twine(axis) + " but got none");
  SmallVector<int64_t> shape(getShape(x));
  shape[axis] = 1;
  ReduceKind kind = isMax ? ReduceKind::Max : ReduceKind::Min;
  SmallVector<NamedAttribute> attrs = {
      node.attr("kind", pop::ReduceKindAttr::get(node.getContext(), kind)),
      node.attr("axes", ArrayRef(axis)),
      node.attr("keep_dims", node.getUnitAttr())};
  if (selectLast)
    attrs.push_back(node.attr("highest_index", node.getUnitAttr()));
  Value positions = getPositions(node, x, axis);
  SmallVector<Value> pair = node.createAll<pop::ArgReduceOp>(
      {x, positions}, attrs,
      {getTensorType(x).clone(shape), getTensorType(positions).clone(shape)});
  return {pair[0], pair[1]};
}

/// Returns the index of the extreme element along `axis` as i64.
static Value getArgExtreme(Node &node, Value x, int64_t axis, bool isMax,
                           bool selectLast) {
  return node.cast(getExtremePair(node, x, axis, isMax, selectLast).index,
                   node.getI64Type());
}

template <bool isMax>
static void importArgExtreme(Node &node) {
  Value x = node.getInput(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), getRank(x));
  Value index = getArgExtreme(node, x, axis, isMax,
                              node.getInt("select_last_index", 0) != 0);
  SmallVector<int64_t> shape(getShape(index));
  if (node.getInt("keepdims", 1) == 0)
    shape.erase(shape.begin() + axis);
  node.setResult(node.reshape(index, shape));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Calls `build` with the operand and the axis of the operator. Before opset
/// 13, the operator works on all dimensions from the axis on, which are merged
/// into one dimension.
static void importAlongAxis(Node &node,
                            function_ref<Value(Value, int64_t)> build) {
  Value x = node.getInput(0);
  int64_t axis = node.getInt("axis", node.getOpset() < 13 ? 1 : -1);
  // Older editions do not define the range of the axis.
  if (node.getOpset() >= 11)
    axis = node.normalizeAxis(axis, getRank(x));
  node.setResult(node.getOpset() < 13 ? onLastDims(node, x, axis, build)
                                      : build(x, axis));
}

static void importSoftmax(Node &node) {
  importAlongAxis(node,
                  [&](Value x, int64_t axis) { return node.softmax(x, axis); });
}

Value ipu::onnx::getLogSoftmax(Node &node, Value x, int64_t axis) {
  Type type = getElement(x);
  x = node.widen(x);
  Value shifted =
      node.sub(x, node.reduce(ReduceKind::Max, x, axis, /*keepDims=*/true));
  Value sum = node.reduce(ReduceKind::Sum, node.exp(shifted), axis, true);
  return node.cast(node.sub(shifted, node.log(sum)), type);
}

static void importLogSoftmax(Node &node) {
  importAlongAxis(node, [&](Value x, int64_t axis) {
    return getLogSoftmax(node, x, axis);
  });
}

static void importHardmax(Node &node) {
  importAlongAxis(node, [&](Value x, int64_t axis) {
    if (getDim(x, axis) == 0)
      return x;
    Value first = getArgExtreme(node, x, axis, /*isMax=*/true,
                                /*selectLast=*/false);
    Value index =
        node.iota(getDim(x, axis), node.getI64Type(), axis, getRank(x));
    return node.cast(node.equal(first, index), getElement(x));
  });
}

ArrayRef<OpEntry> ipu::onnx::getReductionOps() {
  static const OpEntry kOps[] = {
      {"ArgMax", 1, 1, 1, 1, importArgExtreme<true>,
       "a NaN counts as the extreme, as in NumPy and PyTorch"},
      {"ArgMin", 1, 1, 1, 1, importArgExtreme<false>, "as `ArgMax`"},
      {"Hardmax", 1, 1, 1, 1, importHardmax,
       "the first greatest element; a NaN counts as the greatest"},
      {"LogSoftmax", 1, 1, 1, 1, importLogSoftmax,
       "in f32 for narrower floats"},
      {"ReduceL1", 1, 1, 2, 1, importReduceL1},
      {"ReduceL2", 1, 1, 2, 1, importReduceL2,
       "in f32 for narrower floats; the gradient of a row of zeros is 0; rows "
       "of very large or small numbers are scaled"},
      {"ReduceLogSum", 1, 1, 2, 1, importReduceLogSum,
       "in f32 for narrower floats; rows of very large or small numbers are "
       "scaled"},
      {"ReduceLogSumExp", 1, 1, 2, 1, importReduceLogSumExp,
       "in f32 for narrower floats"},
      {"ReduceMax", 1, 1, 2, 1, importReduce<ReduceKind::Max>},
      {"ReduceMean", 1, 1, 2, 1, importReduceMean,
       "`pop.reduce mean`; for integers a sum and a quotient"},
      {"ReduceMin", 1, 1, 2, 1, importReduce<ReduceKind::Min>},
      {"ReduceProd", 1, 1, 2, 1, importReduce<ReduceKind::Prod>},
      {"ReduceSum", 1, 1, 2, 1, importReduce<ReduceKind::Sum>},
      {"ReduceSumSquare", 1, 1, 2, 1, importReduceSumSquare,
       "in f32 for narrower floats"},
      {"Softmax", 1, 1, 1, 1, importSoftmax, "in f32 for narrower floats"},
  };
  return kOps;
}
