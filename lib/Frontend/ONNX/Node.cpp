//===- Node.cpp - Queries of nodes and the ops built for them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::AttributeProto;

/// The greatest length of a list of integers that an operator requires as a
/// constant.
static constexpr int64_t kMaxConstantInts = 1 << 16;
/// The greatest number of elements of a constant that is folded during the
/// import. The device computes larger ones.
static constexpr int64_t kMaxFoldedElements = 1024;

Node::Node(ImportState &state, OpBuilder &builder, const proto::NodeProto &node,
           std::string name, int64_t opset, SmallVector<Value> inputs,
           SmallVector<int32_t> narrowTypes)
    : PopBuilder(builder,
                 NameLoc::get(builder.getStringAttr(name),
                              getFileLoc(state.fileName, state.context))),
      state(state), node(node), name(std::move(name)), opset(opset),
      inputs(std::move(inputs)), narrowTypes(std::move(narrowTypes)),
      results(node.output_size()) {}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

std::string ipu::onnx::quote(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << '\'' << type << '\'';
  return text;
}

void Node::fail(const Twine &message) {
  state.report(ImportOutcome::Invalid, getLoc())
      << "ONNX node '" << name << "' (" << getOpType() << "): " << message;
  throw NodeFailure();
}

void Node::unsupported(const Twine &message, StringRef kind) {
  std::string reason =
      (" (" + getOpType() + "): unsupported: " + message).str();
  state.reportUnsupported(
      getLoc(), kind.empty() ? reason : (getOpType() + ": " + kind).str(),
      "ONNX node '" + name + "'" + reason);
  throw NodeFailure();
}

void ImportState::reportUnsupported(Location loc, const std::string &kind,
                                    const std::string &message) {
  outcome = std::max(outcome, ImportOutcome::Unsupported);
  auto it = llvm::find_if(unsupported, [&](const UnsupportedKind &other) {
    return other.kind == kind;
  });
  if (it == unsupported.end())
    unsupported.push_back({kind, loc, message});
  else
    ++it->numNodes;
}

void ImportState::emitUnsupported() {
  for (const UnsupportedKind &kind : unsupported) {
    InFlightDiagnostic diag = emitError(kind.loc) << kind.message;
    if (kind.numNodes == 2)
      diag << ", and in 1 other node";
    else if (kind.numNodes > 2)
      diag << ", and in " << kind.numNodes - 1 << " other nodes";
  }
}

std::optional<int64_t> ImportState::getLimit(LimitKind kind, StringRef name) {
  usedLimits[static_cast<int>(kind)].insert(name);
  const std::map<std::string, int64_t> &limits =
      kind == LimitKind::Trips ? options.maxTrips : options.maxSizes;
  auto it = limits.find(name.str());
  return it == limits.end() ? std::nullopt : std::optional(it->second);
}

void ImportState::warnOfUnusedLimits() {
  auto warn = [&](LimitKind kind, const std::map<std::string, int64_t> &limits,
                  StringRef message) {
    for (const auto &[name, limit] : limits)
      if (!usedLimits[static_cast<int>(kind)].contains(name))
        emitWarning(getFileLoc(fileName, context))
            << message << " '" << name << "'";
  };
  warn(LimitKind::Trips, options.maxTrips,
       "the ONNX model has no Loop with the name");
  warn(LimitKind::Size, options.maxSizes,
       "the ONNX model has no node with a result of unknown size and the name");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value Node::getInput(size_t i) {
  if (!hasInput(i))
    fail("expects input " + Twine(i) + " but got none");
  return inputs[i];
}

SmallVector<Value> Node::getAllInputs() {
  SmallVector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i)
    values.push_back(getInput(i));
  return values;
}

int32_t Node::getNarrowResultType(size_t i) const {
  if (i > 0 || results.empty() || !results[0])
    return 0;
  if (resultType)
    return isNarrow(*resultType) ? *resultType : 0;
  // Operators such as Reshape return elements of their first operand.
  bool isOfOperand =
      hasInput(0) && getElement(inputs[0]) == getElement(results[0]);
  return isOfOperand ? getNarrowType(0) : 0;
}

DenseElementsAttr Node::getConstant(size_t i) {
  DenseElementsAttr value;
  if (matchPattern(getInput(i), m_Constant(&value)))
    return value;
  if (DenseElementsAttr initial = state.parameters.getInitial(getInput(i))) {
    keepConstant(i);
    return initial;
  }
  std::string hint = requestConstant(i, "shapes depend on its value");
  unsupported("input " + Twine(i) + " ('" + node.input(i) +
                  "') is not a constant" + hint,
              "not a constant" + hint);
}

std::string Node::requestConstant(size_t i, const std::string &reason) {
  SmallVector<StringRef> openInputs;
  if (state.parameters.makeConstant(getInput(i), reason, openInputs))
    throw NodeFailure();
  if (openInputs.empty())
    return "";
  return "; it depends on the input" +
         std::string(openInputs.size() > 1 ? "s" : "") + " '" +
         llvm::join(openInputs, "', '") +
         "': give each a value, as in --constant " + openInputs.front().str() +
         "=VALUE";
}

DenseElementsAttr Node::findConstant(size_t i) {
  DenseElementsAttr value;
  if (matchPattern(getInput(i), m_Constant(&value)))
    return value;
  keepConstant(i);
  return state.parameters.getInitial(getInput(i));
}

void Node::setNext(size_t i, Value next) {
  Value parameter = getInput(i);
  if (state.parameters.contains(parameter) &&
      next.getParentRegion() != parameter.getParentRegion())
    unsupported("new statistics in a loop, or in a branch of an If whose "
                "condition is not a constant");
  state.parameters.setNext(parameter, next);
}

void Node::keepConstant(size_t i) {
  if (hasInput(i))
    state.parameters.makeConstantUnlessInput(inputs[i]);
}

SmallVector<int64_t> Node::getConstantInts(size_t i) {
  DenseElementsAttr value = getConstant(i);
  auto type = dyn_cast<IntegerType>(value.getElementType());
  if (!type || type.getWidth() == 1 || value.getType().getRank() > 1)
    fail("expects input " + Twine(i) + " ('" + node.input(i) +
         "') to be integers of rank 0 or 1 but got " + quote(value.getType()));
  if (value.getNumElements() > kMaxConstantInts)
    unsupported("input " + Twine(i) + " has more than " +
                Twine(kMaxConstantInts) + " elements");
  SmallVector<int64_t> ints;
  for (const APInt &element : value.getValues<APInt>())
    ints.push_back(type.isUnsigned() && type.getWidth() < 64
                       ? static_cast<int64_t>(element.getZExtValue())
                       : element.getSExtValue());
  return ints;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

bool Node::hasAttr(StringRef name) const {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attr) {
    return attr.name() == name;
  });
}

const AttributeProto *Node::findAttr(StringRef name,
                                     AttributeProto::AttributeType type) {
  for (const AttributeProto &attr : node.attribute()) {
    if (attr.name() != name)
      continue;
    if (!attr.ref_attr_name().empty())
      fail("attribute '" + name + "' refers to '" + attr.ref_attr_name() +
           "' of a function but is not in one");
    if (attr.type() == type)
      return &attr;
    // In the text form, the type of an empty list is not known.
    fail("expects attribute '" + name + "' of type " +
         proto::AttributeProto_AttributeType_Name(type) + " but got " +
         (proto::AttributeProto_AttributeType_IsValid(attr.type())
              ? proto::AttributeProto_AttributeType_Name(attr.type())
              : "none"));
  }
  return nullptr;
}

int64_t Node::getInt(StringRef name, int64_t defaultValue) {
  const AttributeProto *attr = findAttr(name, AttributeProto::INT);
  return attr ? attr->i() : defaultValue;
}

int64_t Node::getInt(StringRef name) {
  if (!hasAttr(name))
    fail("expects attribute '" + name + "' but got none");
  return getInt(name, 0);
}

int32_t Node::getElementTypeNumber(StringRef name, int64_t defaultValue) {
  int64_t number = getInt(name, defaultValue);
  require(isElementType(number), "expects attribute '" + name +
                                     "' to be the number of a type but got " +
                                     Twine(number));
  return static_cast<int32_t>(number);
}

float Node::getFloat(StringRef name, float defaultValue) {
  const AttributeProto *attr = findAttr(name, AttributeProto::FLOAT);
  return attr ? attr->f() : defaultValue;
}

std::string Node::getString(StringRef name, StringRef defaultValue) {
  const AttributeProto *attr = findAttr(name, AttributeProto::STRING);
  return attr ? attr->s() : defaultValue.str();
}

std::optional<SmallVector<int64_t>> Node::getOptionalInts(StringRef name) {
  const AttributeProto *attr = findAttr(name, AttributeProto::INTS);
  if (!attr)
    return std::nullopt;
  return SmallVector<int64_t>(attr->ints().begin(), attr->ints().end());
}

SmallVector<float> Node::getFloats(StringRef name) {
  const AttributeProto *attr = findAttr(name, AttributeProto::FLOATS);
  return attr ? SmallVector<float>(attr->floats().begin(), attr->floats().end())
              : SmallVector<float>();
}

SmallVector<std::string> Node::getStrings(StringRef name) {
  const AttributeProto *attr = findAttr(name, AttributeProto::STRINGS);
  return attr ? SmallVector<std::string>(attr->strings().begin(),
                                         attr->strings().end())
              : SmallVector<std::string>();
}

SmallVector<int64_t> Node::getInts(StringRef name) {
  std::optional<SmallVector<int64_t>> ints = getOptionalInts(name);
  if (!ints)
    fail("expects attribute '" + name + "' but got none");
  return *ints;
}

SmallVector<int64_t> Node::getInts(StringRef name, size_t count,
                                   int64_t defaultValue) {
  SmallVector<int64_t> ints =
      getOptionalInts(name).value_or(SmallVector<int64_t>(count, defaultValue));
  if (ints.size() != count)
    fail("expects " + Twine(count) + " values in attribute '" + name +
         "' but got " + Twine(ints.size()));
  return ints;
}

ElementsAttr Node::getTensorValue(const proto::TensorProto &tensor) {
  TensorError error;
  ElementsAttr value =
      getTensor(tensor, &state.files, state.context, /*dense=*/false, error);
  if (!error.warning.empty())
    mlir::emitWarning(getLoc())
        << "ONNX node '" << name << "': " << error.warning;
  if (!value && error.isUnsupported)
    unsupported(error.message);
  if (!value)
    fail(error.message);
  return value;
}

const proto::GraphProto &Node::getGraph(StringRef name) {
  const AttributeProto *attr = findAttr(name, AttributeProto::GRAPH);
  require(attr, "expects attribute '" + name + "' but got none");
  return attr->g();
}

std::optional<SmallVector<int64_t>>
Node::getIntsOrInput(StringRef name, size_t i, int64_t inputOpset) {
  if (opset < inputOpset) {
    require(!hasInput(i), "expects at most " + Twine(i) + " inputs in opset " +
                              Twine(opset) + " but got " +
                              Twine(inputs.size()));
    return getOptionalInts(name);
  }
  if (hasAttr(name))
    fail("expects '" + name + "' to be an input in opset " + Twine(opset) +
         " but got an attribute");
  if (!hasInput(i))
    return std::nullopt;
  return getConstantInts(i);
}

int64_t Node::normalizeAxis(int64_t axis, int64_t rank, bool orEnd) {
  int64_t last = orEnd ? rank : rank - 1;
  if (rank == 0 && !orEnd)
    fail("expects an operand of rank 1 or more, which has axis " + Twine(axis) +
         ", but got a scalar");
  if (axis < -rank || axis > last)
    fail("expects an axis between " + Twine(-rank) + " and " + Twine(last) +
         " but got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

SmallVector<int64_t> Node::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> normalized;
  for (int64_t axis : axes)
    normalized.push_back(normalizeAxis(axis, rank));
  llvm::sort(normalized);
  if (llvm::adjacent_find(normalized) != normalized.end())
    fail("expects distinct axes but got axis " +
         Twine(*llvm::adjacent_find(normalized)) + " twice");
  return normalized;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Sets the result type of the op, and verifies the op before it is used.
/// Infers the result type if `type` is null.
LogicalResult Node::inferAndVerify(Operation *op, Type type) {
  if (!type) {
    std::optional<RegisteredOperationName> info = op->getRegisteredInfo();
    auto *infer = info ? info->getInterface<InferTypeOpInterface>() : nullptr;
    assert(infer && "the op needs an explicit type");
    SmallVector<Type> types;
    if (failed(infer->inferReturnTypes(
            state.context, getLoc(), op->getOperands(),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    type = types.front();
  }
  op->getResult(0).setType(type);
  return verify(op);
}

void Node::requireValid(Operation *op, function_ref<LogicalResult()> check) {
  std::string message;
  {
    ScopedDiagnosticHandler handler(state.context, [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
        message = diag.str();
      return success();
    });
    if (failed(check()) && message.empty())
      message = ("cannot build '" + op->getName().getStringRef() + "'").str();
  }
  if (message.empty())
    return;
  op->erase();
  fail(message);
}

SmallVector<Value> Node::createAll(StringRef opName, ValueRange operands,
                                   ArrayRef<NamedAttribute> attrs,
                                   TypeRange types) {
  OperationState opState(getLoc(), opName, operands, types, attrs);
  Operation *op = OpBuilder::create(opState);
  requireValid(op, [&] { return verify(op); });
  return llvm::to_vector_of<Value>(op->getResults());
}

Value Node::create(StringRef opName, ValueRange operands,
                   ArrayRef<NamedAttribute> attrs, Type type) {
  OperationState opState(getLoc(), opName, operands, type, attrs);
  return buildOp(opState);
}

/// Concatenates constants along `axis`. Returns null unless all values are
/// small constants.
static DenseElementsAttr joinConstants(ValueRange values, int64_t axis) {
  SmallVector<DenseElementsAttr> parts(values.size());
  int64_t count = 0, size = 0;
  for (auto [value, part] : llvm::zip_equal(values, parts)) {
    if (!matchPattern(value, m_Constant(&part)))
      return {};
    count += part.getNumElements();
    size += getDim(value, axis);
  }
  if (count == 0 || count > kMaxFoldedElements)
    return {};
  // For each position in the dimensions before the axis, each part contributes
  // a run of elements.
  SmallVector<int64_t> shape(getShape(values.front()));
  shape[axis] = size;
  int64_t outer = getProduct(ArrayRef(shape).take_front(axis));
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < outer; ++i)
    for (DenseElementsAttr part : parts) {
      int64_t run = part.getNumElements() / outer;
      auto first = part.value_begin<Attribute>() + i * run;
      elements.append(first, first + run);
    }
  return DenseElementsAttr::get(
      RankedTensorType::get(shape, getElement(values.front())), elements);
}

/// Reduces all elements of `x` if it is a small constant of integers, such as a
/// shape. Otherwise returns std::nullopt.
static std::optional<APInt> reduceConstant(pop::ReduceKind kind, Value x) {
  DenseElementsAttr value;
  auto type = dyn_cast<IntegerType>(getElement(x));
  if (!type || type.getWidth() == 1 || !matchPattern(x, m_Constant(&value)) ||
      value.getNumElements() == 0 ||
      value.getNumElements() > kMaxFoldedElements)
    return std::nullopt;
  auto isLess = [&](const APInt &a, const APInt &b) {
    return type.isUnsigned() ? a.ult(b) : a.slt(b);
  };
  std::optional<APInt> result;
  for (const APInt &element : value.getValues<APInt>()) {
    if (!result)
      result = element;
    else if (kind == pop::ReduceKind::Sum)
      *result += element;
    else if (kind == pop::ReduceKind::Prod)
      *result *= element;
    else if (isLess(element, *result) == (kind == pop::ReduceKind::Min))
      result = element;
  }
  return result;
}

/// Returns the result of `op` for the finite operand `x`, or null.
static Attribute mapFloat(Operation *op, const APFloat &x, Type resultType) {
  APFloat value = x;
  if (isa<pop::CeilOp>(op))
    value.roundToIntegral(APFloat::rmTowardPositive);
  else if (isa<pop::FloorOp>(op))
    value.roundToIntegral(APFloat::rmTowardNegative);
  else if (isa<pop::ReluOp>(op) && value.isNegative())
    value = APFloat::getZero(value.getSemantics());
  auto type = dyn_cast<IntegerType>(resultType);
  if (!type)
    return FloatAttr::get(resultType, value);
  if (type.getWidth() == 1)
    return BoolAttr::get(op->getContext(), !value.isZero());
  llvm::APSInt integer(type.getWidth(), type.isUnsigned());
  bool isExact;
  if (value.convertToInteger(integer, APFloat::rmTowardZero, &isExact) &
      APFloat::opInvalidOp)
    return {};
  return IntegerAttr::get(type, integer);
}

/// Returns the value of `op` if it rounds a small constant of floats, such as a
/// size that a model computes from a scale. Otherwise returns null.
static DenseElementsAttr foldRounding(Operation *op) {
  DenseElementsAttr operand;
  if (!isa<pop::CeilOp, pop::FloorOp, pop::ReluOp, pop::CastOp>(op) ||
      !matchPattern(op->getOperand(0), m_Constant(&operand)) ||
      !isa<FloatType>(operand.getElementType()) ||
      operand.getNumElements() == 0 ||
      operand.getNumElements() > kMaxFoldedElements)
    return {};
  Type type = getElement(op->getResult(0));
  if (isa<pop::CastOp>(op) && isa<FloatType>(type))
    return {};
  SmallVector<Attribute> elements;
  for (const APFloat &value : operand.getValues<APFloat>()) {
    if (!value.isFinite())
      return {};
    elements.push_back(mapFloat(op, value, type));
    if (!elements.back())
      return {};
  }
  return DenseElementsAttr::get(getTensorType(op->getResult(0)), elements);
}

/// Returns the value of `op` if its operands are constants of integers, such as
/// shapes, that models often concatenate or reduce. Otherwise returns null.
static DenseElementsAttr foldShape(Operation *op) {
  if (DenseElementsAttr value = foldRounding(op))
    return value;
  if (auto concat = dyn_cast<pop::ConcatOp>(op))
    return joinConstants(concat.getInputs(), concat.getAxis());
  auto reduction = dyn_cast<pop::ReduceOp>(op);
  if (!reduction || reduction.getType().getNumElements() != 1)
    return {};
  std::optional<APInt> value =
      reduceConstant(reduction.getKind(), reduction.getInput());
  return value ? DenseElementsAttr::get(reduction.getType(), *value)
               : DenseElementsAttr();
}

Value Node::buildOp(OperationState &opState) {
  // The inferred type replaces this type before the op is verified.
  Type type = std::exchange(opState.types.front(), getNoneType());
  Operation *op = OpBuilder::create(opState);
  requireValid(op, [&] { return inferAndVerify(op, type); });

  if (DenseElementsAttr value = foldShape(op)) {
    op->erase();
    return constant(value);
  }
  SmallVector<Value> folded;
  if (failed(tryFold(op, folded)) || folded.empty())
    return op->getResult(0);
  op->erase();
  return folded.front();
}

Value Node::splat(double value, Type elementType, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, elementType);
  if (type.getNumElements() == 0)
    return constant(DenseElementsAttr::get(type, ArrayRef<Attribute>()));
  return PopBuilder::splat(value, elementType, shape);
}

//===----------------------------------------------------------------------===//
// Helpers of handlers
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ipu::onnx::getAxesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t i = first; i < rank; ++i)
    axes.push_back(i);
  return axes;
}

Value ipu::onnx::buildWide(Node &node, Value x,
                           function_ref<Value(Value)> build) {
  return node.cast(build(node.widen(x)), getElement(x));
}

void ipu::onnx::failRunIf(Node &node, Value condition) {
  pop::ExpectEqOp::create(
      node, node.getLoc(), condition,
      DenseElementsAttr::get(getTensorType(condition), false));
}

Value ipu::onnx::onLastDims(Node &node, Value x, int64_t axis,
                            function_ref<Value(Value, int64_t axis)> fn) {
  SmallVector<int64_t> shape(getShape(x));
  axis = node.normalizeAxis(axis, getRank(x), /*orEnd=*/true);
  auto dims = ArrayRef<int64_t>(shape);
  Value matrix = node.reshape(x, {getProduct(dims.take_front(axis)),
                                  getProduct(dims.drop_front(axis))});
  return node.reshape(fn(matrix, 1), shape);
}
