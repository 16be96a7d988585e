//===- Importer.h - Nodes and their handlers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler converts one ONNX node to pop ops. Handlers do not check for
// failures: a function that finds an error in a node reports it and throws
// NodeFailure, which the importer of the graph catches. No exception passes
// through a function of MLIR or leaves this library.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H

#include "Parameters.h"
#include "Proto.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

namespace mlir::ipu::onnx {

class Node;
class RandomWeights;

/// The numbers that a user states for nodes of a model, by the names of the
/// nodes.
enum class LimitKind {
  /// The greatest numbers of iterations of loops.
  Trips,
  /// The greatest sizes of results.
  Size,
};

/// The state of the import of one model, which all its nodes share.
struct ImportState {
  MLIRContext *context;
  std::string fileName;
  ExternalFiles files;
  const proto::ModelProto &model;
  const ImportOptions &options;
  Parameters parameters;
  /// Null unless weights without a value get random ones.
  RandomWeights *randomWeights = nullptr;
  /// The functions of the model, by the result of getFunctionKey().
  llvm::StringMap<const proto::FunctionProto *> functions = {};
  ImportOutcome outcome = ImportOutcome::Success;
  /// The number of imported nodes, including nodes in functions.
  int64_t numNodes = 0;
  /// The functions that are being expanded.
  SmallVector<std::string> activeFunctions = {};
  /// The nodes that are not supported for one reason, with the location and the
  /// message of the first one.
  struct UnsupportedKind {
    std::string kind;
    Location loc;
    std::string message;
    int64_t numNodes = 1;
  };
  std::vector<UnsupportedKind> unsupported = {};
  /// The names for which getLimit() has been called, by kind.
  llvm::StringSet<> usedLimits[2] = {};
  /// The functions whose unsupported nodes have been reported.
  llvm::SmallPtrSet<const proto::FunctionProto *, 4> reportedFunctions = {};

  /// Starts an error at `loc`. If `newOutcome` is worse than the current
  /// outcome of the import, it becomes the outcome.
  InFlightDiagnostic report(ImportOutcome newOutcome, Location loc) {
    outcome = std::max(outcome, newOutcome);
    return emitError(loc);
  }

  /// Records that a node is not supported. All nodes of one `kind` become one
  /// error, which has the location and the message of the first one.
  void reportUnsupported(Location loc, const std::string &kind,
                         const std::string &message);
  /// Emits the errors of reportUnsupported().
  void emitUnsupported();

  /// Returns the limit that the user states for the node `name`.
  std::optional<int64_t> getLimit(LimitKind kind, StringRef name);
  /// Warns of limits that no node uses.
  void warnOfUnusedLimits();
};

/// An exception that is thrown if a node cannot be imported, after the
/// diagnostic.
struct NodeFailure {};

/// An ONNX operator that the importer supports.
struct OpEntry {
  StringLiteral name;
  /// The lowest opset that the handler supports.
  int64_t firstOpset;
  int minInputs;
  /// The greatest number of operands; -1 means any number.
  int maxInputs;
  int maxOutputs;
  void (*handler)(Node &);
  /// Notes for users about the import of the operator, in Markdown.
  /// docs/frontends/onnx.md has these notes.
  StringLiteral notes = "";
  /// The attributes that the schemas of the ONNX library do not list, separated
  /// by blanks. The library has no schema of another domain.
  StringLiteral attributes = "";
};

ArrayRef<OpEntry> getActivationOps();
ArrayRef<OpEntry> getAttentionOps();
ArrayRef<OpEntry> getCastOps();
ArrayRef<OpEntry> getConstantOps();
ArrayRef<OpEntry> getContractionOps();
ArrayRef<OpEntry> getControlFlowOps();
ArrayRef<OpEntry> getDataSizeOps();
ArrayRef<OpEntry> getEinsumOps();
ArrayRef<OpEntry> getElementwiseOps();
ArrayRef<OpEntry> getIndexingOps();
ArrayRef<OpEntry> getLinearAlgebraOps();
ArrayRef<OpEntry> getLoopOps();
ArrayRef<OpEntry> getLossOps();
ArrayRef<OpEntry> getNormalizationOps();
ArrayRef<OpEntry> getOrderingOps();
ArrayRef<OpEntry> getPoolingOps();
ArrayRef<OpEntry> getQuantizationOps();
ArrayRef<OpEntry> getRandomOps();
ArrayRef<OpEntry> getRecurrentOps();
ArrayRef<OpEntry> getReductionOps();
ArrayRef<OpEntry> getResizeOps();
ArrayRef<OpEntry> getSamplingOps();
ArrayRef<OpEntry> getScatterOps();
ArrayRef<OpEntry> getSelectionOps();
ArrayRef<OpEntry> getShapeOps();
ArrayRef<OpEntry> getSignalOps();
ArrayRef<OpEntry> getUnpoolingOps();

/// The domain of the operators that ONNX Runtime adds to those of ONNX.
constexpr StringLiteral kMicrosoftDomain = "com.microsoft";
ArrayRef<OpEntry> getMicrosoftAttentionOps();
ArrayRef<OpEntry> getMicrosoftOps();
ArrayRef<OpEntry> getMicrosoftQuantizationOps();

/// Returns whether `domain` is the ONNX domain.
inline bool isDefaultDomain(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// Returns the entry for the operator of `node`, for any opset, or null if
/// there is none.
const OpEntry *lookUpOp(const proto::NodeProto &node);

/// A node during its import: its operands, attributes and diagnostics, and the
/// builder of its ops. Every function may throw NodeFailure: errors of type
/// inference and of the verifier become errors of this node. Ops are folded
/// when they are built.
class Node : public pop::PopBuilder {
public:
  Node(ImportState &state, OpBuilder &builder, const proto::NodeProto &node,
       std::string name, int64_t opset, SmallVector<Value> inputs,
       SmallVector<int32_t> narrowTypes);

  //===--------------------------------------------------------------------===//
  // Facts
  //===--------------------------------------------------------------------===//

  const proto::NodeProto &getProto() const { return node; }
  StringRef getOpType() const { return node.op_type(); }
  StringRef getName() const { return name; }
  int64_t getOpset() const { return opset; }
  ImportState &getState() { return state; }

  [[noreturn]] void fail(const Twine &message);
  /// Reports that the node is not supported. Nodes of one type with one `kind`
  /// are reported together; by default, the kind is the message.
  [[noreturn]] void unsupported(const Twine &message, StringRef kind = "");
  void require(bool condition, const Twine &message) {
    if (!condition)
      fail(message);
  }

  //===--------------------------------------------------------------------===//
  // Operands and results
  //===--------------------------------------------------------------------===//

  size_t getNumInputs() const { return inputs.size(); }
  bool hasInput(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// Returns operand `i`. Fails if the node does not have this operand.
  Value getInput(size_t i);
  /// Returns operand `i`, or null if the node does not have this operand.
  Value getOptionalInput(size_t i) const {
    return hasInput(i) ? inputs[i] : Value();
  }
  SmallVector<Value> getAllInputs();
  /// Returns the ONNX element type of operand `i` if pop has no such type, so
  /// that a wider type holds the elements. Otherwise returns 0.
  int32_t getNarrowType(size_t i) const {
    return i < narrowTypes.size() ? narrowTypes[i] : 0;
  }

  /// Returns the value of operand `i`. Fails if this is not a constant whose
  /// value is already known.
  DenseElementsAttr getConstant(size_t i);
  /// Requires that operand `i` is a constant, for this reason. If it can become
  /// one, throws NodeFailure, and the model is imported again. Otherwise
  /// returns a text for the error message, which starts with "; " and names the
  /// inputs that the operand depends on. The text is empty if there are no such
  /// inputs.
  std::string requestConstant(size_t i, const std::string &reason);
  /// Returns the value of operand `i`, or null if it is not a constant. This
  /// call does not make a parameter a constant. Therefore a handler must build
  /// correct ops also if it gets null.
  DenseElementsAttr findConstant(size_t i);
  /// Records that the value of operand `i`, if the operand exists, must be
  /// known during the import. The operand therefore cannot be a parameter.
  void keepConstant(size_t i);
  SmallVector<int64_t> getConstantInts(size_t i);

  size_t getNumOutputs() const { return results.size(); }
  /// Returns whether result `i` may have uses.
  bool hasOutput(size_t i) const {
    return i < results.size() && !node.output(i).empty();
  }
  void setResult(size_t i, Value value) {
    if (i < results.size())
      results[i] = value;
  }
  void setResult(Value value) { setResult(0, value); }
  /// Sets the ONNX element type of result 0. By default, it is that of operand
  /// 0 if both have the same type in pop.
  void setResultType(int32_t elementType) { resultType = elementType; }
  /// Returns the ONNX element type of result `i` if pop has no such type, and
  /// otherwise 0.
  int32_t getNarrowResultType(size_t i) const;
  /// Records that operand `i`, if it is a parameter, has the value `next` at
  /// the end of the program.
  void setNext(size_t i, Value next);
  ArrayRef<Value> getResults() const { return results; }

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  /// Returns the attribute with this name, or null if there is none. Fails if
  /// the attribute does not have type `type`.
  const proto::AttributeProto *
  findAttr(StringRef name, proto::AttributeProto::AttributeType type);
  bool hasAttr(StringRef name) const;
  int64_t getInt(StringRef name, int64_t defaultValue);
  int64_t getInt(StringRef name);
  /// Returns the number of an element type that ONNX defines.
  int32_t getElementTypeNumber(StringRef name, int64_t defaultValue);
  float getFloat(StringRef name, float defaultValue);
  std::string getString(StringRef name, StringRef defaultValue);
  std::optional<SmallVector<int64_t>> getOptionalInts(StringRef name);
  /// Returns the elements of an attribute that is a list, or an empty list if
  /// the node does not have the attribute.
  SmallVector<float> getFloats(StringRef name);
  SmallVector<std::string> getStrings(StringRef name);
  SmallVector<int64_t> getInts(StringRef name);
  /// Returns the integers of an attribute that has one integer for each of
  /// `count` dimensions. Without the attribute, all are `defaultValue`.
  SmallVector<int64_t> getInts(StringRef name, size_t count,
                               int64_t defaultValue);
  ElementsAttr getTensorValue(const proto::TensorProto &tensor);
  /// Returns the subgraph that is the attribute `name`.
  const proto::GraphProto &getGraph(StringRef name);

  using GraphImporterFn = std::function<SmallVector<Value>(
      const proto::GraphProto &graph, OpBuilder &builder, ValueRange inputs)>;
  void setGraphImporter(GraphImporterFn fn) { graphImporter = std::move(fn); }
  /// Imports a subgraph of this node, whose inputs are `graphInputs`, at the
  /// position of `graphBuilder`, and returns its outputs. The subgraph may use
  /// the values that the node may use.
  SmallVector<Value> importGraph(const proto::GraphProto &graph,
                                 OpBuilder &graphBuilder,
                                 ValueRange graphInputs = {}) {
    return graphImporter(graph, graphBuilder, graphInputs);
  }

  /// Returns integers that are the attribute `name` before opset `inputOpset`,
  /// and operand `i` from this opset on.
  std::optional<SmallVector<int64_t>> getIntsOrInput(StringRef name, size_t i,
                                                     int64_t inputOpset);

  /// Returns `axis` as an index from 0 to `rank` - 1. A negative axis is
  /// counted from the end. With `orEnd`, the index may also be `rank`.
  int64_t normalizeAxis(int64_t axis, int64_t rank, bool orEnd = false);
  /// Applies normalizeAxis() to each of `axes`, which must be distinct. The
  /// result is sorted.
  SmallVector<int64_t> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  NamedAttribute attr(StringRef name, Attribute value) {
    return getNamedAttr(name, value);
  }
  NamedAttribute attr(StringRef name, ArrayRef<int64_t> values) {
    return attr(name, getDenseI64ArrayAttr(values));
  }
  NamedAttribute attr(StringRef name, int64_t value) {
    return attr(name, getI64IntegerAttr(value));
  }

  /// Builds an op and returns its result, or the value to which the op folds.
  /// If `type` is null, the type of the result is inferred.
  template <typename OpTy>
  Value create(ValueRange operands, ArrayRef<NamedAttribute> attrs = {},
               Type type = {}) {
    return create(OpTy::getOperationName(), operands, attrs, type);
  }

  /// Builds an op with results of these types, and returns all results.
  template <typename OpTy>
  SmallVector<Value> createAll(ValueRange operands,
                               ArrayRef<NamedAttribute> attrs,
                               TypeRange types) {
    return createAll(OpTy::getOperationName(), operands, attrs, types);
  }

  using PopBuilder::splat;
  /// Like the functions of PopBuilder, but the constant of a tensor without
  /// elements has no element either.
  Value splat(double value, Type elementType, ArrayRef<int64_t> shape = {});

private:
  Value buildOp(OperationState &opState) override;
  Value create(StringRef opName, ValueRange operands,
               ArrayRef<NamedAttribute> attrs, Type type);
  SmallVector<Value> createAll(StringRef opName, ValueRange operands,
                               ArrayRef<NamedAttribute> attrs, TypeRange types);
  /// Calls `check`. If it fails, erases the op and throws NodeFailure.
  void requireValid(Operation *op, function_ref<LogicalResult()> check);
  LogicalResult inferAndVerify(Operation *op, Type type);

  ImportState &state;
  const proto::NodeProto &node;
  std::string name;
  int64_t opset;
  SmallVector<Value> inputs;
  SmallVector<int32_t> narrowTypes;
  SmallVector<Value> results;
  std::optional<int32_t> resultType;
  GraphImporterFn graphImporter;
};

/// Returns the value that `choices` has for the string attribute `name`.
template <typename T>
T getChoice(Node &node, StringRef name, StringRef defaultValue,
            ArrayRef<std::pair<StringRef, T>> choices) {
  std::string given = node.getString(name, defaultValue);
  std::string names;
  for (auto [choice, value] : choices) {
    if (given == choice)
      return value;
    names += (names.empty() ? "" : ", ") + choice.str();
  }
  node.fail("expects '" + name + "' to be one of " + names + " but got '" +
            given + "'");
}

inline RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}
inline ArrayRef<int64_t> getShape(Value value) {
  return getTensorType(value).getShape();
}
inline int64_t getRank(Value value) { return getTensorType(value).getRank(); }
inline Type getElement(Value value) {
  return getTensorType(value).getElementType();
}
inline int64_t getDim(Value value, int64_t i) {
  return getTensorType(value).getDimSize(i);
}

/// Returns `type` in quotes, as diagnostics print it.
std::string quote(Type type);

/// Returns the product of dimensions. It is 0 if a dimension is 0, even if the
/// product of the other dimensions overflows.
inline int64_t getProduct(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  if (llvm::is_contained(dims, 0))
    return 0;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

/// Returns the dimensions `first` to `rank` - 1.
SmallVector<int64_t> getAxesFrom(int64_t first, int64_t rank);

/// Calls `build` with the result of PopBuilder::widen, and returns the result
/// in the type of `x`. The result of several ops is thus rounded once.
Value buildWide(Node &node, Value x, function_ref<Value(Value)> build);

/// A tensor whose rows along some axes are multiplied by powers of two.
struct ScaledRows {
  /// The scaled tensor, in its wide type.
  Value value;
  /// The powers, with size 1 along the axes. Null if all powers would be 1.
  Value scale;
};
/// Scales the rows of `x` along `axes`, such that the squares of their greatest
/// elements neither overflow nor underflow. The power is 1 for usual numbers.
ScaledRows scaleRows(Node &node, Value x, ArrayRef<int64_t> axes);

/// Returns the square root of `x`. At 0, its gradient is 0.
Value buildNormRoot(Node &node, Value x);

/// Calls `fn` with `x` reshaped to a matrix and with axis 1, and returns the
/// result in the shape of `x`. The dimensions from `axis` on are merged into
/// dimension 1 of the matrix. Some operators before opset 13 work on all of
/// these dimensions.
Value onLastDims(Node &node, Value x, int64_t axis,
                 function_ref<Value(Value, int64_t axis)> fn);

/// Fails unless indices of `type` are those that ONNX allows.
void requireIndices(Node &node, Type type);

/// Converts negative indices, which count from the end of a dimension with
/// `extent` elements, to non-negative indices.
Value normalizeIndices(Node &node, Value indices, int64_t extent);

/// The last dimension of `indices` has an index for each of some dimensions,
/// whose sizes are `extents`. Returns the indices of the dimension into which
/// these dimensions are merged. If an index is out of range, the result is
/// negative.
Value mergeIndices(Node &node, Value indices, ArrayRef<int64_t> extents);

/// Returns the rows `indices` of dimension `axis`.
Value gatherRows(Node &node, Value x, int64_t axis, ArrayRef<int64_t> indices);
/// Returns the rows `indices` of dimension `axis`. The dimensions of the
/// indices take the place of the axis. Rows that are out of range are 0.
Value gatherAlongAxis(Node &node, Value x, int64_t axis, Value indices);

/// Returns the elements of `x`, and their positions as i32, sorted along
/// `axis`. Of equal elements, the first one comes first.
SmallVector<Value> sortWithPositions(Node &node, Value x, int64_t axis,
                                     pop::SortOrder order);

/// Lets a run fail for which `condition`, one i1, is true.
void failRunIf(Node &node, Value condition);

/// Returns the type that the attribute `name` selects for a computation: a
/// float of 16 bits or more, by default f32.
Type getPrecision(Node &node, StringRef name);

/// Returns `x` in the ONNX type with this number. Unless `saturates` is set, a
/// number that overflows an f8 type becomes infinite or NaN. `roundMode` is the
/// attribute `round_mode` of Cast.
Value castToElementType(Node &node, Value x, int32_t elementType,
                        bool saturates = true, StringRef roundMode = "up");

/// Returns the logarithm of the softmax along `axis`.
Value getLogSoftmax(Node &node, Value x, int64_t axis);

/// Returns the sums of the elements of `x` along `axis` up to each element.
Value getCumulativeSum(Node &node, Value x, int64_t axis);

/// Returns the positions along `axis` of the elements of `x`, as i32 in the
/// shape of `x`.
Value getPositions(Node &node, Value x, int64_t axis);

/// The greatest or least element along an axis, and its index as i32.
struct ExtremePair {
  Value value, index;
};
/// Returns the extreme element along `axis`: of several such elements, the
/// first one or, with `selectLast`, the last one. The dimension is kept.
ExtremePair getExtremePair(Node &node, Value x, int64_t axis, bool isMax,
                           bool selectLast);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H
