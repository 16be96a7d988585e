//===- Random.cpp - ONNX operators that draw random numbers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// Returns the seed of a node: the value of its seed attribute, which is a
/// float or, with `isInt`, an integer. Without the attribute, returns a seed
/// that no other op has.
static Value getSeed(Node &node, bool isInt = false) {
  Type word = node.getIntegerType(32, /*isSigned=*/false);
  auto type = RankedTensorType::get(2, word);
  if (!node.hasAttr("seed"))
    return node.create<pop::NextSeedOp>({}, {}, type);
  uint64_t seed = isInt ? static_cast<uint64_t>(node.getInt("seed"))
                        : llvm::bit_cast<uint32_t>(node.getFloat("seed", 0));
  return node.constant(DenseElementsAttr::get(
      type, ArrayRef<uint32_t>{llvm::Lo_32(seed), llvm::Hi_32(seed)}));
}

//===----------------------------------------------------------------------===//
// Tensors of random numbers
//===----------------------------------------------------------------------===//

/// Returns the element type in the attribute `dtype`, or `otherwise` if the
/// node does not have this attribute.
static Type getDrawnElement(Node &node, Type otherwise) {
  if (!node.hasAttr("dtype"))
    return otherwise;
  int32_t number = node.getElementTypeNumber("dtype", /*defaultValue=*/0);
  Type type = getElementType(number, node.getContext());
  if (!type)
    node.unsupported("random numbers of type " + getElementTypeName(number));
  return type;
}

/// Returns the type of the result. Its shape is the shape of the operand or, if
/// there is no operand, the shape in the attribute.
static RankedTensorType getDrawnType(Node &node) {
  bool isLike = node.hasInput(0);
  Type element = getDrawnElement(node, isLike ? getElement(node.getInput(0))
                                              : node.getF32Type());
  node.require(isa<FloatType>(element),
               "expects random numbers of a float type but got " +
                   quote(element));
  SmallVector<int64_t> shape = isLike
                                   ? llvm::to_vector(getShape(node.getInput(0)))
                                   : node.getInts("shape");
  node.require(
      llvm::none_of(shape, [](int64_t size) { return size < 0; }) &&
          pop::isPopShape(shape),
      "expects sizes that are not negative, and at most 2^56 elements");
  return RankedTensorType::get(shape, element);
}

template <typename OpTy>
static Value draw(Node &node, Value seed, RankedTensorType type,
                  StringRef first, double firstValue, StringRef second,
                  double secondValue) {
  Builder &builder = node;
  return node.create<OpTy>(
      {seed},
      {node.attr(first, builder.getF64FloatAttr(firstValue)),
       node.attr(second, builder.getF64FloatAttr(secondValue))},
      type);
}

static void importRandomUniform(Node &node) {
  RankedTensorType type = getDrawnType(node);
  node.setResult(draw<pop::RandomUniformOp>(node, getSeed(node), type, "low",
                                            node.getFloat("low", 0), "high",
                                            node.getFloat("high", 1)));
}

static void importRandomNormal(Node &node) {
  RankedTensorType type = getDrawnType(node);
  node.setResult(draw<pop::RandomNormalOp>(node, getSeed(node), type, "mean",
                                           node.getFloat("mean", 0), "std_dev",
                                           node.getFloat("scale", 1)));
}

/// Builds a tensor whose elements are 1 where a random number from 0 to 1 is
/// less than the operand's element, and 0 elsewhere.
static void importBernoulli(Node &node) {
  Value p = node.getInput(0);
  node.require(isa<FloatType>(getElement(p)),
               "expects a float operand but got " + quote(p.getType()));
  Type result = getDrawnElement(node, getElement(p));
  p = node.widen(p);
  Value u = draw<pop::RandomUniformOp>(node, getSeed(node), getTensorType(p),
                                       "low", 0, "high", 1);
  node.setResult(node.cast(node.less(u, p), result));
}

/// Draws classes by their cumulative probabilities: a class is the number of
/// sums that a random number, scaled to the total, is not below.
static void importMultinomial(Node &node) {
  Value x = node.getInput(0);
  node.require(
      isa<FloatType>(getElement(x)) && getRank(x) == 2 && getDim(x, 1) > 0,
      "expects floats of rank 2 with a class but got " + quote(x.getType()));
  int64_t count = node.getInt("sample_size", 1), batch = getDim(x, 0);
  node.require(count > 0 && count < (1 << 30),
               "expects 'sample_size' to be from 1 to 2^30 - 1 but got " +
                   Twine(count));
  Type type = getDrawnElement(node, node.getI32Type());
  node.require(type.isInteger(32) || type.isInteger(64),
               "expects classes of type int32 or int64 but got " + quote(type));
  x = node.widen(x);
  Value most = node.reduce(pop::ReduceKind::Max, x, {1}, /*keepDims=*/true);
  Value sums = getCumulativeSum(node, node.exp(node.sub(x, most)), 1);
  int64_t classes = getDim(x, 1);
  Value total = node.slice(sums, 1, classes - 1, 1);
  Value u = draw<pop::RandomUniformOp>(
      node, getSeed(node), RankedTensorType::get({batch, count}, getElement(x)),
      "low", 0, "high", 1);
  u = node.reshape(node.mul(u, total), {batch, count, 1});
  Value isBelow = node.create<pop::LessEqualOp>(
      {node.reshape(sums, {batch, 1, classes}), u});
  Value drawn = node.sum(node.cast(isBelow, type), {2});
  node.setResult(
      node.min(drawn, node.splatLike(static_cast<double>(classes - 1), drawn)));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Returns whether the node drops elements. Its mode may be an attribute or an
/// input.
static bool isTraining(Node &node) {
  if (node.getOpset() < 7)
    return node.getInt("is_test", 0) == 0;
  if (!node.hasInput(2))
    return false;
  DenseElementsAttr mode = node.getConstant(2);
  if (!mode.getElementType().isInteger(1) || mode.getNumElements() != 1)
    node.fail("expects 'training_mode' to be a scalar of type bool but got " +
              quote(mode.getType()));
  return *mode.value_begin<bool>();
}

/// Returns the fraction of elements that the node drops.
static double getRatio(Node &node) {
  if (!isTraining(node))
    return 0;
  double ratio = 0.5;
  if (node.getOpset() < 12) {
    ratio = node.getFloat("ratio", 0.5f);
  } else if (node.hasInput(1)) {
    DenseElementsAttr value = node.getConstant(1);
    node.require(isa<FloatType>(value.getElementType()) &&
                     value.getNumElements() == 1,
                 "expects 'ratio' to be a scalar of a float type but got " +
                     quote(value.getType()));
    ratio = (*value.value_begin<APFloat>()).convertToDouble();
  }
  return ratio;
}

static void importDropout(Node &node) {
  Value x = node.getInput(0);
  Type boolean = node.getI1Type();
  double ratio = getRatio(node);
  if (ratio == 0) {
    node.setResult(x);
    // Before opset 10, ONNX does not define the elements of the mask.
    if (node.hasOutput(1) && node.getOpset() >= 10)
      node.setResult(1, node.splat(1, boolean, getShape(x)));
    return;
  }
  Value seed = getSeed(node, /*isInt=*/true);
  auto drop = [&](Value value) {
    return node.create<pop::DropoutOp>(
        {value, seed}, node.attr("ratio", node.getF64FloatAttr(ratio)),
        value.getType());
  };
  node.setResult(drop(x));
  if (!node.hasOutput(1))
    return;
  // With equal seeds, equal elements of all tensors of one shape are dropped.
  Value kept = drop(node.splat(1, getElement(x), getShape(x)));
  kept = node.create<pop::NotEqualOp>({kept, node.splatLike(0, kept)});
  node.setResult(1,
                 node.getOpset() < 10 ? node.cast(kept, getElement(x)) : kept);
}

ArrayRef<OpEntry> ipu::onnx::getRandomOps() {
  static const OpEntry kOps[] = {
      {"Bernoulli", 15, 1, 1, 1, importBernoulli, "see Limits"},
      {"Dropout", 1, 1, 3, 2, importDropout,
       "before opset 7, drops elements if `is_test` is 0; from opset 12 on, "
       "drops elements if the constant `training_mode` is true; constant "
       "ratio; see Limits"},
      {"Multinomial", 7, 1, 1, 1, importMultinomial, "see Limits"},
      {"RandomNormal", 1, 0, 0, 1, importRandomNormal, "see Limits"},
      {"RandomNormalLike", 1, 1, 1, 1, importRandomNormal, "see Limits"},
      {"RandomUniform", 1, 0, 0, 1, importRandomUniform, "see Limits"},
      {"RandomUniformLike", 1, 1, 1, 1, importRandomUniform, "see Limits"},
  };
  return kOps;
}
