//===- ControlFlow.cpp - ONNX operators with subgraphs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::GraphProto;

/// Returns the branch `name` of an If.
static const GraphProto &getBranch(Node &node, StringRef name) {
  const GraphProto &graph = node.getGraph(name);
  node.require(graph.input_size() == 0, "expects no inputs of '" + name +
                                            "' but got " +
                                            Twine(graph.input_size()));
  node.require(graph.output_size() == static_cast<int>(node.getNumOutputs()),
               "expects " + Twine(node.getNumOutputs()) + " outputs of '" +
                   name + "' but got " + Twine(graph.output_size()));
  return graph;
}

/// Imports `graph` into a new block of `region`, and yields its outputs.
/// Returns their types, or std::nullopt after an error.
static std::optional<TypeRange>
importBranch(Node &node, const GraphProto &graph, Region &region) {
  OpBuilder builder(node.getContext());
  builder.setInsertionPointToEnd(&region.emplaceBlock());
  try {
    SmallVector<Value> results = node.importGraph(graph, builder);
    return scf::YieldOp::create(builder, node.getLoc(), results)
        ->getOperandTypes();
  } catch (const NodeFailure &) {
    return std::nullopt;
  }
}

/// Fails because a branch cannot be imported. A branch that is not taken may be
/// wrong for the shapes of the inputs. Therefore the condition becomes a
/// constant if the host knows its value, unless the branches themselves require
/// new constants.
[[noreturn]] static void failBranches(Node &node, size_t numConstants) {
  if (node.getState().parameters.getNumRecorded() > numConstants)
    throw NodeFailure();
  std::string hint =
      node.requestConstant(0, "a branch of ONNX node '" + node.getName().str() +
                                  "' cannot be imported");
  if (!hint.empty())
    emitRemark(node.getLoc())
        << "ONNX node '" << node.getName()
        << "' (If): if the condition is a constant, only the branch that is "
           "taken is imported"
        << hint;
  throw NodeFailure();
}

static SmallVector<Value> buildIf(Node &node, const GraphProto &thenGraph,
                                  const GraphProto &elseGraph) {
  Region thenRegion, elseRegion;
  size_t numConstants = node.getState().parameters.getNumRecorded();
  std::optional<TypeRange> thenTypes =
      importBranch(node, thenGraph, thenRegion);
  std::optional<TypeRange> elseTypes =
      importBranch(node, elseGraph, elseRegion);
  if (!thenTypes || !elseTypes)
    failBranches(node, numConstants);
  for (auto [i, types] :
       llvm::enumerate(llvm::zip_equal(*thenTypes, *elseTypes)))
    if (auto [thenType, elseType] = types; thenType != elseType) {
      std::string hint = node.requestConstant(
          0, "the results of the branches of ONNX node '" +
                 node.getName().str() + "' differ in type");
      node.unsupported(
          "output " + Twine(i) + " has the type " + quote(thenType) +
          " in one branch and " + quote(elseType) +
          " in the other, and the condition is not a constant" + hint);
    }
  Value condition = tensor::ExtractOp::create(
      node, node.reshape(node.getInput(0), {}), ValueRange());
  auto op = scf::IfOp::create(node, *thenTypes, condition,
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(thenRegion);
  op.getElseRegion().takeBody(elseRegion);
  return llvm::to_vector_of<Value>(op.getResults());
}

static void importIf(Node &node) {
  Value condition = node.getInput(0);
  node.require(getElement(condition).isInteger(1) &&
                   getTensorType(condition).getNumElements() == 1,
               "expects a condition of one bool but got " +
                   quote(condition.getType()));
  const GraphProto &thenGraph = getBranch(node, "then_branch");
  const GraphProto &elseGraph = getBranch(node, "else_branch");
  SmallVector<Value> results;
  // The weights that a condition is computed from stay parameters.
  DenseElementsAttr value;
  if (matchPattern(condition, m_Constant(&value)))
    results = node.importGraph(
        *value.value_begin<bool>() ? thenGraph : elseGraph, node);
  else
    results = buildIf(node, thenGraph, elseGraph);
  for (auto [i, result] : llvm::enumerate(results))
    node.setResult(i, result);
}

ArrayRef<OpEntry> ipu::onnx::getControlFlowOps() {
  static const OpEntry kOps[] = {
      {"If", 1, 1, 1, -1, importIf},
  };
  return kOps;
}
