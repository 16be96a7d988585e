//===- FunctionConverter.cpp - One pop function as steps --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// What to call the steps of an op: its name in the source, else its own.
std::string mlir::ipu::getStepName(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  op->getLoc()->walk([&](Location loc) {
    auto named = dyn_cast<NameLoc>(loc);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name;
}

/// Of a tensor or a ref.
static ShapedType getTensorType(Value value) {
  return cast<ShapedType>(value.getType());
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Only tensors that codelets can hold get through.
static LogicalResult checkType(Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto ref = dyn_cast<pop::RefType>(type))
    tensor = ref.getTensorType();
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !pop::isPopElementType(tensor.getElementType()))
    return emitError(loc) << "expects statically shaped tensors of pop "
                             "element types, without encoding, but got "
                          << type;
  int64_t bytes;
  int64_t elements = 1;
  for (int64_t size : tensor.getShape())
    if (llvm::MulOverflow(elements, size, elements))
      return emitError(loc) << type << " is too large";
  if (llvm::MulOverflow<int64_t>(elements, 8, bytes))
    return emitError(loc) << type << " is too large";
  return success();
}

LogicalResult FunctionConverter::checkTypes() {
  for (BlockArgument argument : function.getArguments())
    if (failed(checkType(argument.getLoc(), argument.getType())))
      return failure();
  WalkResult result = function.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      // Scalars steer control flow, which says what it takes.
      if (!type.isIntOrIndexOrFloat() && failed(checkType(op->getLoc(), type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult FunctionConverter::run(bool isEntry) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a function of one block");
  FunctionType type = function.getFunctionType();
  if (!isEntry && (type.getNumInputs() > 0 || type.getNumResults() > 0))
    return function.emitOpError("expects a graph without arguments and "
                                "results; run pop-lower-calls");
  for (Type passed :
       llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (isa<pop::RefType>(passed))
      return function.emitOpError()
             << "expects tensors as arguments and results of the entry but got "
             << passed;
  if (failed(checkTypes()))
    return failure();
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Operation *> ops = llvm::map_to_vector(
      body.getOperations(), [](Operation &op) { return &op; });
  firstOp = ops.front();
  if (isEntry) {
    createStreams();
    if (failed(convertArguments()))
      return failure();
  }
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    if (failed(convertOp(op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  body.eraseArguments(0, body.getNumArguments());
  function.setType(builder.getFunctionType({}, {}));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  return success();
}

LogicalResult FunctionConverter::convertOp(Operation *op) {
  if (auto codelet = dyn_cast<CodeletOpInterface>(op))
    return convertCodelet(codelet);
  if (auto view = dyn_cast<TileViewOpInterface>(op))
    return convertView(view);
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    return convertMove(move);
  if (std::optional<LogicalResult> result = convertGraphOp(op))
    return *result;
  if (auto expect = dyn_cast<pop::ExpectEqOp>(op))
    return convertExpect(op, expect.getInput(), expect.getExpected(), {}, {});
  if (auto expect = dyn_cast<pop::ExpectCloseOp>(op))
    return convertExpect(op, expect.getInput(), expect.getExpected(),
                         expect.getRtolAttr(), expect.getAtolAttr());
  if (auto returnOp = dyn_cast<func::ReturnOp>(op))
    return convertReturn(returnOp);
  Attribute value;
  if (op->getNumResults() == 1 && matchPattern(op, m_Constant(&value)))
    if (auto elements = dyn_cast<ElementsAttr>(value))
      return convertConstant(op, elements);
  if (isa<DecomposableOpInterface>(op))
    return op->emitOpError(
        "is not in a form that tiles compute; run pop-decompose");
  return op->emitOpError("has no lowering to ipu");
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

/// Creates the stream of an argument or result. It is called `attribute`, the
/// pop.name, or else `fallback`; symbols give it another name if that is taken.
StreamOp FunctionConverter::createStream(Location loc, Attribute attribute,
                                         const Twine &fallback,
                                         StreamDirection direction, Type type) {
  auto given = dyn_cast_or_null<StringAttr>(attribute);
  std::string name =
      given && !given.empty() ? given.getValue().str() : fallback.str();
  OpBuilder moduleBuilder(function);
  auto stream =
      StreamOp::create(moduleBuilder, loc, name, direction,
                       /*replicated=*/false, cast<RankedTensorType>(type));
  state.symbols.insert(stream, Block::iterator(function));
  if (stream.getSymName() != name)
    emitWarning(loc) << "the name '" << name
                     << "' is taken; the host has to say '"
                     << stream.getSymName() << "' for " << fallback;
  return stream;
}

/// The streams of all arguments and results: before codelets, which can have
/// any name.
void FunctionConverter::createStreams() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    inputStreams.push_back(
        createStream(argument.getLoc(),
                     function.getArgAttr(index, pop::PopDialect::kNameAttrName),
                     "arg" + Twine(index), StreamDirection::HostToDevice,
                     argument.getType()));
  }
  Location loc = function.getBody().front().back().getLoc();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    outputStreams.push_back(createStream(
        loc, function.getResultAttr(index, pop::PopDialect::kNameAttrName),
        "result" + Twine(index), StreamDirection::DeviceToHost, type));
}

LogicalResult FunctionConverter::convertArguments() {
  if (function.getNumArguments() > 0)
    SyncOp::create(builder, function.getLoc(), SyncKind::External,
                   StepCostAttr());
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto map =
        function.getArgAttrOfType<MapAttr>(index, IPUDialect::kMapAttrName);
    ShapedType type = getTensorType(argument);
    if (!map || map.getNumElements() != type.getNumElements())
      return function.emitOpError()
             << "expects a map of " << type.getNumElements()
             << " elements on argument " << index << "; run pop-map-tensors";
    Location loc = argument.getLoc();
    StreamOp stream = inputStreams[index];
    VarOp variable = createVariable(loc, stream.getSymName(), type, map);
    setClaim(HostLoadOp::create(builder, loc, stream.getSymName(),
                                variable.getResult(), StepCostAttr()),
             getReplicaEqual(argument));
    storage[argument] =
        TensorStorage::own(variable.getResult(), type.getShape());
  }
  return success();
}

LogicalResult FunctionConverter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> variables;
  for (auto [operand, stream] :
       llvm::zip_equal(op.getOperands(), outputStreams))
    variables.push_back(getWhole(operand, stream.getSymName(), op.getLoc()));
  if (!variables.empty())
    SyncOp::create(builder, op.getLoc(), SyncKind::External, StepCostAttr());
  for (auto [variable, stream] : llvm::zip_equal(variables, outputStreams))
    HostStoreOp::create(builder, op.getLoc(), variable, stream.getSymName(),
                        StepCostAttr());
  func::ReturnOp::create(builder, op.getLoc());
  return success();
}

LogicalResult FunctionConverter::convertExpect(Operation *op, Value input,
                                               ElementsAttr expected,
                                               FloatAttr rtol, FloatAttr atol) {
  ExpectOp::create(builder, op->getLoc(),
                   getWhole(input, getStepName(op), op->getLoc()), expected,
                   rtol, atol);
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

static MemRefType getVariableType(ShapedType type, MapAttr map) {
  return MemRefType::get(type.getShape(),
                         getStorageElementType(type.getElementType()),
                         MemRefLayoutAttrInterface(), map);
}

VarOp FunctionConverter::createVariable(Location loc, const Twine &name,
                                        ShapedType type, MapAttr map) {
  return VarOp::create(builder, loc, getVariableType(type, map), name.str(),
                       /*copies=*/false, ElementsAttr());
}

/// Variables with a value are outside of loops.
VarOp FunctionConverter::createInitialised(Location loc, const Twine &name,
                                           RankedTensorType type, MapAttr map,
                                           ElementsAttr value) {
  OpBuilder::InsertionGuard guard(builder);
  if (builder.getInsertionBlock() != firstOp->getBlock())
    builder.setInsertionPoint(firstOp);
  return VarOp::create(builder, loc, getVariableType(type, map), name.str(),
                       /*copies=*/false, value);
}

/// The function's variable on `storage`.
Value FunctionConverter::getHandle(Location loc, StringRef name,
                                   StorageOp storage) {
  auto [it, isNew] = handles.try_emplace(storage.getSymNameAttr());
  if (isNew) {
    OpBuilder::InsertionGuard guard(builder);
    if (builder.getInsertionBlock() != firstOp->getBlock())
      builder.setInsertionPoint(firstOp);
    it->second =
        VarOp::create(builder, loc, cast<MemRefType>(storage.getType()), name,
                      /*copies=*/false, ElementsAttr(),
                      FlatSymbolRefAttr::get(storage.getSymNameAttr()));
  }
  return it->second;
}

/// The state that `op` draws random bits from.
FailureOr<Value> FunctionConverter::getRng(Operation *op) {
  auto method = op->getAttrOfType<pop::StochasticRoundingMethodAttr>(
      pop::PopDialect::kStochasticRoundingMethodAttrName);
  if (!method)
    return op->emitOpError()
           << "expects attribute '"
           << pop::PopDialect::kStochasticRoundingMethodAttrName
           << "'; run pop-stochastic-rounding";
  StorageOp storage = state.getRngState(op->getLoc(), method.getPartition());
  return getHandle(op->getLoc(), storage.getSymName(), storage);
}

Value FunctionConverter::createView(Location loc, Value variable,
                                    const StridedView &view) {
  auto type = cast<MemRefType>(variable.getType());
  if (view.isContiguous() && type.getShape() == ArrayRef(view.sizes))
    return variable;
  MemRefLayoutAttrInterface layout;
  if (!view.isContiguous())
    layout =
        StridedLayoutAttr::get(builder.getContext(), view.offset, view.strides);
  auto viewType = MemRefType::get(view.sizes, type.getElementType(), layout,
                                  type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, viewType, variable, view.offset, view.sizes,
      view.isContiguous() ? computeStrides(view.sizes) : view.strides);
}

Value FunctionConverter::createView(Location loc, const TensorStorage &tensor) {
  return createView(loc, tensor.root, tensor.view);
}

MapAttr FunctionConverter::getDefaultMap(ShapedType type) {
  return getLinearMap(builder.getContext(), target, type.getNumElements(),
                      type.getElementType());
}

FailureOr<MapAttr> FunctionConverter::getMapOf(Operation *op) {
  if (auto map = op->getAttrOfType<MapAttr>(IPUDialect::kMapAttrName))
    return map;
  return op->emitOpError("expects a map; run pop-map-tensors");
}

void FunctionConverter::createSync(Location loc) {
  SyncOp::create(builder, loc,
                 target.ipus > 1 ? SyncKind::IPUs : SyncKind::Internal,
                 StepCostAttr());
}

void FunctionConverter::createCopy(Location loc, StringRef name,
                                   const TensorStorage &from, Value to,
                                   pop::ReplicaPartitionAttr claim) {
  Value view = createView(loc, from);
  createSync(loc);
  auto exchange = ExchangeOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  setClaim(MoveOp::create(inner, loc, view, to), claim);
}

void FunctionConverter::createFill(Location loc, StringRef name, VarOp variable,
                                   TypedAttr value,
                                   pop::ReplicaPartitionAttr claim) {
  MapAttr map = getMap(variable.getResult().getType());
  CodeletOp codelet =
      state.codelets.getOrCreateFill(loc, value, map.getDomain().size());
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  setClaim(VerticesOp::create(inner, loc, codelet.getSymName(), ValueRange(),
                              variable.getResult(),
                              builder.getArrayAttr({map})),
           claim);
}

/// The variable that is `tensor` in its order and shape, copied if need be.
Value FunctionConverter::getWhole(Value tensor, StringRef name, Location loc) {
  const TensorStorage &from = storage.at(tensor);
  ShapedType type = getTensorType(tensor);
  auto rootType = cast<MemRefType>(from.root.getType());
  if (from.isWhole(rootType.getNumElements()))
    return createView(loc, from);
  VarOp copy = createVariable(loc, name, type, getDefaultMap(type));
  createCopy(loc, name, from, copy.getResult(), getReplicaEqual(tensor));
  return copy.getResult();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertConstant(Operation *op,
                                                 ElementsAttr value) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  VarOp variable =
      createInitialised(op->getLoc(), getStepName(op), type, *map, value);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  return success();
}

/// The variable that a `pop.copy_` will bring the op's result to, if the op may
/// write it at once: it lies as the result would, nothing uses it before the
/// copy, and what the op itself reads of it each vertex reads where it writes.
Value FunctionConverter::getForwardTarget(CodeletOpInterface op, MapAttr own,
                                          ArrayRef<Attribute> access) {
  if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse())
    return {};
  auto copy =
      dyn_cast<pop::CopyInPlaceOp>(*op->getResult(0).getUsers().begin());
  if (!copy || copy->getBlock() != op->getBlock())
    return {};
  auto to = storage.find(copy.getTarget());
  if (to == storage.end())
    return {};
  Value root = to->second.root;
  auto type = cast<MemRefType>(root.getType());
  if (!to->second.isWhole(type.getNumElements()) || getMap(type) != own ||
      type.getShape() != getTensorType(op->getResult(0)).getShape())
    return {};
  auto isPart = [&](Value value) {
    auto it = storage.find(value);
    return it != storage.end() && it->second.root == root;
  };
  bool isVector = op.getCodeletCost().kind == CodeletCostKind::Vector;
  for (auto [operand, map] : llvm::zip(op->getOperands(), access))
    if (isPart(operand) &&
        !(isVector && map == own &&
          storage.at(operand).isWhole(type.getNumElements())))
      return {};
  constexpr unsigned kMaxDistance = 64;
  unsigned distance = 0;
  for (Operation *between = op->getNextNode(); between != copy;
       between = between->getNextNode())
    if (++distance > kMaxDistance || between->getNumRegions() > 0 ||
        isa<CallOpInterface>(between) ||
        llvm::any_of(between->getOperands(), isPart))
      return {};
  return root;
}

LogicalResult FunctionConverter::convertCodelet(CodeletOpInterface op) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  FailureOr<PartitionProblem> problem =
      getPartitionProblem(op, map->getDomain());
  if (failed(problem))
    return failure();
  const TileForm &form = problem->form;
  std::optional<LoopBlocks> blocks =
      getPartition(form, form.results.front(), *map);
  if (!blocks)
    return op->emitOpError()
           << "cannot be cut over tiles as its map says: " << *map;
  Location loc = op->getLoc();
  std::string name = getStepName(op);
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> access;
  for (auto [operand, a] : llvm::zip_equal(op->getOperands(), form.inputs)) {
    inputs.push_back(createView(loc, storage.at(operand)));
    access.push_back(
        getAccessMap(builder.getContext(), form, *blocks, a, map->getFirst()));
  }
  for (auto [result, a] : llvm::zip_equal(op->getResults(), form.results)) {
    MapAttr own =
        getAccessMap(builder.getContext(), form, *blocks, a, map->getFirst());
    Value variable = getForwardTarget(op, own, access);
    if (!variable)
      variable = createVariable(loc, name, getTensorType(result), own);
    storage[result] =
        TensorStorage::own(variable, getTensorType(result).getShape());
    outputs.push_back(variable);
    access.push_back(own);
  }
  FailureOr<CodeletOp> codelet =
      state.codelets.getOrCreate(op, *problem, state.rounding);
  if (failed(codelet))
    return failure();
  FailureOr<Value> rng = Value();
  if (drawsRandomBits(*codelet))
    rng = getRng(op);
  if (failed(rng))
    return failure();
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  auto vertices =
      VerticesOp::create(inner, loc, codelet->getSymName(), inputs, outputs,
                         *rng, builder.getArrayAttr(access));
  setClaim(vertices, getReplicaEqual(op->getResults()));
  return success();
}

LogicalResult FunctionConverter::convertView(TileViewOpInterface op) {
  Value operand = op->getOperand(0);
  FailureOr<StridedView> view = op.getTileView(storage.at(operand).view);
  if (succeeded(view)) {
    storage[op->getResult(0)] = {storage.at(operand).root, *view};
    return success();
  }
  if (isa<pop::RefType>(op->getResult(0).getType()))
    return op->emitOpError(
        "shows a part of a variable that no strides can say; "
        "read it, and copy the result back");
  // No strides can say it: copy the operand to order, then view the copy.
  Value copy = getWhole(operand, getStepName(op), op->getLoc());
  view =
      op.getTileView(StridedView::identity(getTensorType(operand).getShape()));
  if (failed(view))
    return op->emitOpError("has no view of a contiguous operand");
  storage[op->getResult(0)] = {copy, *view};
  return success();
}

LogicalResult FunctionConverter::convertMove(TileMoveOpInterface op) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  Location loc = op->getLoc();
  std::string name = getStepName(op);
  ShapedType type = getTensorType(op->getResult(0));
  VarOp variable = createVariable(loc, name, type, *map);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  if (TypedAttr fill = op.getTileFill())
    createFill(loc, name, variable, fill, getReplicaEqual(op->getResult(0)));
  // Views of sources and of the boxes they fill; then one exchange for all.
  SmallVector<std::pair<Value, Value>> moves;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (const TileMove &move : op.getTileMoves()) {
    Value operand = op->getOperand(move.operand);
    StridedView box{0, llvm::to_vector(getTensorType(operand).getShape()),
                    strides};
    for (auto [offset, stride] : llvm::zip_equal(move.offsets, strides))
      box.offset += offset * stride;
    moves.emplace_back(createView(loc, storage.at(operand)),
                       createView(loc, variable.getResult(), box));
  }
  createSync(loc);
  auto exchange = ExchangeOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  for (auto [source, to] : moves)
    setClaim(MoveOp::create(inner, loc, source, to),
             getReplicaEqual(op->getResult(0)));
  return success();
}
