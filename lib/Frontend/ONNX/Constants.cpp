//===- Constants.cpp - ONNX constants -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "RandomWeights.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::AttributeProto;

/// The greatest number of elements of a constant that an operator generates,
/// unless all elements are equal.
static constexpr int64_t kMaxGenerated = 1 << 24;

static void importIdentity(Node &node) { node.setResult(node.getInput(0)); }

//===----------------------------------------------------------------------===//
// Constant
//===----------------------------------------------------------------------===//

/// Returns the value of a Constant node from its attribute `attr`. ONNX has
/// several attributes for this value.
static ElementsAttr getConstantValue(Node &node, const AttributeProto &attr) {
  Builder &builder = node;
  StringRef name = attr.name();
  auto getType = [](ArrayRef<int64_t> shape, Type type) {
    return RankedTensorType::get(shape, type);
  };
  if (name == "value")
    return node.getTensorValue(
        node.findAttr(name, AttributeProto::TENSOR)->t());
  if (name == "value_float")
    return DenseElementsAttr::get(
        getType({}, builder.getF32Type()),
        node.findAttr(name, AttributeProto::FLOAT)->f());
  if (name == "value_int")
    return DenseElementsAttr::get(
        getType({}, builder.getI64Type()),
        node.findAttr(name, AttributeProto::INT)->i());
  if (name == "value_floats") {
    SmallVector<float> values = node.getFloats(name);
    return DenseElementsAttr::get(getType(values.size(), builder.getF32Type()),
                                  ArrayRef<float>(values));
  }
  if (name == "value_ints") {
    SmallVector<int64_t> values = node.getInts(name);
    return DenseElementsAttr::get(getType(values.size(), builder.getI64Type()),
                                  ArrayRef<int64_t>(values));
  }
  if (name == "value_string" || name == "value_strings" ||
      name == "sparse_value")
    node.unsupported("attribute '" + name + "'");
  node.fail("expects no attribute '" + name + "'");
}

static void importConstant(Node &node) {
  node.require(node.getProto().attribute_size() == 1,
               "expects one attribute but got " +
                   Twine(node.getProto().attribute_size()));
  node.setResult(
      node.constant(getConstantValue(node, node.getProto().attribute(0))));
}

static void importConstantOfShape(Node &node) {
  SmallVector<int64_t> shape = node.getConstantInts(0);
  for (int64_t size : shape)
    node.require(size >= 0,
                 "expects sizes not to be negative but got " + Twine(size));
  node.require(pop::isPopShape(shape), "expects at most 2^56 elements");
  auto element = DenseElementsAttr::get(
      RankedTensorType::get({}, node.getF32Type()), 0.0f);
  if (const AttributeProto *value =
          node.findAttr("value", AttributeProto::TENSOR))
    element = dyn_cast<DenseElementsAttr>(node.getTensorValue(value->t()));
  node.require(element && element.getNumElements() == 1,
               "expects 'value' to have one element");
  auto type = RankedTensorType::get(shape, element.getElementType());
  StringRef name = node.getProto().output(0);
  if (RandomWeights *random = node.getState().randomWeights;
      random && random->isWeight(name))
    if (ElementsAttr weights = random->make(name, type))
      return node.setResult(node.constant(weights));
  if (type.getNumElements() == 0)
    return node.setResult(
        node.constant(DenseElementsAttr::get(type, ArrayRef<Attribute>())));
  node.setResult(node.constant(
      DenseElementsAttr::get(type, *element.value_begin<Attribute>())));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static Value getI64Constant(Node &node, ArrayRef<int64_t> values,
                            ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, node.getI64Type());
  return node.constant(DenseElementsAttr::get(type, values));
}

static void importShape(Node &node) {
  ArrayRef<int64_t> shape = getShape(node.getInput(0));
  int64_t rank = shape.size();
  auto clamp = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = clamp(node.getInt("end", rank));
  shape = shape.slice(start, std::max<int64_t>(end - start, 0));
  node.setResult(
      getI64Constant(node, shape, static_cast<int64_t>(shape.size())));
}

static void importSize(Node &node) {
  node.setResult(getI64Constant(
      node, getTensorType(node.getInput(0)).getNumElements(), {}));
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

/// Returns the number of elements of the range from `start` to `limit`, which
/// is excluded, in steps of `delta`.
static int64_t getRangeSize(Node &node, double start, double limit,
                            double delta) {
  double count = std::ceil((limit - start) / delta);
  node.require(!std::isnan(count), "expects start, limit and delta to define a "
                                   "number of elements but got NaN");
  if (count > kMaxGenerated)
    node.unsupported("more than " + Twine(kMaxGenerated) + " elements");
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

static ElementsAttr getFloatRange(Node &node, FloatType type,
                                  ArrayRef<APFloat> bounds) {
  auto toDouble = [](APFloat value) {
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToDouble();
  };
  double start = toDouble(bounds[0]), delta = toDouble(bounds[2]);
  node.require(delta != 0, "expects a delta other than 0");
  int64_t count = getRangeSize(node, start, toDouble(bounds[1]), delta);
  SmallVector<APFloat> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        cast<FloatAttr>(
            FloatAttr::get(type, start + static_cast<double>(i) * delta))
            .getValue());
  return DenseElementsAttr::get(RankedTensorType::get(count, type), values);
}

static ElementsAttr getIntRange(Node &node, IntegerType type,
                                ArrayRef<APInt> bounds) {
  const APInt &start = bounds[0], &delta = bounds[2];
  node.require(!delta.isZero(), "expects a delta other than 0");
  bool isSigned = !type.isUnsigned();
  auto toDouble = [&](const APInt &value) {
    return value.roundToDouble(isSigned);
  };
  int64_t count =
      getRangeSize(node, toDouble(start), toDouble(bounds[1]), toDouble(delta));
  SmallVector<APInt> values;
  APInt value = start;
  for (int64_t i = 0; i < count; ++i, value += delta)
    values.push_back(value);
  return DenseElementsAttr::get(RankedTensorType::get(count, type), values);
}

static void importRange(Node &node) {
  SmallVector<DenseElementsAttr> bounds;
  for (size_t i = 0; i < 3; ++i) {
    bounds.push_back(node.getConstant(i));
    node.require(bounds[i].getNumElements() == 1 &&
                     bounds[i].getElementType() == bounds[0].getElementType(),
                 "expects three scalars of one type but got " +
                     quote(bounds[i].getType()) + " for input " + Twine(i));
  }
  if (auto type = dyn_cast<FloatType>(bounds[0].getElementType())) {
    SmallVector<APFloat> values;
    for (DenseElementsAttr bound : bounds)
      values.push_back(*bound.value_begin<APFloat>());
    return node.setResult(node.constant(getFloatRange(node, type, values)));
  }
  SmallVector<APInt> values;
  for (DenseElementsAttr bound : bounds)
    values.push_back(*bound.value_begin<APInt>());
  auto type = cast<IntegerType>(bounds[0].getElementType());
  node.setResult(node.constant(getIntRange(node, type, values)));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static void importTrilu(Node &node) {
  Value x = node.getInput(0);
  int64_t rank = getRank(x), diagonal = 0;
  node.require(rank >= 2,
               "expects an operand of rank 2 or more but got " + Twine(rank));
  if (node.hasInput(1)) {
    SmallVector<int64_t> k = node.getConstantInts(1);
    node.require(k.size() == 1, "expects 'k' to be a scalar but got " +
                                    Twine(k.size()) + " elements");
    diagonal = k.front();
  }
  bool upper = node.getInt("upper", 1) != 0;
  int64_t rows = getDim(x, rank - 2), columns = getDim(x, rank - 1);
  if (rows * static_cast<double>(columns) > kMaxGenerated)
    node.unsupported("more than " + Twine(kMaxGenerated) + " elements");
  SmallVector<bool> mask;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      mask.push_back(upper ? j - i >= diagonal : j - i <= diagonal);
  Value keep = node.constant(DenseElementsAttr::get(
      RankedTensorType::get({rows, columns}, node.getI1Type()), mask));
  node.setResult(node.select(keep, x, node.splatLike(0, x)));
}

ArrayRef<OpEntry> ipu::onnx::getConstantOps() {
  static const OpEntry kOps[] = {
      {"Constant", 1, 0, 0, 1, importConstant,
       "all forms except strings and sparse tensors"},
      {"ConstantOfShape", 9, 1, 1, 1, importConstantOfShape, "constant shape"},
      {"Identity", 1, 1, 1, 1, importIdentity},
      {"Range", 11, 3, 3, 1, importRange, "constant bounds"},
      {"Shape", 1, 1, 1, 1, importShape},
      {"Size", 1, 1, 1, 1, importSize},
      {"Trilu", 14, 1, 2, 1, importTrilu, "constant `k`"},
  };
  return kOps;
}
