//===- GraphImporter.cpp - Importer of an ONNX graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "Opsets.h"
#include "RandomWeights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::NodeProto;

/// The greatest number of nodes, including the nodes of expanded functions. It
/// is enough for all practical models.
static constexpr int64_t kMaxNodes = 1 << 20;

std::string ipu::onnx::getNodeName(const NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return node.op_type() + "_" + output;
  return node.op_type();
}

std::optional<int64_t> ipu::onnx::getDefaultOpset(const OpsetList &imports) {
  std::optional<int64_t> opset;
  for (const proto::OperatorSetIdProto &import : imports)
    if (isDefaultDomain(import.domain()))
      opset = import.version();
  return opset;
}

Location ipu::onnx::getNodeLoc(ImportState &state, const Scope &scope,
                               const NodeProto &node) {
  return NameLoc::get(
      StringAttr::get(state.context, scope.prefix + getNodeName(node)),
      getFileLoc(state.fileName, state.context));
}

Value Scope::lookUp(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (Value value = scope->values.lookup(name))
      return value;
  return {};
}

int32_t Scope::lookUpNarrowType(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (scope->values.lookup(name))
      return scope->narrowTypes.lookup(name);
  return 0;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool GraphImporter::isSupported(const NodeProto &node, int64_t opset) const {
  if (findFunction(node))
    return true;
  const OpEntry *entry = lookUpOp(node);
  if (!isDefaultDomain(node.domain()))
    return entry;
  return entry ? opset >= entry->firstOpset
               : hasSchemaFunction(node.op_type(), opset);
}

/// Returns the part of an error message that names the domain of `node`.
static std::string describeDomain(ImportState &state, const NodeProto &node,
                                  int64_t defaultOpset) {
  std::string text = "domain '" + node.domain() + "', ";
  if (isDefaultDomain(node.domain()))
    return text + "opset " + std::to_string(defaultOpset);
  for (const proto::OperatorSetIdProto &import : state.model.opset_import())
    if (import.domain() == node.domain())
      return text + "opset " + std::to_string(import.version());
  return text + "which the model does not import";
}

/// Reports `node`, unless the importer supports its operator, and the nodes of
/// its subgraphs or its function, which are not imported if `node` is not.
void GraphImporter::reportUnsupported(const Scope &scope,
                                      const NodeProto &node) {
  if (!isSupported(node, scope.opset)) {
    std::string kind = "unsupported ONNX operator '" + node.op_type() + "' (" +
                       describeDomain(state, node, scope.opset) + ")";
    state.reportUnsupported(getNodeLoc(state, scope, node), kind,
                            kind + " in node '" + scope.prefix +
                                getNodeName(node) + "'");
  }
  visitSubgraphs(node, [&](const proto::GraphProto &graph) {
    for (const NodeProto *inner :
         getNeededNodes(graph.node(), getOutputNames(graph)))
      reportUnsupported(scope, *inner);
  });
  const proto::FunctionProto *function = findFunction(node);
  if (!function || !state.reportedFunctions.insert(function).second)
    return;
  Scope body;
  body.prefix = scope.prefix + getNodeName(node) + "/";
  body.opset = getDefaultOpset(function->opset_import()).value_or(scope.opset);
  for (const NodeProto &inner : function->node())
    reportUnsupported(body, inner);
}

/// Looks up the operands. Returns false if an operand is not available.
bool GraphImporter::getOperands(Scope &scope, const NodeProto &node,
                                const std::string &name,
                                SmallVectorImpl<Value> &operands,
                                SmallVectorImpl<int32_t> &narrowTypes) {
  int numInputs = node.input_size();
  while (numInputs > 0 && node.input(numInputs - 1).empty())
    --numInputs;
  for (int i = 0; i < numInputs; ++i) {
    const std::string &input = node.input(i);
    if (input.empty()) {
      operands.push_back({});
      narrowTypes.push_back(0);
      continue;
    }
    if (Value value = scope.lookUp(input)) {
      operands.push_back(value);
      narrowTypes.push_back(scope.lookUpNarrowType(input));
      continue;
    }
    reportUndefined(scope, getNodeLoc(state, scope, node),
                    "ONNX node '" + name + "' (" + node.op_type() +
                        "): input " + Twine(i),
                    input);
    return false;
  }
  return true;
}

void GraphImporter::reportUndefined(const Scope &scope, Location loc,
                                    const Twine &user, StringRef value) {
  for (const Scope *s = &scope; s; s = s->outer) {
    if (s->failed.contains(value))
      return;
    if (auto it = s->missing.find(value); it != s->missing.end()) {
      state.report(ImportOutcome::Unsupported, loc)
          << user << " ('" << value << "') is unsupported: " << it->second;
      return;
    }
  }
  state.report(ImportOutcome::Invalid, loc)
      << user << " ('" << value << "') is not defined";
}

void GraphImporter::importNode(Scope &scope, const NodeProto &node) {
  std::string name = scope.prefix + getNodeName(node);
  auto failResults = [&] {
    for (const std::string &output : node.output())
      if (!output.empty() && !scope.values.contains(output))
        scope.failed.insert(output);
  };
  SmallVector<Value> operands;
  SmallVector<int32_t> narrowTypes;
  if (!isSupported(node, scope.opset) ||
      !getOperands(scope, node, name, operands, narrowTypes)) {
    reportUnsupported(scope, node);
    return failResults();
  }
  try {
    Node imported(state, builder, node, name, scope.opset, operands,
                  narrowTypes);
    imported.setGraphImporter([&](const proto::GraphProto &graph,
                                  OpBuilder &graphBuilder, ValueRange inputs) {
      return GraphImporter(state, graphBuilder)
          .importGraph(scope, imported, graph, inputs);
    });
    if (++state.numNodes > kMaxNodes)
      imported.unsupported("the graph has more than " + Twine(kMaxNodes) +
                           " nodes");
    importSupported(scope, imported);
  } catch (const NodeFailure &) {
    failResults();
  }
}

void GraphImporter::importSupported(Scope &scope, Node &node) {
  const NodeProto &proto = node.getProto();
  const OpEntry *entry = lookUpOp(proto);
  proto::FunctionProto schemaFunction;
  if (const proto::FunctionProto *function = findFunction(proto))
    expandFunction(scope, node, *function);
  else if (entry)
    callHandler(*entry, node);
  else if (getSchemaFunction(node, schemaFunction))
    expandFunction(scope, node, schemaFunction);
  else
    node.unsupported(
        "no function body defines the operator for these operands");

  for (auto [i, value] : llvm::enumerate(node.getResults())) {
    if (!node.hasOutput(i) || scope.failed.contains(proto.output(i)))
      continue;
    // Models also name unused outputs, which have no value.
    scope.setElementType(proto.output(i), node.getNarrowResultType(i));
    if (value)
      scope.values[proto.output(i)] = value;
    else
      scope.missing[proto.output(i)] =
          ("output " + Twine(i) + " of node '" + node.getName() + "' (" +
           proto.op_type() + ") is not computed")
              .str();
  }
}

/// Returns a text that names the last opset before that of the node in which
/// the operator has the attribute, or an empty text if there is none.
static std::string describeOldAttribute(Node &node, StringRef attribute) {
  for (int64_t opset = node.getOpset() - 1; opset > 0; --opset)
    if (hasAttribute(node.getOpType(), opset, attribute))
      return ", which the operator has up to opset " + std::to_string(opset);
  return "";
}

/// Reports attributes that the operator does not have: otherwise, the default
/// would silently replace a misspelt attribute.
static void checkAttributes(const OpEntry &entry, Node &node) {
  bool isDefault = isDefaultDomain(node.getProto().domain());
  SmallVector<StringRef> listed;
  entry.attributes.split(listed, ' ');
  llvm::StringSet<> names;
  for (const proto::AttributeProto &attribute : node.getProto().attribute()) {
    if (!names.insert(attribute.name()).second)
      node.fail("attribute '" + attribute.name() + "' is given twice");
    if (llvm::is_contained(listed, attribute.name()))
      continue;
    if (!isDefault)
      node.fail("unknown attribute '" + attribute.name() + "'");
    if (!hasAttribute(node.getOpType(), node.getOpset(), attribute.name()))
      node.fail("unknown attribute '" + attribute.name() + "' in opset " +
                Twine(node.getOpset()) +
                describeOldAttribute(node, attribute.name()));
  }
}

/// Fails if ONNX does not allow the type of `value`.
static void checkType(Node &node, OperandKind kind, size_t i, Value value) {
  std::vector<std::string> names =
      getTypeNames(node.getOpType(), node.getOpset(), kind, i);
  std::string name = getElementTypeName(getElement(value));
  if (names.empty() || llvm::is_contained(names, name))
    return;
  StringRef operand = kind == OperandKind::Input ? "input " : "output ";
  node.fail("expects " + operand + Twine(i) + " of type " +
            llvm::join(names, ", ") + " in opset " + Twine(node.getOpset()) +
            " but got " + name);
}

static void checkInputs(Node &node) {
  if (std::optional<int> most = getMaxInputs(node.getOpType(), node.getOpset()))
    node.require(static_cast<int>(node.getNumInputs()) <= *most,
                 "expects at most " + Twine(*most) + " inputs in opset " +
                     Twine(node.getOpset()) + " but got " +
                     Twine(node.getNumInputs()));
  for (size_t i = 0; i < node.getNumInputs(); ++i)
    if (Value value = node.getOptionalInput(i))
      checkType(node, OperandKind::Input, i, value);
}

static void checkOutputs(Node &node) {
  for (auto [i, value] : llvm::enumerate(node.getResults()))
    if (value && node.hasOutput(i))
      checkType(node, OperandKind::Output, i, value);
}

void GraphImporter::callHandler(const OpEntry &entry, Node &node) {
  int numInputs = static_cast<int>(node.getNumInputs());
  if (numInputs < entry.minInputs)
    node.fail("expects at least " + Twine(entry.minInputs) +
              " inputs but got " + Twine(numInputs));
  if (entry.maxInputs >= 0 && numInputs > entry.maxInputs)
    node.fail("expects at most " + Twine(entry.maxInputs) + " inputs but got " +
              Twine(numInputs));
  int numOutputs = static_cast<int>(node.getNumOutputs());
  if (entry.maxOutputs >= 0 && numOutputs > entry.maxOutputs)
    node.fail("expects at most " + Twine(entry.maxOutputs) +
              " outputs but got " + Twine(numOutputs));
  checkAttributes(entry, node);
  bool hasSchemas = isDefaultDomain(node.getProto().domain());
  if (hasSchemas)
    checkInputs(node);
  entry.handler(node);
  if (hasSchemas)
    checkOutputs(node);
}

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

ElementsAttr GraphImporter::readInitializer(const proto::TensorProto &tensor,
                                            Location loc) {
  if (state.randomWeights && isWithoutValue(tensor, state.files)) {
    Type elementType = getElementType(tensor.data_type(), state.context);
    SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
    if (elementType && pop::isPopShape(shape))
      if (ElementsAttr value = state.randomWeights->make(
              tensor.name(), RankedTensorType::get(shape, elementType)))
        return value;
  }
  TensorError error;
  ElementsAttr value =
      getTensor(tensor, &state.files, state.context, /*dense=*/false, error);
  if (!error.warning.empty())
    emitWarning(loc) << "ONNX initializer '" << tensor.name()
                     << "': " << error.warning;
  if (!value)
    state.report(error.isUnsupported ? ImportOutcome::Unsupported
                                     : ImportOutcome::Invalid,
                 loc)
        << "ONNX initializer '" << tensor.name() << "': " << error.message;
  return value;
}

/// Gives the inputs of `graph`, a subgraph of `node`, their values.
static void bindInputs(Scope &scope, Node &node, const proto::GraphProto &graph,
                       ValueRange inputs) {
  for (auto [info, value] : llvm::zip_equal(graph.input(), inputs)) {
    node.require(!info.name().empty() && !scope.defines(info.name()),
                 "expects distinct names of the inputs and the initializers of "
                 "a subgraph but got '" +
                     info.name() + "' twice");
    int32_t number = info.type().tensor_type().elem_type();
    node.require(
        number == proto::TensorProto::UNDEFINED ||
            getElementType(number, node.getContext()) == getElement(value),
        "expects input '" + info.name() + "' of a subgraph of type " +
            getElementTypeName(number) + " but got " + quote(value.getType()));
    scope.values[info.name()] = value;
  }
}

SmallVector<Value> GraphImporter::importGraph(const Scope &outer, Node &node,
                                              const proto::GraphProto &graph,
                                              ValueRange inputs) {
  if (graph.sparse_initializer_size() > 0)
    node.unsupported("sparse initializers of a subgraph");
  Scope scope;
  scope.outer = &outer;
  scope.prefix = (node.getName() + "/").str();
  scope.opset = outer.opset;
  for (const proto::TensorProto &tensor : graph.initializer())
    scope.initializers.insert(tensor.name());
  bindInputs(scope, node, graph, inputs);
  SmallVector<StringRef> outputs = getOutputNames(graph);
  FailureOr<SelectedNodes> selected =
      selectNodes(state, scope, graph.node(), outputs);
  if (failed(selected))
    throw NodeFailure();
  for (const proto::TensorProto &tensor : graph.initializer()) {
    if (!selected->values.contains(tensor.name()))
      continue;
    Location loc = NameLoc::get(builder.getStringAttr(tensor.name()),
                                getFileLoc(state.fileName, state.context));
    if (ElementsAttr value = readInitializer(tensor, loc))
      scope.values[tensor.name()] =
          pop::ConstantOp::create(builder, loc, value.getType(), value);
    else
      scope.failed.insert(tensor.name());
    scope.setElementType(tensor.name(), tensor.data_type());
  }
  importNodes(scope, *selected);
  SmallVector<Value> results;
  for (StringRef output : outputs) {
    results.push_back(scope.lookUp(output));
    if (!results.back())
      reportUndefined(
          scope, node.getLoc(),
          "output of a subgraph of ONNX node '" + node.getName() + "'", output);
  }
  if (llvm::is_contained(results, Value()))
    throw NodeFailure();
  return results;
}
