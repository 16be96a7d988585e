//===- FunctionConverter.cpp - Conversion of one pop function ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ipu;

/// The name in the profile of syncs for the host copies of all arguments or
/// results.
static constexpr StringLiteral kHostCopies = "host copies";

std::string mlir::ipu::getStepName(Operation *op) {
  StringAttr name = getLocationName(op->getLoc());
  return name ? name.str() : op->getName().getStringRef().str();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Fails if codelets do not support the type.
static LogicalResult checkType(Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto ref = dyn_cast<pop::RefType>(type))
    tensor = ref.getTensorType();
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      !pop::isPopElementType(tensor.getElementType()))
    return emitError(loc) << "expects statically shaped tensors of pop "
                             "element types, without encoding, but got "
                          << type;
  return success();
}

LogicalResult FunctionConverter::checkTypes() {
  if (failed(verifyAddressable(function)))
    return failure();
  for (BlockArgument argument : function.getArguments())
    if (failed(checkType(argument.getLoc(), argument.getType())))
      return failure();
  WalkResult result = function.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      // Scalars are conditions of control flow, whose conversion checks them.
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

/// A host copy, and the steps that prepare it, belong to no op of the source.
OriginAttr FunctionConverter::getHostOrigin(StringRef op, StringRef stream,
                                            Location loc) {
  return OriginAttr::get(builder.getContext(), op, getHostCopyName(stream),
                         getLocationPlace(loc), /*share=*/1);
}

void FunctionConverter::notifyOperationInserted(Operation *op,
                                                OpBuilder::InsertPoint) {
  auto step = dyn_cast<StepOpInterface>(op);
  if (step && !origins.empty() && step.getHostCopyName().empty())
    setOrigins(op, origins);
}

LogicalResult FunctionConverter::convertOp(Operation *op) {
  // A step has the name of the op in the source, if there is one, so its origin
  // has to keep the kind of op.
  SmallVector<OriginAttr> own;
  if (auto load = dyn_cast<pop::HostLoadOp>(op))
    own = {getHostOrigin("host_load", load.getStream(), op->getLoc())};
  else if (auto store = dyn_cast<pop::HostStoreOp>(op))
    own = {getHostOrigin("host_store", store.getStream(), op->getLoc())};
  else if (getLocationName(op->getLoc()))
    own = getOriginsOfLocation(op->getName().getStringRef(), op->getLoc());
  llvm::SaveAndRestore<SmallVector<OriginAttr>> scope(origins, std::move(own));
  return convertInScope(op);
}

LogicalResult FunctionConverter::convertInScope(Operation *op) {
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
    return op->emitOpError("has no lowering to ipu; run "
                           "pop-choose-accumulation and pop-decompose");
  if (isa<pop::NextSeedOp>(op))
    return op->emitOpError("has no lowering to ipu; run pop-random-setup");
  return op->emitOpError("has no lowering to ipu");
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

/// Creates the stream of an argument or result. Its name is `attribute`, which
/// is a pop.name, or `fallback` if `attribute` is null. The symbol table
/// changes the name if it is already used.
StreamOp FunctionConverter::createStream(Location loc, Attribute attribute,
                                         const Twine &fallback,
                                         StreamDirection direction, Type type) {
  OpBuilder moduleBuilder(function);
  auto stream = StreamOp::create(
      moduleBuilder, loc, pop::getHostName(attribute, fallback), direction,
      /*replicated=*/false, cast<RankedTensorType>(type));
  pop::insertHostStream(stream, state.symbols, Block::iterator(function),
                        fallback);
  return stream;
}

/// Creates the streams of all arguments and results. They are created before
/// codelets, so that their names are not yet used. The names of codelets may
/// change instead.
void FunctionConverter::createStreams() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    inputStreams.push_back(
        createStream(argument.getLoc(),
                     function.getArgAttr(index, pop::PopDialect::kNameAttrName),
                     "arg" + Twine(index), StreamDirection::HostToDevice,
                     argument.getType()));
    inputStreams.back().setDefaultValueAttr(
        function.getArgAttrOfType<ElementsAttr>(
            index, pop::PopDialect::kDefaultAttrName));
  }
  Location loc = function.getBody().front().back().getLoc();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    outputStreams.push_back(createStream(
        loc, function.getResultAttr(index, pop::PopDialect::kNameAttrName),
        "result" + Twine(index), StreamDirection::DeviceToHost, type));
}

LogicalResult FunctionConverter::convertArguments() {
  if (function.getNumArguments() > 0)
    setOrigins(SyncOp::create(builder, function.getLoc(), SyncKind::External,
                              StepCostAttr()),
               OriginAttr::get(builder.getContext(), "sync", kHostCopies, "",
                               /*share=*/1));
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto mapping = function.getArgAttrOfType<TileMappingAttr>(
        index, IPUDialect::kTileMappingAttrName);
    auto type = cast<ShapedType>(argument.getType());
    if (!mapping || mapping.getNumElements() != type.getNumElements())
      return function.emitOpError()
             << "expects a tile mapping of " << type.getNumElements()
             << " elements on argument " << index << "; run pop-map-tensors";
    Location loc = argument.getLoc();
    auto groups = function.getArgAttrOfType<pop::ReplicaGroupsAttr>(
        index, pop::PopDialect::kGroupsAttrName);
    if (groups && target.replicas > groups.getGroupSize())
      mlir::emitWarning(loc)
          << "argument #" << index << " has groups of " << groups.getGroupSize()
          << " replicas, but all replicas get the same tensor; run "
             "pop-host-load-setup";
    StreamOp stream = inputStreams[index];
    VarOp variable = createVariable(loc, stream.getSymName(), type, mapping);
    setReplicaEqualAnnotation(
        HostLoadOp::create(builder, loc, stream.getSymName(),
                           variable.getResult(), StepCostAttr()),
        getReplicaEqual(argument));
    storage[argument] =
        TensorStorage::own(variable.getResult(), type.getShape());
  }
  return success();
}

LogicalResult FunctionConverter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> variables;
  auto function = cast<func::FuncOp>(op->getParentOp());
  for (auto [index, stream] : llvm::enumerate(outputStreams)) {
    origins = {getHostOrigin("host_store", stream.getSymName(), op.getLoc())};
    variables.push_back(getWhole(op.getOperand(index), stream.getSymName(),
                                 op.getLoc(),
                                 function.getResultAttrOfType<TileMappingAttr>(
                                     index, IPUDialect::kTileMappingAttrName)));
  }
  origins = {OriginAttr::get(builder.getContext(), "sync", kHostCopies, "",
                             /*share=*/1)};
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
