//===- Functions.cpp - Expansion of ONNX functions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a function is replaced by the nodes of the function. The function
// is one of the model, or the body that ONNX defines for an operator.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "Opsets.h"
#include "onnx/defs/schema.h"
#include <google/protobuf/unknown_field_set.h>

using namespace mlir;
using namespace mlir::ipu::onnx;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;
using proto::AttributeProto;
using proto::FunctionProto;
using proto::NodeProto;

/// The greatest depth of nested calls.
static constexpr size_t kMaxCallDepth = 64;

//===----------------------------------------------------------------------===//
// Fields of newer files
//===----------------------------------------------------------------------===//

// Fields that newer versions of ONNX than the library define.
enum YoungerFields : int {
  kNodeOverload = 8,
  kFunctionDefaults = 11,
  kFunctionValueInfo = 12,
  kFunctionOverload = 13,
  kFunctionMetadata = 14,
};

static const UnknownFieldSet &
getUnknownFields(const google::protobuf::Message &message) {
  return message.GetReflection()->GetUnknownFields(message);
}

/// Calls `fn` with the bytes of each field `number` that the library does not
/// know.
static void visitBytes(const google::protobuf::Message &message, int number,
                       function_ref<void(const std::string &)> fn) {
  const UnknownFieldSet &fields = getUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number &&
        fields.field(i).type() == UnknownField::TYPE_LENGTH_DELIMITED)
      fn(fields.field(i).length_delimited());
}

/// Returns the default values of attributes of a function.
static std::vector<AttributeProto> getDefaults(Node &call,
                                               const FunctionProto &function) {
  const UnknownFieldSet &fields = getUnknownFields(function);
  for (int i = 0; i < fields.field_count(); ++i)
    if (int number = fields.field(i).number();
        number < kFunctionDefaults || number > kFunctionMetadata)
      call.unsupported("the function has the field " + Twine(number) +
                       ", which no opset up to " + Twine(kLastOpset) +
                       " defines");
  std::vector<AttributeProto> defaults;
  visitBytes(function, kFunctionDefaults, [&](const std::string &bytes) {
    call.require(defaults.emplace_back().ParseFromString(bytes),
                 "the function has a malformed default value of an attribute");
  });
  return defaults;
}

/// Joins domain, name and overload by a character that they do not contain.
static std::string getKey(StringRef domain, StringRef name,
                          const google::protobuf::Message &message,
                          int overloadField) {
  std::string overload;
  visitBytes(message, overloadField,
             [&](const std::string &value) { overload = value; });
  return ((isDefaultDomain(domain) ? "" : domain) + Twine('\0') + name +
          Twine('\0') + overload)
      .str();
}

std::string ipu::onnx::getFunctionKey(const FunctionProto &function) {
  return getKey(function.domain(), function.name(), function,
                kFunctionOverload);
}

std::string ipu::onnx::getFunctionKey(const NodeProto &node) {
  return getKey(node.domain(), node.op_type(), node, kNodeOverload);
}

const FunctionProto *GraphImporter::findFunction(const NodeProto &node) const {
  return state.functions.lookup(getFunctionKey(node));
}

//===----------------------------------------------------------------------===//
// Functions of the standard
//===----------------------------------------------------------------------===//

bool ipu::onnx::hasSchemaFunction(StringRef name, int64_t opset) {
  const proto::OpSchema *schema = getSchema(name, opset);
  return schema &&
         (schema->HasFunction() || schema->HasContextDependentFunction());
}

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
bool GraphImporter::getSchemaFunction(Node &node, FunctionProto &function) {
  const proto::OpSchema *schema = getSchema(node.getOpType(), node.getOpset());
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
  // A body without an opset uses the opset of its operator.
  if (!getDefaultOpset(function.opset_import())) {
    auto *import = function.add_opset_import();
    import->set_version(schema->SinceVersion());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// Calls `fn` with each node of `nodes` and of their subgraphs.
static void visitNodes(NodeList &nodes, function_ref<void(NodeProto &)> fn) {
  for (NodeProto &node : nodes) {
    fn(node);
    for (AttributeProto &attr : *node.mutable_attribute()) {
      if (attr.has_g())
        visitNodes(*attr.mutable_g()->mutable_node(), fn);
      for (proto::GraphProto &graph : *attr.mutable_graphs())
        visitNodes(*graph.mutable_node(), fn);
    }
  }
}

/// Replaces the references of a node to attributes of the function by the
/// attributes `given`, of which the first one with the name applies. Erases a
/// reference to an attribute that is not given; the default value of the
/// node's attribute then applies.
static void bindAttributes(NodeProto &node, ArrayRef<AttributeProto> given) {
  auto *attrs = node.mutable_attribute();
  for (int i = attrs->size() - 1; i >= 0; --i) {
    AttributeProto &attr = *attrs->Mutable(i);
    if (attr.ref_attr_name().empty())
      continue;
    const auto *value = llvm::find_if(given, [&](const AttributeProto &other) {
      return other.name() == attr.ref_attr_name();
    });
    if (value == given.end()) {
      attrs->DeleteSubrange(i, 1);
      continue;
    }
    std::string name = attr.name();
    attr = *value;
    attr.set_name(name);
  }
}

/// Returns the nodes of a function with the attributes of the call. An optional
/// operand that the call omits is also omitted in the nodes.
static NodeList bindCall(Node &call, const FunctionProto &function) {
  std::vector<AttributeProto> given(call.getProto().attribute().begin(),
                                    call.getProto().attribute().end());
  llvm::append_range(given, getDefaults(call, function));
  llvm::StringSet<> omitted;
  for (auto [i, input] : llvm::enumerate(function.input()))
    if (!call.hasInput(i))
      omitted.insert(input);
  NodeList nodes = function.node();
  visitNodes(nodes, [&](NodeProto &node) {
    bindAttributes(node, given);
    for (std::string &operand : *node.mutable_input())
      if (omitted.contains(operand))
        operand.clear();
  });
  return nodes;
}

static void checkCall(Node &call, const FunctionProto &function) {
  call.require(static_cast<int>(call.getNumInputs()) <= function.input_size(),
               "expects at most " + Twine(function.input_size()) +
                   " inputs but got " + Twine(call.getNumInputs()));
  call.require(static_cast<int>(call.getNumOutputs()) <= function.output_size(),
               "expects at most " + Twine(function.output_size()) +
                   " outputs but got " + Twine(call.getNumOutputs()));
}

void GraphImporter::expandFunction(Scope &scope, Node &node,
                                   const FunctionProto &function) {
  std::string key = getFunctionKey(function);
  node.require(!llvm::is_contained(state.activeFunctions, key),
               "the function calls itself");
  if (state.activeFunctions.size() >= kMaxCallDepth)
    node.unsupported("calls are nested more than " + Twine(kMaxCallDepth) +
                     " deep");
  checkCall(node, function);

  Scope body;
  body.prefix = (node.getName() + "/").str();
  body.opset = getDefaultOpset(function.opset_import()).value_or(scope.opset);
  if (body.opset < kFirstOpset || body.opset > kLastOpset)
    node.unsupported("the function is written in opset " + Twine(body.opset));
  for (auto [i, input] : llvm::enumerate(function.input()))
    if (node.hasInput(i)) {
      body.values[input] = node.getInput(i);
      body.setElementType(input, node.getNarrowType(i));
    }
  SmallVector<StringRef> outputs;
  for (size_t i = 0; i < node.getNumOutputs(); ++i)
    if (node.hasOutput(i))
      outputs.push_back(function.output(static_cast<int>(i)));

  NodeList nodes = bindCall(node, function);
  FailureOr<SelectedNodes> selected = selectNodes(state, body, nodes, outputs);
  if (failed(selected))
    throw NodeFailure();
  state.activeFunctions.push_back(key);
  importNodes(body, *selected);
  state.activeFunctions.pop_back();
  for (size_t i = 0; i < node.getNumOutputs(); ++i) {
    if (!node.hasOutput(i))
      continue;
    const std::string &output = function.output(static_cast<int>(i));
    if (i == 0)
      node.setResultType(body.lookUpNarrowType(output));
    if (Value value = body.lookUp(output))
      node.setResult(i, value);
    else if (auto it = body.missing.find(output); it != body.missing.end())
      node.unsupported(it->second);
    else if (body.failed.contains(output))
      throw NodeFailure();
    else
      node.fail("the function does not define its output '" + output + "'");
  }
}
