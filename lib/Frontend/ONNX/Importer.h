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
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ipu::onnx {

class Node;

/// What the whole import shares.
struct ImportState {
  MLIRContext *context;
  std::string fileName;
  /// Where external data are.
  std::string directory;
  const proto::ModelProto &model;
  const ImportOptions &options;
  Parameters parameters;
  /// The model's functions, by what getFunctionKey() gives.
  llvm::StringMap<const proto::FunctionProto *> functions = {};
  ImportOutcome outcome = ImportOutcome::Success;
  /// Nodes imported so far, those in functions included.
  int64_t numNodes = 0;
  /// Functions that are being expanded.
  SmallVector<std::string> activeFunctions = {};

  /// Starts an error that makes `newOutcome`, if worse, that of the import.
  InFlightDiagnostic report(ImportOutcome newOutcome, Location loc) {
    outcome = std::max(outcome, newOutcome);
    return emitError(loc);
  }
};

/// Thrown when a node cannot be imported, after the diagnostic.
struct NodeFailure {};

/// How one ONNX operator is imported.
struct OpEntry {
  StringLiteral name;
  /// The lowest opset that the handler is right for.
  int64_t firstOpset;
  int minInputs;
  /// -1: any number.
  int maxInputs;
  int maxOutputs;
  void (*handler)(Node &);
};

ArrayRef<OpEntry> getActivationOps();
ArrayRef<OpEntry> getConstantOps();
ArrayRef<OpEntry> getContractionOps();
ArrayRef<OpEntry> getElementwiseOps();
ArrayRef<OpEntry> getIndexingOps();
ArrayRef<OpEntry> getLossOps();
ArrayRef<OpEntry> getNormalizationOps();
ArrayRef<OpEntry> getPoolingOps();
ArrayRef<OpEntry> getRandomOps();
ArrayRef<OpEntry> getReductionOps();
ArrayRef<OpEntry> getShapeOps();

/// The entry for an operator of ONNX's own domain, whatever its opset; null if
/// there is none.
const OpEntry *lookUpOp(StringRef name);

/// A node while it is imported: its operands, attributes and diagnostics, and
/// the ops that are built for it. Every function may throw NodeFailure.
class Node {
public:
  Node(ImportState &state, OpBuilder &builder, const proto::NodeProto &node,
       std::string name, int64_t opset, SmallVector<Value> inputs);

  //===--------------------------------------------------------------------===//
  // Facts
  //===--------------------------------------------------------------------===//

  const proto::NodeProto &getProto() const { return node; }
  StringRef getOpType() const { return node.op_type(); }
  StringRef getName() const { return name; }
  int64_t getOpset() const { return opset; }
  Location getLoc() const { return loc; }
  MLIRContext *getContext() const { return state.context; }
  ImportState &getState() { return state; }

  [[noreturn]] void fail(const Twine &message);
  [[noreturn]] void unsupported(const Twine &message);
  void require(bool condition, const Twine &message) {
    if (!condition)
      fail(message);
  }

  //===--------------------------------------------------------------------===//
  // Operands and results
  //===--------------------------------------------------------------------===//

  size_t getNumInputs() const { return inputs.size(); }
  bool hasInput(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// Operand `i`, which must be there.
  Value getInput(size_t i);
  /// Operand `i` or null.
  Value getOptionalInput(size_t i) const {
    return hasInput(i) ? inputs[i] : Value();
  }
  SmallVector<Value> getAllInputs();

  /// The value of operand `i`, which must be a constant known by now.
  DenseElementsAttr getConstant(size_t i);
  /// The same, or null. What a handler makes of an operand depends on whether
  /// it is a constant only if it asks here: a parameter would be none.
  DenseElementsAttr findConstant(size_t i);
  /// Says that operand `i`, if it is there, configures the operator: it is no
  /// parameter.
  void keepConstant(size_t i);
  SmallVector<int64_t> getConstantInts(size_t i);

  size_t getNumOutputs() const { return results.size(); }
  /// Whether result `i` may have uses.
  bool hasOutput(size_t i) const {
    return i < results.size() && !node.output(i).empty();
  }
  void setResult(size_t i, Value value) {
    if (i < results.size())
      results[i] = value;
  }
  void setResult(Value value) { setResult(0, value); }
  /// Says that operand `i`, if it is a parameter, is `next` from now on.
  void setNext(size_t i, Value next) {
    state.parameters.setNext(getInput(i), next);
  }
  ArrayRef<Value> getResults() const { return results; }

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  /// The attribute of this name, which must have `type`, or null.
  const proto::AttributeProto *
  findAttr(StringRef name, proto::AttributeProto::AttributeType type);
  bool hasAttr(StringRef name) const;
  int64_t getInt(StringRef name, int64_t defaultValue);
  int64_t getInt(StringRef name);
  float getFloat(StringRef name, float defaultValue);
  std::string getString(StringRef name, StringRef defaultValue);
  std::optional<SmallVector<int64_t>> getOptionalInts(StringRef name);
  SmallVector<int64_t> getInts(StringRef name);
  /// Ints, one for each of `count` dimensions.
  SmallVector<int64_t> getInts(StringRef name, size_t count,
                               int64_t defaultValue);
  ElementsAttr getTensorValue(const proto::TensorProto &tensor);

  /// The ints that are an attribute in old opsets and input `i` from
  /// `inputOpset` on.
  std::optional<SmallVector<int64_t>> getIntsOrInput(StringRef name, size_t i,
                                                     int64_t inputOpset);

  /// `axis`, counted from the end if negative, as an index below `rank`; with
  /// `orEnd`, `rank` itself is allowed.
  int64_t normalizeAxis(int64_t axis, int64_t rank, bool orEnd = false);
  /// As above, for distinct axes; the result is sorted.
  SmallVector<int64_t> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  Builder &getBuilder() { return builder; }
  NamedAttribute attr(StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  NamedAttribute attr(StringRef name, ArrayRef<int64_t> values) {
    return attr(name, builder.getDenseI64ArrayAttr(values));
  }
  NamedAttribute attr(StringRef name, int64_t value) {
    return attr(name, builder.getI64IntegerAttr(value));
  }

  /// Builds an op, or what it folds to. Without `type`, it is inferred. What
  /// inference and verifier say becomes an error of this node.
  template <typename OpTy>
  Value create(ValueRange operands, ArrayRef<NamedAttribute> attrs = {},
               Type type = {}) {
    return create(OpTy::getOperationName(), operands, attrs, type);
  }

  /// Builds an op with results of these types, and returns all of them.
  template <typename OpTy>
  SmallVector<Value> createAll(ValueRange operands,
                               ArrayRef<NamedAttribute> attrs,
                               TypeRange types) {
    return createAll(OpTy::getOperationName(), operands, attrs, types);
  }

  Value constant(ElementsAttr value);
  /// All elements equal to `value`, which is rounded to the element type.
  Value splat(double value, Type elementType, ArrayRef<int64_t> shape = {});
  Value splatLike(double value, Value like) {
    return splat(value,
                 llvm::cast<RankedTensorType>(like.getType()).getElementType());
  }
  /// `count` numbers 0, 1, ... of an integer type in dimension `axis` of a
  /// tensor of `rank` whose other dimensions are 1.
  Value iota(int64_t count, Type elementType, int64_t axis, int64_t rank);

  Value add(Value a, Value b) { return create<pop::AddOp>({a, b}); }
  Value sub(Value a, Value b) { return create<pop::SubOp>({a, b}); }
  Value mul(Value a, Value b) { return create<pop::MulOp>({a, b}); }
  Value div(Value a, Value b) { return create<pop::DivOp>({a, b}); }
  Value max(Value a, Value b) { return create<pop::MaxOp>({a, b}); }
  Value min(Value a, Value b) { return create<pop::MinOp>({a, b}); }
  Value exp(Value x) { return create<pop::ExpOp>({x}); }
  Value log(Value x) { return create<pop::LogOp>({x}); }
  Value select(Value c, Value a, Value b) {
    return create<pop::SelectOp>({c, a, b});
  }
  Value cast(Value x, Type elementType);
  Value reshape(Value x, ArrayRef<int64_t> shape);
  Value expand(Value x, ArrayRef<int64_t> shape);
  Value transpose(Value x, ArrayRef<int64_t> permutation);
  Value slice(Value x, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> steps);
  /// A slice of one dimension.
  Value slice(Value x, int64_t axis, int64_t start, int64_t size,
              int64_t step = 1);
  Value concat(ValueRange values, int64_t axis);
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
            TypedAttr value = {});
  /// A reduction; one in `accumulator` type does not round a narrow float.
  Value reduce(pop::ReduceKind kind, Value x, ArrayRef<int64_t> axes,
               bool keepDims, Type accumulator = {});
  /// The mean over axes, rounded once.
  Value mean(Value x, ArrayRef<int64_t> axes, bool keepDims);
  Value softmax(Value x, int64_t axis);

private:
  Value create(StringRef opName, ValueRange operands,
               ArrayRef<NamedAttribute> attrs, Type type);
  SmallVector<Value> createAll(StringRef opName, ValueRange operands,
                               ArrayRef<NamedAttribute> attrs, TypeRange types);
  Operation *build(StringRef opName, ValueRange operands,
                   ArrayRef<NamedAttribute> attrs, TypeRange types);
  /// Fails, without the op, unless `check` succeeds.
  void requireValid(Operation *op, function_ref<LogicalResult()> check);
  LogicalResult inferAndVerify(Operation *op, Type type);

  ImportState &state;
  OpBuilder &builder;
  const proto::NodeProto &node;
  std::string name;
  int64_t opset;
  Location loc;
  SmallVector<Value> inputs;
  SmallVector<Value> results;
};

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

/// The product of dimensions, which may contain a zero before an overflow.
inline int64_t getProduct(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  if (llvm::is_contained(dims, 0))
    return 0;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

/// All dimensions from `first` on.
SmallVector<int64_t> getAxesFrom(int64_t first, int64_t rank);

/// The type to compute in where a result of `type` is rounded once: f32 for
/// floats of fewer bits.
Type getWideType(Type type);

/// `axis` on, of an operator whose axis splits the dimensions in two before
/// opset 13: `fn` gets the tensor with these dimensions as the last one.
Value onLastDims(Node &node, Value x, int64_t axis,
                 function_ref<Value(Value, int64_t axis)> fn);

/// The logarithm of the softmax along `axis`.
Value getLogSoftmax(Node &node, Value x, int64_t axis);

/// The index of the first (last) greatest or least element along `axis`, as i64
/// and with that dimension kept.
Value getArgExtreme(Node &node, Value x, int64_t axis, bool isMax,
                    bool selectLast);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_IMPORTER_H
