//===- GraphImporter.h - Importer of an ONNX graph --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H

#include "Importer.h"

namespace mlir::ipu::onnx {

using NodeList = google::protobuf::RepeatedPtrField<proto::NodeProto>;
using OpsetList = google::protobuf::RepeatedPtrField<proto::OperatorSetIdProto>;

/// Returns the name of a node or, if it has none, a name made from its outputs.
std::string getNodeName(const proto::NodeProto &node);

/// Returns the opset of the ONNX domain in the list `imports`, or std::nullopt
/// if the list does not contain this domain.
std::optional<int64_t> getDefaultOpset(const OpsetList &imports);

/// Returns the key of a function, or of the function that a node calls: its
/// domain, its name and its overload.
std::string getFunctionKey(const proto::FunctionProto &function);
std::string getFunctionKey(const proto::NodeProto &node);

/// Returns whether ONNX defines the operator by a function body.
bool hasSchemaFunction(StringRef name, int64_t opset);

/// The names of values inside one graph, subgraph or function.
struct Scope {
  /// The scope around a subgraph, whose values the subgraph may use.
  const Scope *outer = nullptr;
  llvm::StringMap<Value> values;
  /// The ONNX element types of values if pop has no such types.
  llvm::StringMap<int32_t> narrowTypes;
  /// The names of the initializers. Only those that are needed have values.
  llvm::StringSet<> initializers;
  /// Values that are not available because of an error that has been reported.
  llvm::StringSet<> failed;
  /// Outputs that the importer does not compute, with the error message for
  /// their uses.
  llvm::StringMap<std::string> missing;
  /// The prefix of the names of nodes.
  std::string prefix;
  int64_t opset = 0;

  /// Returns the value with this name in this scope or a scope around it, or
  /// null if there is none.
  Value lookUp(StringRef name) const;
  /// Returns the ONNX element type of the value with this name if pop has no
  /// such type, and otherwise 0.
  int32_t lookUpNarrowType(StringRef name) const;
  /// Records that the value `name` of this scope has this ONNX element type.
  void setElementType(StringRef name, int32_t elementType) {
    if (isNarrow(elementType))
      narrowTypes[name] = elementType;
  }
  /// Returns whether this scope itself has a value with this name.
  bool defines(StringRef name) const {
    return initializers.contains(name) || values.contains(name) ||
           failed.contains(name);
  }
};

/// The nodes of a graph that its outputs depend on.
struct SelectedNodes {
  /// The nodes in an order in which each value is defined before its uses.
  std::vector<const proto::NodeProto *> nodes;
  /// The names of the outputs and of all operands of these nodes.
  llvm::StringSet<> values;
};

/// Returns the location of a node in `scope`.
Location getNodeLoc(ImportState &state, const Scope &scope,
                    const proto::NodeProto &node);

/// Returns the nodes that `outputs` depend on. They stay in the given order if
/// each value is defined before its uses. A node also depends on the values
/// that its subgraphs use. Reports an error for a cycle, and for a value that
/// is defined twice.
FailureOr<SelectedNodes> selectNodes(ImportState &state, const Scope &scope,
                                     const NodeList &nodes,
                                     ArrayRef<StringRef> outputs);

/// Returns the nodes that `outputs` depend on, in the given order.
std::vector<const proto::NodeProto *>
getNeededNodes(const NodeList &nodes, ArrayRef<StringRef> outputs);

/// Returns the names of the outputs of `graph`.
SmallVector<StringRef> getOutputNames(const proto::GraphProto &graph);

/// Calls `fn` with each value that `node` or a subgraph of `node` uses, and
/// that the subgraph does not define.
void visitOperands(const proto::NodeProto &node,
                   function_ref<void(StringRef)> fn);

/// Calls `fn` with each subgraph that is an attribute of `node`.
template <typename Fn>
void visitSubgraphs(const proto::NodeProto &node, Fn fn) {
  for (const proto::AttributeProto &attr : node.attribute()) {
    if (attr.has_g())
      fn(attr.g());
    for (const proto::GraphProto &graph : attr.graphs())
      fn(graph);
  }
}

/// Imports nodes into the block of `builder`.
class GraphImporter {
public:
  GraphImporter(ImportState &state, OpBuilder &builder)
      : state(state), builder(builder) {}

  /// Imports nodes in their order. Continues after errors in nodes, and records
  /// the errors in `state.outcome`.
  void importNodes(Scope &scope, const SelectedNodes &selected) {
    for (const proto::NodeProto *node : selected.nodes)
      importNode(scope, *node);
  }

  /// Imports `graph`, a subgraph of `node` with these inputs, and returns its
  /// outputs. The graph may use the values of `outer`. Throws NodeFailure after
  /// an error.
  SmallVector<Value> importGraph(const Scope &outer, Node &node,
                                 const proto::GraphProto &graph,
                                 ValueRange inputs);

  /// Returns the value of an initializer. If it cannot be read, reports an
  /// error at `loc` and returns null.
  ElementsAttr readInitializer(const proto::TensorProto &tensor, Location loc);

  /// Reports the use of a value that no node defines.
  void reportUndefined(const Scope &scope, Location loc, const Twine &user,
                       StringRef value);

private:
  void importNode(Scope &scope, const proto::NodeProto &proto);
  void importSupported(Scope &scope, Node &node);
  bool getOperands(Scope &scope, const proto::NodeProto &proto,
                   const std::string &name, SmallVectorImpl<Value> &operands,
                   SmallVectorImpl<int32_t> &narrowTypes);
  bool isSupported(const proto::NodeProto &node, int64_t opset) const;
  void reportUnsupported(const Scope &scope, const proto::NodeProto &node);
  void callHandler(const OpEntry &entry, Node &node);
  bool getSchemaFunction(Node &node, proto::FunctionProto &function);
  void expandFunction(Scope &scope, Node &node,
                      const proto::FunctionProto &function);
  const proto::FunctionProto *findFunction(const proto::NodeProto &node) const;

  ImportState &state;
  OpBuilder &builder;
};

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_GRAPHIMPORTER_H
