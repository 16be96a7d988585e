//===- ConvertPopToIPU.cpp - A mapped pop function as a program -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a decomposed pop function whose tensors have maps.
// Out: streams, codelets and a function of ipu steps. Each op is converted in
// program order; tensors become variables or views of variables.
//
//===----------------------------------------------------------------------===//

#include "Codelets.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Planner/TensorStorage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_CONVERTPOPTOIPUPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// What to call the steps of an op: its name in the source, else its own.
static std::string getStepName(Operation *op) {
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

namespace {
class Converter {
public:
  Converter(func::FuncOp function)
      : function(function), module(function->getParentOfType<ModuleOp>()),
        target(getTargetModel(function)), symbols(module), codelets(symbols),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult checkTypes();
  void createStreams();
  LogicalResult convertArguments();
  LogicalResult convertOp(Operation *op);
  LogicalResult convertConstant(Operation *op, ElementsAttr value);
  LogicalResult convertCodelet(CodeletOpInterface op);
  LogicalResult convertView(TileViewOpInterface op);
  LogicalResult convertMove(TileMoveOpInterface op);
  LogicalResult convertExpect(Operation *op, Value input, ElementsAttr expected,
                              FloatAttr rtol, FloatAttr atol);
  LogicalResult convertReturn(func::ReturnOp op);

  StreamOp createStream(Location loc, Attribute attribute,
                        const Twine &fallback, StreamDirection direction,
                        Type type);
  VarOp createVariable(Location loc, const Twine &name, RankedTensorType type,
                       MapAttr map, ElementsAttr init = {});
  Value createView(Location loc, const TensorStorage &tensor);
  Value createView(Location loc, Value variable, const StridedView &view);
  void createSync(Location loc);
  void createFill(Location loc, StringRef name, VarOp variable,
                  TypedAttr value);
  void createCopy(Location loc, StringRef name, const TensorStorage &from,
                  Value to);
  Value getWhole(Value tensor, StringRef name, Location loc);
  FailureOr<MapAttr> getMapOf(Operation *op);
  MapAttr getDefaultMap(RankedTensorType type);

  func::FuncOp function;
  ModuleOp module;
  TargetModel target;
  SymbolTable symbols;
  CodeletTable codelets;
  OpBuilder builder;
  DenseMap<Value, TensorStorage> storage;
  SmallVector<StreamOp> inputStreams, outputStreams;
};
} // namespace

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Only tensors that codelets can hold get through.
LogicalResult Converter::checkTypes() {
  auto check = [](Location loc, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
        !pop::isPopElementType(tensor.getElementType()))
      return emitError(loc) << "expects statically shaped tensors of pop "
                               "element types, without encoding, but got "
                            << type;
    if (tensor.getElementTypeBitWidth() == 8 &&
        isa<FloatType>(tensor.getElementType()))
      return emitError(loc)
             << "unsupported element type " << tensor.getElementType()
             << ": tiles cannot compute it";
    int64_t bytes;
    int64_t elements = 1;
    for (int64_t size : tensor.getShape())
      if (llvm::MulOverflow(elements, size, elements))
        return emitError(loc) << type << " is too large";
    if (llvm::MulOverflow<int64_t>(elements, 8, bytes))
      return emitError(loc) << type << " is too large";
    return success();
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(check(argument.getLoc(), argument.getType())))
      return failure();
  for (Operation &op : function.getBody().front())
    for (Type type : op.getResultTypes())
      if (failed(check(op.getLoc(), type)))
        return failure();
  return success();
}

LogicalResult Converter::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a function of one block");
  if (failed(checkTypes()))
    return failure();
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Operation *> ops = llvm::map_to_vector(
      body.getOperations(), [](Operation &op) { return &op; });
  createStreams();
  if (failed(convertArguments()))
    return failure();
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

LogicalResult Converter::convertOp(Operation *op) {
  if (auto codelet = dyn_cast<CodeletOpInterface>(op))
    return convertCodelet(codelet);
  if (auto view = dyn_cast<TileViewOpInterface>(op))
    return convertView(view);
  if (auto move = dyn_cast<TileMoveOpInterface>(op))
    return convertMove(move);
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
StreamOp Converter::createStream(Location loc, Attribute attribute,
                                 const Twine &fallback,
                                 StreamDirection direction, Type type) {
  auto given = dyn_cast_or_null<StringAttr>(attribute);
  std::string name =
      given && !given.empty() ? given.getValue().str() : fallback.str();
  OpBuilder moduleBuilder(function);
  auto stream =
      StreamOp::create(moduleBuilder, loc, name, direction,
                       /*replicated=*/false, cast<RankedTensorType>(type));
  symbols.insert(stream, Block::iterator(function));
  if (stream.getSymName() != name)
    emitWarning(loc) << "the name '" << name
                     << "' is taken; the host has to say '"
                     << stream.getSymName() << "' for " << fallback;
  return stream;
}

/// The streams of all arguments and results: before codelets, which can have
/// any name.
void Converter::createStreams() {
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

LogicalResult Converter::convertArguments() {
  if (function.getNumArguments() > 0)
    SyncOp::create(builder, function.getLoc(), SyncKind::External,
                   StepCostAttr());
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto map =
        function.getArgAttrOfType<MapAttr>(index, IPUDialect::kMapAttrName);
    RankedTensorType type = getTensorType(argument);
    if (!map || map.getNumElements() != type.getNumElements())
      return function.emitOpError()
             << "expects a map of " << type.getNumElements()
             << " elements on argument " << index << "; run pop-map-tensors";
    Location loc = argument.getLoc();
    StreamOp stream = inputStreams[index];
    VarOp variable = createVariable(loc, stream.getSymName(), type, map);
    HostLoadOp::create(builder, loc, stream.getSymName(), variable.getResult(),
                       StepCostAttr());
    storage[argument] =
        TensorStorage::own(variable.getResult(), type.getShape());
  }
  return success();
}

LogicalResult Converter::convertReturn(func::ReturnOp op) {
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

LogicalResult Converter::convertExpect(Operation *op, Value input,
                                       ElementsAttr expected, FloatAttr rtol,
                                       FloatAttr atol) {
  ExpectOp::create(builder, op->getLoc(),
                   getWhole(input, getStepName(op), op->getLoc()), expected,
                   rtol, atol);
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

VarOp Converter::createVariable(Location loc, const Twine &name,
                                RankedTensorType type, MapAttr map,
                                ElementsAttr init) {
  auto variableType =
      MemRefType::get(type.getShape(), getStorageElementType(type),
                      MemRefLayoutAttrInterface(), map);
  return VarOp::create(builder, loc, variableType, name.str(),
                       /*copies=*/false, init);
}

Value Converter::createView(Location loc, Value variable,
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

Value Converter::createView(Location loc, const TensorStorage &tensor) {
  return createView(loc, tensor.root, tensor.view);
}

MapAttr Converter::getDefaultMap(RankedTensorType type) {
  return getLinearMap(builder.getContext(), target, type.getNumElements(),
                      type.getElementType());
}

FailureOr<MapAttr> Converter::getMapOf(Operation *op) {
  if (auto map = op->getAttrOfType<MapAttr>(IPUDialect::kMapAttrName))
    return map;
  return op->emitOpError("expects a map; run pop-map-tensors");
}

void Converter::createSync(Location loc) {
  SyncOp::create(builder, loc,
                 target.ipus > 1 ? SyncKind::IPUs : SyncKind::Internal,
                 StepCostAttr());
}

void Converter::createCopy(Location loc, StringRef name,
                           const TensorStorage &from, Value to) {
  Value view = createView(loc, from);
  createSync(loc);
  auto exchange = ExchangeOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  MoveOp::create(inner, loc, view, to);
}

void Converter::createFill(Location loc, StringRef name, VarOp variable,
                           TypedAttr value) {
  MapAttr map = getMap(variable.getResult().getType());
  CodeletOp codelet =
      codelets.getOrCreateFill(loc, value, map.getDomain().size());
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  VerticesOp::create(inner, loc, codelet.getSymName(), ValueRange(),
                     variable.getResult(), builder.getArrayAttr({map}));
}

/// The variable that is `tensor` in its order and shape, copied if need be.
Value Converter::getWhole(Value tensor, StringRef name, Location loc) {
  const TensorStorage &from = storage.at(tensor);
  RankedTensorType type = getTensorType(tensor);
  auto rootType = cast<MemRefType>(from.root.getType());
  if (from.isWhole(rootType.getNumElements()))
    return createView(loc, from);
  VarOp copy = createVariable(loc, name, type, getDefaultMap(type));
  createCopy(loc, name, from, copy.getResult());
  return copy.getResult();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertConstant(Operation *op, ElementsAttr value) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  RankedTensorType type = getTensorType(op->getResult(0));
  VarOp variable =
      createVariable(op->getLoc(), getStepName(op), type, *map, value);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  return success();
}

LogicalResult Converter::convertCodelet(CodeletOpInterface op) {
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
    VarOp variable = createVariable(loc, name, getTensorType(result), own);
    storage[result] = TensorStorage::own(variable.getResult(),
                                         getTensorType(result).getShape());
    outputs.push_back(variable.getResult());
    access.push_back(own);
  }
  CodeletOp codelet = codelets.getOrCreate(op, *problem);
  auto computeSet = ComputeSetOp::create(builder, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  VerticesOp::create(inner, loc, codelet.getSymName(), inputs, outputs,
                     builder.getArrayAttr(access));
  return success();
}

LogicalResult Converter::convertView(TileViewOpInterface op) {
  Value operand = op->getOperand(0);
  FailureOr<StridedView> view = op.getTileView(storage.at(operand).view);
  if (succeeded(view)) {
    storage[op->getResult(0)] = {storage.at(operand).root, *view};
    return success();
  }
  // No strides can say it: copy the operand to order, then view the copy.
  Value copy = getWhole(operand, getStepName(op), op->getLoc());
  view =
      op.getTileView(StridedView::identity(getTensorType(operand).getShape()));
  if (failed(view))
    return op->emitOpError("has no view of a contiguous operand");
  storage[op->getResult(0)] = {copy, *view};
  return success();
}

LogicalResult Converter::convertMove(TileMoveOpInterface op) {
  FailureOr<MapAttr> map = getMapOf(op);
  if (failed(map))
    return failure();
  Location loc = op->getLoc();
  std::string name = getStepName(op);
  RankedTensorType type = getTensorType(op->getResult(0));
  VarOp variable = createVariable(loc, name, type, *map);
  storage[op->getResult(0)] =
      TensorStorage::own(variable.getResult(), type.getShape());
  if (TypedAttr fill = op.getTileFill())
    createFill(loc, name, variable, fill);
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
    MoveOp::create(inner, loc, source, to);
  return success();
}

namespace {
struct ConvertPopToIPU : ipu::impl::ConvertPopToIPUPassBase<ConvertPopToIPU> {
  using ConvertPopToIPUPassBase::ConvertPopToIPUPassBase;

  void runOnOperation() override {
    auto function =
        dyn_cast_or_null<func::FuncOp>(getOperation().lookupSymbol(entry));
    if (!function || function.isExternal()) {
      getOperation().emitOpError()
          << "expects a function '" << entry << "' with a body";
      return signalPassFailure();
    }
    if (failed(Converter(function).run()))
      signalPassFailure();
  }
};
} // namespace
