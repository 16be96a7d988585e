//===- MicrosoftOps.cpp - Operators of ONNX Runtime -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the domain com.microsoft that exporters and the optimizer of
// ONNX Runtime write. Most of them stand for several operators of ONNX.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Contractions.h"
#include "Normalizations.h"
#include "RecurrentActivations.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns operand `input` of a product. `batchName` is the attribute that
/// makes dimension 0 the second-last one, and `name` is the attribute that
/// exchanges the last two dimensions.
static Value getFactor(Node &node, size_t input, StringRef name,
                       StringRef batchName) {
  Value x = node.getInput(input);
  int64_t rank = getRank(x);
  SmallVector<int64_t> order = getAxesFrom(0, rank);
  if (node.getInt(batchName, 0) != 0 && rank > 2)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (node.getInt(name, 0) != 0 && rank > 1)
    std::swap(order[rank - 1], order[rank - 2]);
  return node.transpose(x, order);
}

static void importFusedMatMul(Node &node) {
  Value y = multiplyMatrices(node, getFactor(node, 0, "transA", "transBatchA"),
                             getFactor(node, 1, "transB", "transBatchB"));
  node.setResult(scale(node, y, node.getFloat("alpha", 1)));
}

/// Applies the function that the attribute `activation` names, with these
/// parameters, or the defaults of the function if there are no parameters.
static Value activate(Node &node, Value x, ArrayRef<float> parameters) {
  std::string name = node.getString("activation", "");
  if (name.empty())
    return x;
  if (name == "Clip") {
    node.require(parameters.size() == 2,
                 "expects the bounds of Clip in attribute "
                 "'activation_params' but got " +
                     Twine(parameters.size()) + " values");
    return node.min(node.max(x, node.splatLike(parameters[0], x)),
                    node.splatLike(parameters[1], x));
  }
  const ActivationKind &kind = getActivationKind(node, name);
  auto getParameter = [&](size_t i, std::optional<float> defaultValue) {
    if (i < parameters.size())
      return parameters[i];
    return defaultValue.value_or(0);
  };
  return kind.build(node, x, getParameter(0, kind.alpha),
                    getParameter(1, kind.beta));
}

static void importFusedGemm(Node &node) {
  importGemm(node);
  SmallVector<float> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (node.hasAttr(name))
      parameters.push_back(node.getFloat(name, 0));
  node.setResult(activate(node, node.getResults().front(), parameters));
}

/// The optional operand 3 is added before the activation.
static void importFusedConv(Node &node) {
  Value y = convolve(node, node.getInput(0), node.getInput(1));
  if (Value bias = node.getOptionalInput(2))
    y = node.add(y, alignToChannels(node, bias, y));
  if (Value addend = node.getOptionalInput(3))
    y = node.add(y, addend);
  node.setResult(activate(node, y, node.getFloats("activation_params")));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Adds the optional operand 1, the bias, and applies `pop.gelu`.
template <bool isApproximate>
static void importGelu(Node &node) {
  Value x = node.getInput(0);
  if (Value bias = node.getOptionalInput(1))
    x = node.add(x, bias);
  SmallVector<NamedAttribute> attrs;
  if (isApproximate)
    attrs.push_back(node.attr("approximate", node.getUnitAttr()));
  node.setResult(node.create<pop::GeluOp>({x}, attrs));
}

static void importQuickGelu(Node &node) {
  double alpha = node.getFloat("alpha", 1.702f);
  node.setResult(buildWide(node, node.getInput(0), [&](Value x) {
    Value scaled = node.mul(x, node.splatLike(alpha, x));
    return node.mul(x, node.create<pop::SigmoidOp>({scaled}));
  }));
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// Returns the sum of the operand, the skipped operand, and the bias, operand
/// `biasInput`, if there is one.
static Value addSkip(Node &node, size_t biasInput) {
  Value x = node.getInput(0);
  node.require(getRank(x) >= 1 && isa<FloatType>(getElement(x)),
               "expects a float operand of rank 1 or more but got " +
                   quote(x.getType()));
  Value sum = buildWide(node, x, [&](Value wide) {
    Value total = node.add(wide, node.widen(node.getInput(1)));
    if (Value bias = node.getOptionalInput(biasInput))
      total = node.add(total, node.widen(bias));
    return total;
  });
  node.require(getShape(sum) == getShape(x),
               "expects an operand to skip that broadcasts to " +
                   quote(x.getType()) + " but got " +
                   quote(node.getInput(1).getType()));
  return sum;
}

static void importSkipLayerNormalization(Node &node) {
  Value sum = addSkip(node, 4);
  Normalized y = normalizeLayer(
      node, sum, getRank(sum) - 1, node.getInput(2), node.getOptionalInput(3),
      node.getFloat("epsilon", 1e-12f), node.getF32Type());
  node.setResult(y.value);
  node.setResult(1, y.mean);
  node.setResult(2, y.inverseDeviation);
  node.setResult(3, sum);
}

static void importSkipSimplifiedLayerNormalization(Node &node) {
  Value sum = addSkip(node, 3);
  Normalized y = normalizeRootMeanSquare(
      node, sum, getRank(sum) - 1, node.getInput(2),
      node.getFloat("epsilon", 1e-12f), node.getF32Type());
  node.setResult(y.value);
  node.setResult(2, y.inverseDeviation);
  node.setResult(3, sum);
}

/// Returns the rows of a table, operand `input`, for indices.
static Value lookUpRows(Node &node, size_t input, Value indices) {
  Value table = node.getInput(input);
  node.require(getRank(table) == 2,
               "expects a table of rank 2 but got " + quote(table.getType()));
  return node.create<pop::GatherOp>({table, indices},
                                    node.attr("batch_dims", int64_t(0)));
}

/// Returns the numbers of ids before the first 0 of a mask, [batch].
static Value countLeadingOnes(Node &node, Value mask) {
  Value isSet = node.cast(mask, node.getI32Type());
  return node.sum(isSet, {1});
}

static void importEmbedLayerNormalization(Node &node) {
  Value ids = node.getInput(0);
  node.require(getRank(ids) == 2,
               "expects ids of rank 2 but got " + quote(ids.getType()));
  requireIndices(node, getElement(ids));
  Value sum = lookUpRows(node, 2, ids), positions = node.getOptionalInput(8);
  if (positions)
    sum = node.add(sum, lookUpRows(node, 3, positions));
  else
    sum = node.add(
        sum, lookUpRows(node, 3, node.iota(getDim(ids, 1), node.getI32Type())));
  if (Value segments = node.getOptionalInput(1))
    sum = node.add(sum, lookUpRows(node, 4, segments));
  Normalized y =
      normalizeLayer(node, sum, 2, node.getInput(5), node.getInput(6),
                     node.getFloat("epsilon", 1e-12f), node.getF32Type());
  node.setResult(y.value);
  Value mask = node.getOptionalInput(7);
  node.setResult(1, mask ? countLeadingOnes(node, mask)
                         : node.splat(0, node.getI32Type(), {getDim(ids, 0)}));
  node.setResult(2, sum);
}

ArrayRef<OpEntry> ipu::onnx::getMicrosoftOps() {
  static const OpEntry kOps[] = {
      {"BiasGelu", 1, 2, 2, 1, importGelu<false>, "`pop.gelu` of a sum"},
      {"EmbedLayerNormalization", 1, 7, 9, 3, importEmbedLayerNormalization,
       "the second output counts the ones of the mask",
       "epsilon mask_index_type"},
      {"FastGelu", 1, 1, 2, 1, importGelu<true>,
       "`pop.gelu` with `approximate`"},
      {"FusedConv", 1, 2, 4, 1, importFusedConv, "as `Conv`",
       "activation activation_params auto_pad dilations group kernel_shape "
       "pads strides"},
      {"FusedGemm", 1, 2, 3, 1, importFusedGemm, "as `Gemm`",
       "activation activation_alpha activation_beta alpha beta transA transB"},
      {"FusedMatMul", 1, 2, 2, 1, importFusedMatMul, "",
       "alpha transA transB transBatchA transBatchB"},
      {"Gelu", 1, 1, 1, 1, importGelu<false>, "`pop.gelu`"},
      {"QuickGelu", 1, 1, 1, 1, importQuickGelu, "in f32 for narrower floats",
       "alpha"},
      {"SkipLayerNormalization", 1, 3, 5, 4, importSkipLayerNormalization,
       "as `LayerNormalization`", "epsilon"},
      {"SkipSimplifiedLayerNormalization", 1, 3, 4, 4,
       importSkipSimplifiedLayerNormalization, "as `RMSNormalization`",
       "epsilon"},
      {"TransposeMatMul", 1, 2, 2, 1, importFusedMatMul, "as `FusedMatMul`",
       "alpha transA transB"},
  };
  return kOps;
}
