//===- GraphImporter.cpp - Importer of an ONNX graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "onnx/defs/schema.h"
#include "llvm/ADT/StringSet.h"
#include <queue>

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::NodeProto;

/// The greatest number of nodes, including the nodes of expanded functions. It
/// is enough for all practical models.
static constexpr int64_t kMaxNodes = 1 << 20;
/// The greatest depth of nested calls.
static constexpr size_t kMaxCallDepth = 64;
/// The last opset for which the ONNX library has function bodies.
static constexpr int64_t kLastSchemaOpset = 17;

std::string ipu::onnx::getNodeName(const NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return node.op_type() + "_" + output;
  return node.op_type();
}

std::optional<int64_t> ipu::onnx::getDefaultOpset(const OpsetList &imports) {
  for (const proto::OperatorSetIdProto &import : imports)
    if (isDefaultDomain(import.domain()))
      return import.version();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

using ProducerMap = llvm::StringMap<unsigned>;

static Location getNodeLoc(ImportState &state, const Scope &scope,
                           const NodeProto &node) {
  return NameLoc::get(
      StringAttr::get(state.context, scope.prefix + getNodeName(node)),
      getFileLoc(state.fileName, state.context));
}

/// Maps each value to the index of the node that defines it.
static LogicalResult findProducers(ImportState &state, const Scope &scope,
                                   const NodeList &nodes,
                                   ProducerMap &producers) {
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.output())
      if (!output.empty() &&
          (scope.values.contains(output) || scope.failed.contains(output) ||
           !producers.try_emplace(output, i).second))
        return state.report(ImportOutcome::Invalid,
                            getNodeLoc(state, scope, node))
               << "ONNX node '" << getNodeName(node) << "' (" << node.op_type()
               << "): value '" << output << "' is defined twice";
  return success();
}

/// Reports the nodes of one cycle among the nodes for which `isDone` is not
/// set.
static LogicalResult reportCycle(ImportState &state, const Scope &scope,
                                 const NodeList &nodes,
                                 const ProducerMap &producers,
                                 ArrayRef<char> isDone) {
  // Each of these nodes has an operand that another of these nodes defines.
  unsigned current = llvm::find(isDone, 0) - isDone.begin();
  SmallVector<unsigned> path;
  std::vector<char> onPath(nodes.size());
  while (!onPath[current]) {
    onPath[current] = true;
    path.push_back(current);
    for (const std::string &input : nodes[current].input()) {
      auto it = producers.find(input);
      if (it == producers.end() || isDone[it->second])
        continue;
      current = it->second;
      break;
    }
  }
  auto *first = llvm::find(path, current);
  InFlightDiagnostic diag =
      state.report(ImportOutcome::Invalid,
                   getNodeLoc(state, scope, nodes[current]))
      << "expects an acyclic ONNX graph but these nodes use each other's "
         "results:";
  constexpr ptrdiff_t kMaxNames = 8;
  for (auto *it = first; it != path.end() && it - first < kMaxNames; ++it)
    diag << " '" << getNodeName(nodes[*it]) << "'";
  if (path.end() - first > kMaxNames)
    diag << " ...";
  return diag;
}

FailureOr<std::vector<const NodeProto *>>
ipu::onnx::sortNodes(ImportState &state, const Scope &scope,
                     const NodeList &nodes) {
  ProducerMap producers;
  if (failed(findProducers(state, scope, nodes, producers)))
    return failure();
  std::vector<std::vector<unsigned>> users(nodes.size());
  std::vector<unsigned> numMissing(nodes.size(), 0);
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &input : node.input())
      if (auto it = producers.find(input); it != producers.end()) {
        users[it->second].push_back(i);
        ++numMissing[i];
      }
  // Of all nodes whose operands are defined, the first node in the list comes
  // next. Therefore the order of a sorted list does not change.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [i, count] : llvm::enumerate(numMissing))
    if (count == 0)
      ready.push(i);
  std::vector<const NodeProto *> sorted;
  std::vector<char> isDone(nodes.size());
  while (!ready.empty()) {
    unsigned next = ready.top();
    ready.pop();
    sorted.push_back(&nodes[next]);
    isDone[next] = true;
    for (unsigned user : users[next])
      if (--numMissing[user] == 0)
        ready.push(user);
  }
  if (sorted.size() != static_cast<size_t>(nodes.size()))
    return reportCycle(state, scope, nodes, producers, isDone);
  return sorted;
}

LogicalResult GraphImporter::importNodes(Scope &scope, const NodeList &nodes) {
  FailureOr<std::vector<const NodeProto *>> sorted =
      sortNodes(state, scope, nodes);
  if (failed(sorted))
    return failure();
  for (const NodeProto *node : *sorted)
    importNode(scope, *node);
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const proto::FunctionProto *
GraphImporter::findFunction(const NodeProto &node) const {
  return state.functions.lookup(getFunctionKey(node.domain(), node.op_type()));
}

static bool hasSchemaFunction(StringRef name, int64_t opset) {
  if (opset > kLastSchemaOpset)
    return false;
  const proto::OpSchema *schema = proto::OpSchemaRegistry::Schema(
      name.str(), static_cast<int>(opset), proto::ONNX_DOMAIN);
  return schema &&
         (schema->HasFunction() || schema->HasContextDependentFunction());
}

/// Reports an error if the importer does not support the operator. Returns
/// whether it supports the operator.
bool GraphImporter::checkSupported(const Scope &scope, const NodeProto &node,
                                   const std::string &name) {
  if (findFunction(node))
    return true;
  if (isDefaultDomain(node.domain())) {
    const OpEntry *entry = lookUpOp(node.op_type());
    if (entry ? scope.opset >= entry->firstOpset
              : hasSchemaFunction(node.op_type(), scope.opset))
      return true;
  }
  int64_t opset = scope.opset;
  if (!isDefaultDomain(node.domain())) {
    opset = 0;
    for (const proto::OperatorSetIdProto &import : state.model.opset_import())
      if (import.domain() == node.domain())
        opset = import.version();
  }
  state.report(ImportOutcome::Unsupported, getNodeLoc(state, scope, node))
      << "unsupported ONNX operator '" << node.op_type() << "' (domain '"
      << node.domain() << "', opset " << opset << ") in node '" << name << "'";
  return false;
}

/// Looks up the operands. Returns false if an operand is not available.
bool GraphImporter::getOperands(Scope &scope, const NodeProto &node,
                                const std::string &name,
                                SmallVectorImpl<Value> &operands) {
  int numInputs = node.input_size();
  while (numInputs > 0 && node.input(numInputs - 1).empty())
    --numInputs;
  for (int i = 0; i < numInputs; ++i) {
    const std::string &input = node.input(i);
    if (input.empty()) {
      operands.push_back({});
      continue;
    }
    if (auto it = scope.values.find(input); it != scope.values.end()) {
      operands.push_back(it->second);
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
  if (scope.failed.contains(value))
    return;
  if (auto it = scope.missing.find(value); it != scope.missing.end())
    state.report(ImportOutcome::Unsupported, loc)
        << user << " ('" << value << "') is unsupported: " << it->second;
  else
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
  if (!checkSupported(scope, node, name))
    return failResults();
  SmallVector<Value> operands;
  if (!getOperands(scope, node, name, operands))
    return failResults();
  try {
    Node imported(state, builder, node, name, scope.opset, operands);
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
  const OpEntry *entry = lookUpOp(proto.op_type());
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
    if (value)
      scope.values[proto.output(i)] = value;
    else
      scope.missing[proto.output(i)] =
          ("output " + Twine(i) + " of node '" + node.getName() + "' (" +
           proto.op_type() + ") is not computed")
              .str();
  }
}

/// Reports attributes that the schema of the operator does not have: otherwise,
/// the default would silently replace a misspelt attribute. Attributes of
/// opsets after the last ONNX schema of the library are not checked.
static void checkAttributes(Node &node) {
  const proto::OpSchema *schema = nullptr;
  if (node.getOpset() <= kLastSchemaOpset)
    schema = proto::OpSchemaRegistry::Schema(node.getOpType().str(),
                                             static_cast<int>(node.getOpset()),
                                             proto::ONNX_DOMAIN);
  llvm::StringSet<> names;
  for (const proto::AttributeProto &attribute : node.getProto().attribute()) {
    if (!names.insert(attribute.name()).second)
      node.fail("attribute '" + attribute.name() + "' is given twice");
    if (schema && !schema->attributes().count(attribute.name()))
      node.fail("unknown attribute '" + attribute.name() + "'");
  }
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
  if (numOutputs < 1)
    node.fail("expects at least one output but got none");
  if (entry.maxOutputs >= 0 && numOutputs > entry.maxOutputs)
    node.fail("expects at most " + Twine(entry.maxOutputs) +
              " outputs but got " + Twine(numOutputs));
  entry.handler(node);
  checkAttributes(node);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Returns the ONNX type of a value. Some function bodies depend on the types
/// of operands.
static proto::TypeProto getTypeProto(Value value) {
  proto::TypeProto type;
  if (!value)
    return type;
  auto *tensor = type.mutable_tensor_type();
  for (int32_t i = 1; i <= proto::TensorProto::BFLOAT16; ++i)
    if (getElementType(i, value.getContext()) == getElement(value))
      tensor->set_elem_type(i);
  for (int64_t size : getShape(value))
    tensor->mutable_shape()->add_dim()->set_dim_value(size);
  return type;
}

/// Sets `function` to the body that ONNX defines for the operator. Returns
/// false if there is none.
bool GraphImporter::getSchemaFunction(Node &node,
                                      proto::FunctionProto &function) {
  const proto::OpSchema *schema = proto::OpSchemaRegistry::Schema(
      node.getOpType().str(), static_cast<int>(node.getOpset()),
      proto::ONNX_DOMAIN);
  try {
    if (schema->HasFunction()) {
      function = *schema->GetFunction();
    } else {
      std::vector<proto::TypeProto> types;
      types.reserve(node.getNumInputs());
      for (size_t i = 0; i < node.getNumInputs(); ++i)
        types.push_back(getTypeProto(node.getOptionalInput(i)));
      proto::FunctionBodyBuildContextImpl body(node.getProto(), types);
      if (!schema->BuildContextDependentFunction(body, function))
        return false;
    }
  } catch (const std::exception &error) {
    node.unsupported(error.what());
  }
  // A body without an opset uses the opset of the operator.
  if (!getDefaultOpset(function.opset_import())) {
    auto *import = function.add_opset_import();
    import->set_version(node.getOpset());
  }
  return true;
}

/// Returns the nodes of a function. References to attributes of the function
/// are replaced by the attributes of the call.
static NodeList bindAttributes(const Node &call,
                               const proto::FunctionProto &function) {
  NodeList nodes = function.node();
  for (NodeProto &node : nodes) {
    auto *attrs = node.mutable_attribute();
    for (int i = attrs->size() - 1; i >= 0; --i) {
      proto::AttributeProto &attr = *attrs->Mutable(i);
      if (attr.ref_attr_name().empty())
        continue;
      std::string name = attr.name(), refName = attr.ref_attr_name();
      auto given = llvm::find_if(call.getProto().attribute(),
                                 [&](const proto::AttributeProto &other) {
                                   return other.name() == refName;
                                 });
      if (given == call.getProto().attribute().end()) {
        // The default value of the node's attribute applies.
        attrs->DeleteSubrange(i, 1);
        continue;
      }
      attr = *given;
      attr.set_name(name);
    }
  }
  return nodes;
}

void GraphImporter::expandFunction(Scope &scope, Node &node,
                                   const proto::FunctionProto &function) {
  std::string key = getFunctionKey(function.domain(), function.name());
  node.require(!llvm::is_contained(state.activeFunctions, key),
               "the function calls itself");
  if (state.activeFunctions.size() >= kMaxCallDepth)
    node.unsupported("calls are nested more than " + Twine(kMaxCallDepth) +
                     " deep");
  // In newer files, default values of attributes are in a field that the
  // library does not know.
  if (function.GetReflection()->GetUnknownFields(function).field_count() > 0)
    node.unsupported("the function has default values of attributes");
  node.require(static_cast<int>(node.getNumInputs()) <= function.input_size(),
               "expects at most " + Twine(function.input_size()) +
                   " inputs but got " + Twine(node.getNumInputs()));
  node.require(static_cast<int>(node.getNumOutputs()) <= function.output_size(),
               "expects at most " + Twine(function.output_size()) +
                   " outputs but got " + Twine(node.getNumOutputs()));

  Scope body;
  body.prefix = (node.getName() + "/").str();
  body.opset = getDefaultOpset(function.opset_import()).value_or(scope.opset);
  if (body.opset < kFirstOpset || body.opset > kLastOpset)
    node.unsupported("the function is written in opset " + Twine(body.opset));
  NodeList nodes = bindAttributes(node, function);
  for (auto [i, input] : llvm::enumerate(function.input())) {
    if (node.hasInput(i))
      body.values[input] = node.getInput(i);
    else
      // An optional operand that the call omits is also omitted in the body.
      for (NodeProto &inner : nodes)
        for (std::string &operand : *inner.mutable_input())
          if (operand == input)
            operand.clear();
  }

  state.activeFunctions.push_back(key);
  LogicalResult result = importNodes(body, nodes);
  state.activeFunctions.pop_back();
  if (failed(result))
    throw NodeFailure();
  for (size_t i = 0; i < node.getNumOutputs(); ++i) {
    if (!node.hasOutput(i))
      continue;
    const std::string &output = function.output(static_cast<int>(i));
    if (auto it = body.values.find(output); it != body.values.end())
      node.setResult(i, it->second);
    else if (auto it = body.missing.find(output); it != body.missing.end())
      node.unsupported(it->second);
    else if (body.failed.contains(output))
      throw NodeFailure();
    else
      node.fail("the function does not define its output '" + output + "'");
  }
}
