//===- RecurrentActivations.cpp - Functions of recurrent gates ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"

#include "Activations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

namespace {
/// Reads the attribute with the values of a parameter, which are consumed in
/// the order of the functions that have the parameter.
class ParameterReader {
public:
  ParameterReader(Node &node, StringRef attribute)
      : node(node), attribute(attribute), values(node.getFloats(attribute)) {}

  float take(StringRef function, std::optional<float> defaultValue) {
    if (numTaken < values.size())
      return values[numTaken++];
    node.require(defaultValue.has_value(), "expects a value for '" + function +
                                               "' in attribute '" + attribute +
                                               "' but got none");
    return *defaultValue;
  }
  /// Fails if no function has taken some of the values.
  void finish() {
    node.require(numTaken == values.size(),
                 "expects at most " + Twine(numTaken) +
                     " values in attribute '" + attribute + "' but got " +
                     Twine(values.size()));
  }

private:
  Node &node;
  StringRef attribute;
  SmallVector<float> values;
  size_t numTaken = 0;
};
} // namespace

/// Returns alpha * tanh(beta * x).
static Value buildScaledTanh(Node &node, Value x, double alpha, double beta) {
  Value scaled = node.mul(x, node.splatLike(beta, x));
  Value y = node.create<pop::TanhOp>({scaled});
  return node.mul(y, node.splatLike(alpha, y));
}

/// The functions that ONNX allows.
static const ActivationKind kActivationKinds[] = {
    {"Affine", 2, {}, {}, scaleAndShift},
    {"Elu",
     1,
     1.0f,
     {},
     [](Node &node, Value x, double alpha, double) {
       return buildElu(node, x, alpha);
     }},
    {"HardSigmoid", 2, 0.2f, 0.5f, buildHardSigmoid},
    {"LeakyRelu",
     1,
     0.01f,
     {},
     [](Node &node, Value x, double alpha, double) {
       return buildLeakyRelu(node, x, alpha);
     }},
    {"Relu",
     0,
     {},
     {},
     [](Node &node, Value x, double, double) {
       return node.create<pop::ReluOp>({x});
     }},
    {"ScaledTanh", 2, {}, {}, buildScaledTanh},
    {"Sigmoid",
     0,
     {},
     {},
     [](Node &node, Value x, double, double) {
       return node.create<pop::SigmoidOp>({x});
     }},
    {"Softplus",
     0,
     {},
     {},
     [](Node &node, Value x, double, double) {
       return buildSoftplus(node, x);
     }},
    {"Softsign",
     0,
     {},
     {},
     [](Node &node, Value x, double, double) {
       return buildSoftsign(node, x);
     }},
    {"Tanh",
     0,
     {},
     {},
     [](Node &node, Value x, double, double) {
       return node.create<pop::TanhOp>({x});
     }},
    {"ThresholdedRelu",
     1,
     1.0f,
     {},
     [](Node &node, Value x, double alpha, double) {
       return buildThresholdedRelu(node, x, alpha);
     }},
};

const ActivationKind &ipu::onnx::getActivationKind(Node &node, StringRef name) {
  const auto *kind =
      llvm::find_if(kActivationKinds, [&](const ActivationKind &each) {
        return name.equals_insensitive(each.name);
      });
  if (kind == std::end(kActivationKinds)) {
    auto names = llvm::map_range(
        kActivationKinds, [](const ActivationKind &each) { return each.name; });
    node.fail("expects an activation function of " + llvm::join(names, ", ") +
              " but got '" + name + "'");
  }
  return *kind;
}

SmallVector<Activation> ipu::onnx::getActivations(Node &node,
                                                  ArrayRef<StringRef> defaults,
                                                  int64_t numDirections) {
  SmallVector<std::string> names = node.getStrings("activations");
  size_t count = defaults.size() * numDirections;
  if (!node.hasAttr("activations"))
    for (size_t i = 0; i < count; ++i)
      names.push_back(defaults[i % defaults.size()].str());
  node.require(names.size() == count,
               "expects " + Twine(count) +
                   " values in attribute 'activations' but got " +
                   Twine(names.size()));
  ParameterReader alphas(node, "activation_alpha");
  ParameterReader betas(node, "activation_beta");
  SmallVector<Activation> activations;
  for (StringRef name : names) {
    const ActivationKind &kind = getActivationKind(node, name);
    Activation &activation = activations.emplace_back(Activation{&kind});
    if (kind.numParameters > 0)
      activation.alpha = alphas.take(name, kind.alpha);
    if (kind.numParameters > 1)
      activation.beta = betas.take(name, kind.beta);
  }
  alphas.finish();
  betas.finish();
  return activations;
}
