//===- Losses.cpp - ONNX losses -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using pop::LossReduction;

static LossReduction getReduction(Node &node) {
  std::string name = node.getString("reduction", "mean");
  std::optional<LossReduction> reduction = pop::symbolizeLossReduction(name);
  node.require(reduction.has_value(),
               "expects 'reduction' to be 'none', 'sum' or 'mean' but got '" +
                   name + "'");
  return *reduction;
}

/// Builds a loss from operands 0 and 1 and, if it exists, operand 2, which
/// contains weights.
template <typename LossOp>
static Value createLoss(Node &node) {
  Value x = node.getInput(0);
  SmallVector<Value> operands = {x, node.getInput(1)};
  if (Value weights = node.getOptionalInput(2))
    operands.push_back(weights);
  SmallVector<NamedAttribute> attrs = {
      node.attr("reduction", pop::LossReductionAttr::get(node.getContext(),
                                                         getReduction(node)))};
  if (node.hasAttr("ignore_index"))
    attrs.push_back(node.attr("ignore_index", node.getInt("ignore_index")));
  return node.create<LossOp>(operands, attrs);
}

static void importNll(Node &node) {
  node.setResult(createLoss<pop::NllLossOp>(node));
}

static void importSoftmaxCrossEntropy(Node &node) {
  node.setResult(createLoss<pop::CrossEntropyLossOp>(node));
  if (node.hasOutput(1))
    node.setResult(1, getLogSoftmax(node, node.getInput(0), /*axis=*/1));
}

ArrayRef<OpEntry> ipu::onnx::getLossOps() {
  static const OpEntry kOps[] = {
      {"NegativeLogLikelihoodLoss", 12, 2, 3, 1, importNll,
       "`pop.nll_loss`; a label that is not a class is ignored"},
      {"SoftmaxCrossEntropyLoss", 12, 2, 3, 2, importSoftmaxCrossEntropy,
       "`pop.cross_entropy_loss`; labels as in `NegativeLogLikelihoodLoss`; "
       "`log_prob` as `LogSoftmax`"},
  };
  return kOps;
}
