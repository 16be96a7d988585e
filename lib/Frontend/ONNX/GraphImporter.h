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

/// Returns whether `domain` is the ONNX domain.
inline bool isDefaultDomain(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// Returns the key of a function: its domain and name.
inline std::string getFunctionKey(StringRef domain, StringRef name) {
  return ((isDefaultDomain(domain) ? "" : domain) + "." + name).str();
}

/// The names of values inside one graph or function.
struct Scope {
  llvm::StringMap<Value> values;
  /// Values that are not available because of an error that has been reported.
  llvm::StringSet<> failed;
  /// Outputs that the importer does not compute, with the error message for
  /// their uses.
  llvm::StringMap<std::string> missing;
  /// The prefix of the names of nodes.
  std::string prefix;
  int64_t opset = 0;
};

/// Returns the nodes in an order in which each value is defined before its
/// uses. This is the given order if it has this property. Reports an error for
/// a cycle, and for a value that is defined twice.
FailureOr<std::vector<const proto::NodeProto *>>
sortNodes(ImportState &state, const Scope &scope, const NodeList &nodes);

/// Imports nodes into the block of `builder`.
class GraphImporter {
public:
  GraphImporter(ImportState &state, OpBuilder &builder)
      : state(state), builder(builder) {}

  /// Imports `nodes` in an order in which values are defined before their uses.
  /// Continues after errors in nodes, and records the errors in
  /// `state.outcome`.
  LogicalResult importNodes(Scope &scope, const NodeList &nodes);

  /// Reports the use of a value that no node defines.
  void reportUndefined(const Scope &scope, Location loc, const Twine &user,
                       StringRef value);

private:
  void importNode(Scope &scope, const proto::NodeProto &proto);
  void importSupported(Scope &scope, Node &node);
  bool getOperands(Scope &scope, const proto::NodeProto &proto,
                   const std::string &name, SmallVectorImpl<Value> &operands);
  bool checkSupported(const Scope &scope, const proto::NodeProto &proto,
                      const std::string &name);
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
