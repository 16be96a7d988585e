//===- IPUOps.cpp - Ops of the ipu dialect ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static bool isEmpty(Value value) {
  return cast<MemRefType>(value.getType()).getNumElements() == 0;
}

/// Checks that `value` shows elements of an `ipu.var`, and none beyond its end.
static LogicalResult verifyView(Operation *op, Value value, const Twine &what) {
  VarOp variable = getVariable(value);
  if (!variable)
    return op->emitOpError()
           << "expects " << what << " to be an 'ipu.var' or a view of one";
  if (isEmpty(value))
    return success();
  auto range = getRange(getView(value));
  int64_t end = variable.getResult().getType().getNumElements();
  if (range && range->first >= 0 && range->second < end)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << what << " reaches outside of its variable of " << end << " elements";
  diag.attachNote(variable.getLoc()) << "variable defined here";
  return diag;
}

bool ipu::detail::isWholeVariable(Value value) {
  VarOp variable = getVariable(value);
  auto type = cast<MemRefType>(value.getType());
  return variable && type.getLayout().isIdentity() &&
         type.getNumElements() ==
             variable.getResult().getType().getNumElements();
}

LogicalResult ipu::detail::verifyReadable(Operation *op, Value value) {
  VarOp variable = getVariable(value);
  if (getMap(variable.getResult().getType()).covers())
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "reads a variable some of whose elements are on no tile";
  diag.attachNote(variable.getLoc()) << "variable defined here";
  return diag;
}

LogicalResult ipu::detail::verifyWritable(Operation *op, Value value) {
  VarOp variable = getVariable(value);
  if (!variable.getCopies())
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "writes a variable with copies, which only an exchange may";
  diag.attachNote(variable.getLoc()) << "variable defined here";
  return diag;
}

bool ipu::detail::isSameStorage(MemRefType variable, Type tensorElement) {
  return variable.getElementType() == getStorageElementType(tensorElement);
}

//===----------------------------------------------------------------------===//
// VarOp, WriteUndefOp
//===----------------------------------------------------------------------===//

LogicalResult ipu::detail::verifyVariableType(Operation *op, MemRefType type,
                                              bool copies) {
  MapAttr map = getMap(type);
  if (!type.getLayout().isIdentity())
    return op->emitOpError()
           << "expects a type without layout but got " << type;
  if (type.getNumElements() != map.getNumElements())
    return op->emitOpError()
           << "expects a map of " << type.getNumElements()
           << " elements but its domain has " << map.getNumElements();
  if (!copies && !map.coversOnce())
    return op->emitOpError()
           << "expects the map to put each element on one tile: " << map;
  int64_t tiles = getTargetModel(op).getTilesPerReplica();
  if (map.getFirst() + map.getNumTiles() > tiles)
    return op->emitOpError() << "is mapped to tiles up to "
                             << map.getFirst() + map.getNumTiles() - 1
                             << " but a replica has " << tiles;
  return success();
}

LogicalResult VarOp::verify() {
  MemRefType type = getResult().getType();
  if (ElementsAttr init = getInitAttr()) {
    // c3
    ShapedType initType = init.getShapedType();
    if (initType.getShape() != type.getShape() ||
        !isSameStorage(type, initType.getElementType()))
      return emitOpError() << "expects an initial value for " << type
                           << " but got " << initType;
    // c4
    if (getCopies())
      return emitOpError("with an initial value cannot have copies");
  }
  if (getStorageAttr()) {
    // c6
    if (getInitAttr() || getCopies())
      return emitOpError("of a storage cannot have an initial value or copies");
    auto function =
        dyn_cast_or_null<FunctionOpInterface>((*this)->getParentOp());
    if (!function || !(*this)->getBlock()->isEntryBlock())
      return emitOpError(
          "of a storage belongs in the first block of a function");
  }
  // c1, c2, c5
  return verifyVariableType(*this, type, getCopies());
}

/// The next handle on a storage in the block behind `op`, or null.
static Operation *getNextHandle(Operation *op) {
  VarOp variable;
  do {
    op = op->getNextNode();
    variable = dyn_cast_or_null<VarOp>(op);
  } while (op && (!variable || !variable.getStorageAttr()));
  return op;
}

/// Checks that no two handles up to `last`, the last of its block, are on one
/// storage.
static LogicalResult verifyHandlesDiffer(VarOp last) {
  llvm::DenseMap<Attribute, VarOp> handles;
  for (auto variable : last->getBlock()->getOps<VarOp>()) {
    FlatSymbolRefAttr storage = variable.getStorageAttr();
    if (!storage)
      continue;
    auto [it, isNew] = handles.try_emplace(storage, variable);
    if (isNew)
      continue;
    InFlightDiagnostic diag = variable.emitOpError();
    diag << "is another handle on " << storage;
    diag.attachNote(it->second.getLoc()) << "first handle of the function";
    return diag;
  }
  return success();
}

LogicalResult VarOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // c7
  FlatSymbolRefAttr name = getStorageAttr();
  if (!name)
    return success();
  auto storage = symbols.lookupNearestSymbolFrom<StorageOp>(*this, name);
  if (!storage)
    return emitOpError() << "expects " << name << " to be an 'ipu.storage'";
  if (storage.getType() != getResult().getType()) {
    InFlightDiagnostic diag = emitOpError();
    diag << "expects the type of " << name << ", " << storage.getType()
         << ", but got " << getResult().getType();
    diag.attachNote(storage.getLoc()) << "storage defined here";
    return diag;
  }
  return getNextHandle(*this) ? success() : verifyHandlesDiffer(*this);
}

LogicalResult WriteUndefOp::verify() {
  // c1
  auto variable = getVariable().getDefiningOp<VarOp>();
  if (!variable)
    return emitOpError("expects the result of an 'ipu.var'");
  if (variable.getInitAttr())
    return emitOpError("cannot end the life of a variable with an initial "
                       "value");
  if (variable.getStorageAttr())
    return emitOpError("cannot end the life of a variable of a storage");
  // c2
  if (variable->getBlock() != (*this)->getBlock()) {
    InFlightDiagnostic diag = emitOpError();
    diag << "in a loop or branch cannot end the life of a variable from "
            "outside of it";
    diag.attachNote(variable.getLoc()) << "variable defined here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// CodeletOp
//===----------------------------------------------------------------------===//

ParseResult CodeletOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  IntegerAttr numInputs;
  CodeletCostAttr cost;
  Builder &builder = parser.getBuilder();
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseKeyword("inputs") ||
      parser.parseAttribute(numInputs, builder.getI64Type(), "num_inputs",
                            result.attributes) ||
      parser.parseKeyword("cost") ||
      parser.parseCustomAttributeWithFallback(cost, Type(), "cost",
                                              result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> argumentTypes = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void CodeletOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(
      printer, getArgumentTypes(), getArgAttrsAttr(), /*isVariadic=*/false,
      getResultTypes(), getResAttrsAttr(), &getBody(),
      /*printEmptyResult=*/false);
  printer << " inputs " << getNumInputs() << " cost ";
  printer.printStrippedAttrOrType(getCost());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getNumInputsAttrName(),
       getCostAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

/// `strided<[?, ..., ?, 1], offset: ?>`, or for rank 0 `strided<[], offset:
/// ?>`.
static StridedLayoutAttr getCodeletLayout(MLIRContext *context, int64_t rank) {
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  if (rank > 0)
    strides.back() = 1;
  return StridedLayoutAttr::get(context, ShapedType::kDynamic, strides);
}

MemRefType mlir::ipu::getCodeletBufferType(int64_t rank, Type elementType) {
  return MemRefType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                         getStorageElementType(elementType),
                         getCodeletLayout(elementType.getContext(), rank));
}

LogicalResult CodeletOp::verify() {
  // c1
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref ||
        memref !=
            getCodeletBufferType(memref.getRank(), memref.getElementType()) ||
        !memref.getElementType().isIntOrFloat())
      return emitOpError() << "expects argument " << index
                           << " to be a memref of dynamic sizes with layout "
                              "strided<[?, ..., ?, 1], offset: ?> but got "
                           << type;
  }
  // c2
  if (!getResultTypes().empty())
    return emitOpError() << "expects no results but got "
                         << getResultTypes().size();
  if (getNumInputs() > getArgumentTypes().size())
    return emitOpError() << "has " << getNumInputs() << " inputs but only "
                         << getArgumentTypes().size() << " arguments";
  // c4
  CostKind kind = getCost().getKind();
  if (kind == CostKind::Gather) {
    // c5
    if (getNumInputs() < 2 || getArgumentTypes().size() <= getNumInputs())
      return emitOpError() << "expects two inputs and an output for the cost "
                              "'gather' but got "
                           << getFunctionType();
    return success();
  }
  if (kind != CostKind::Matmul && kind != CostKind::Conv)
    return success();
  auto hasRank = [&](unsigned argument) {
    return cast<MemRefType>(getArgumentTypes()[argument]).getRank() >= 3;
  };
  // The third input is what the products are added to.
  int64_t numInputs = getNumInputs();
  if (numInputs < 2 || numInputs > 3 ||
      static_cast<int64_t>(getArgumentTypes().size()) <= numInputs ||
      !hasRank(1) || !hasRank(numInputs))
    return emitOpError() << "expects two or three inputs and an output, the "
                            "second one and the output of rank 3 or more, for "
                            "the cost '"
                         << stringifyCostKind(kind) << "' but got "
                         << getFunctionType();
  return success();
}

LogicalResult CodeletOp::verifyRegions() {
  // c3
  WalkResult result = getBody().walk([&](Operation *op) {
    if (isa<EndOp, ElementNumberOp, RandomBitsOp, PhiloxOp, RoundStochasticOp>(
            op) ||
        isa_and_nonnull<arith::ArithDialect, linalg::LinalgDialect,
                        math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect>(op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic diag = emitOpError();
    diag << "holds '" << op->getName()
         << "' but expects only ops of arith, linalg, math, memref and scf, "
            "and of random numbers";
    diag.attachNote(op->getLoc()) << "op defined here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return verifyOneNumberedBuffer(*this);
}

//===----------------------------------------------------------------------===//
// ComputeSetOp
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult verifyBodyHoldsOnly(Operation *op, Region &body) {
  for (Operation &inner : body.getOps()) {
    if (isa<OpTy>(inner))
      continue;
    InFlightDiagnostic diag = op->emitOpError();
    diag << "expects its body to hold only '" << OpTy::getOperationName()
         << "' but got '" << inner.getName() << "'";
    diag.attachNote(inner.getLoc()) << "op defined here";
    return diag;
  }
  return success();
}

/// An input that a vertex reads where the same vertex writes: the same boxes of
/// the same variable.
static bool isReadInPlace(VerticesOp vertices, unsigned input,
                          unsigned output) {
  return isWholeVariable(vertices.getInputs()[input]) &&
         vertices.getAccessMap(input) ==
             vertices.getAccessMap(vertices.getInputs().size() + output);
}

LogicalResult ComputeSetOp::verifyRegions() {
  // c1
  if (failed(verifyBodyHoldsOnly<VerticesOp>(*this, getBody())))
    return failure();
  // c2
  llvm::MapVector<Value, std::pair<VerticesOp, unsigned>> writers;
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (auto [index, output] : llvm::enumerate(vertices.getOutputs())) {
      auto [it, isNew] = writers.insert({output, {vertices, index}});
      if (isNew || isEmpty(output))
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "writes a variable that other vertices of the compute set write";
      diag.attachNote(it->second.first.getLoc()) << "also written here";
      return diag;
    }
  // c6 of vertices
  llvm::MapVector<Value, VerticesOp> drawers;
  for (auto vertices : getBody().getOps<VerticesOp>()) {
    if (!vertices.getRng())
      continue;
    auto [it, isNew] = drawers.insert({vertices.getRng(), vertices});
    if (isNew)
      continue;
    InFlightDiagnostic diag = vertices.emitOpError();
    diag << "draws from a generator that other vertices of the compute set "
            "draw from";
    diag.attachNote(it->second.getLoc()) << "also drawn from here";
    return diag;
  }
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (Value buffer : vertices.getBuffers()) {
      VarOp variable = getVariable(buffer);
      auto *it = variable ? drawers.find(variable.getResult()) : drawers.end();
      if (it == drawers.end())
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "uses the state of a generator that vertices of the compute set "
              "draw from";
      diag.attachNote(it->second.getLoc()) << "drawn from here";
      return diag;
    }
  // c3
  for (auto vertices : getBody().getOps<VerticesOp>())
    for (auto [index, input] : llvm::enumerate(vertices.getInputs())) {
      VarOp variable = getVariable(input);
      auto *it = variable ? writers.find(variable.getResult()) : writers.end();
      if (it == writers.end() || isEmpty(input))
        continue;
      auto [writer, output] = it->second;
      if (writer == vertices && isReadInPlace(vertices, index, output))
        continue;
      InFlightDiagnostic diag = vertices.emitOpError();
      diag << "reads elements of input " << index
           << " that another vertex of the compute set writes";
      diag.attachNote(writer.getLoc()) << "written here";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// VerticesOp
//===----------------------------------------------------------------------===//

LogicalResult VerticesOp::verify() {
  size_t operands = getInputs().size() + getOutputs().size();
  // c1
  if (getAccess().size() != operands)
    return emitOpError() << "expects one access map for each of its "
                         << operands << " operands but got "
                         << getAccess().size();
  if (getOutputs().empty())
    return emitOpError("expects at least one output");
  MapAttr first = getAccessMap(0);
  for (unsigned i = 0; i < operands; ++i) {
    MapAttr map = getAccessMap(i);
    if (map.getGrid() != first.getGrid() || map.getFirst() != first.getFirst())
      return emitOpError() << "expects all access maps to have the grid and "
                              "first tile of the first, "
                           << first << ", but map " << i << " is " << map;
    // c2
    auto type = cast<MemRefType>(getOperand(i).getType());
    if (map.getNumElements() != type.getNumElements())
      return emitOpError() << "expects access map " << i << " to have "
                           << type.getNumElements() << " elements, as " << type
                           << ", but its domain has " << map.getNumElements();
    if (failed(verifyView(*this, getOperand(i), "operand " + Twine(i))))
      return failure();
  }
  for (auto [index, output] : llvm::enumerate(getOutputs())) {
    unsigned operand = getInputs().size() + index;
    // c4
    if (!output.getDefiningOp<VarOp>())
      return emitOpError() << "expects output " << index
                           << " to be a variable, not a view";
    MapAttr own = getMap(cast<MemRefType>(output.getType()));
    if (own != getAccessMap(operand))
      return emitOpError() << "expects the access map of output " << index
                           << " to be the variable's own, " << own
                           << ", but got " << getAccessMap(operand);
    // c5
    if (failed(verifyWritable(*this, output)))
      return failure();
  }
  // c6
  return getRng() ? verifyRng(*this, getRng()) : success();
}

LogicalResult VerticesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // c3
  auto codelet =
      symbols.lookupNearestSymbolFrom<CodeletOp>(*this, getCodeletAttr());
  if (!codelet)
    return emitOpError() << "expects " << getCodeletAttr()
                         << " to be an 'ipu.codelet'";
  auto mismatch = [&]() {
    InFlightDiagnostic diag = emitOpError();
    diag.attachNote(codelet.getLoc()) << "codelet defined here";
    return diag;
  };
  ArrayRef<Type> arguments = codelet.getArgumentTypes();
  if (arguments.size() != getBuffers().size())
    return mismatch() << "has " << getBuffers().size() << " operands but "
                      << getCodeletAttr() << " has " << arguments.size()
                      << " arguments";
  if (codelet.getNumInputs() != getInputs().size())
    return mismatch() << "has " << getInputs().size() << " inputs but "
                      << getCodeletAttr() << " has " << codelet.getNumInputs();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto buffer = cast<MemRefType>(argument);
    auto operand = cast<MemRefType>(getOperand(index).getType());
    int64_t rank = getAccessMap(index).getDomain().size();
    if (buffer.getElementType() != operand.getElementType() ||
        buffer.getRank() != rank)
      return mismatch() << "expects argument " << index << " of "
                        << getCodeletAttr() << " to have rank " << rank
                        << " and element type " << operand.getElementType()
                        << " but got " << buffer;
  }
  // c6
  if (drawsRandomBits(codelet) != bool(getRng()))
    return mismatch() << (getRng() ? "has a generator but "
                                   : "has no generator but ")
                      << getCodeletAttr()
                      << (getRng() ? " draws no random bits"
                                   : " draws random bits");
  if (Value rng = getRng()) {
    int64_t tiles = cast<MemRefType>(rng.getType()).getDimSize(0);
    MapAttr first = getAccessMap(0);
    if (first.getFirst() + first.getNumTiles() > tiles)
      return emitOpError() << "expects a generator for tiles up to "
                           << first.getFirst() + first.getNumTiles() - 1
                           << " but got " << rng.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ExchangeOp, MoveOp
//===----------------------------------------------------------------------===//

LogicalResult ExchangeOp::verifyRegions() {
  // c1
  if (failed(verifyBodyHoldsOnly<MoveOp>(*this, getBody())))
    return failure();
  // Only moves of the same variable can conflict.
  llvm::MapVector<Operation *, SmallVector<MoveOp>> writers;
  for (auto move : getBody().getOps<MoveOp>()) {
    SmallVector<MoveOp> &others = writers[getVariable(move.getTarget())];
    // c2
    for (MoveOp other : others)
      if (overlap(other.getTarget(), move.getTarget())) {
        InFlightDiagnostic diag = move.emitOpError();
        diag << "writes elements that another move of the exchange writes";
        diag.attachNote(other.getLoc()) << "also written here";
        return diag;
      }
    others.push_back(move);
  }
  // c3
  for (auto move : getBody().getOps<MoveOp>()) {
    auto *it = writers.find(getVariable(move.getSource()));
    if (it == writers.end())
      continue;
    for (MoveOp writer : it->second)
      if (overlap(move.getSource(), writer.getTarget())) {
        InFlightDiagnostic diag = move.emitOpError();
        diag << "reads elements that the same exchange writes";
        diag.attachNote(writer.getLoc()) << "written here";
        return diag;
      }
  }
  return success();
}

LogicalResult MoveOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  // c1
  if (source.getShape() != target.getShape() ||
      source.getElementType() != target.getElementType())
    return emitOpError() << "expects source and target to have the same shape "
                            "and element type but got "
                         << source << " and " << target;
  if (failed(verifyView(*this, getSource(), "source")) ||
      failed(verifyView(*this, getTarget(), "target")))
    return failure();
  // c2
  VarOp variable = getVariable(getTarget());
  if (!showsOnce(getView(getTarget()),
                 variable.getResult().getType().getNumElements()))
    return emitOpError() << "expects a target that shows no element twice "
                            "but got "
                         << target;
  // c3
  return verifyReadable(*this, getSource());
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

LogicalResult StreamOp::verify() {
  // c1
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape() || type.getEncoding())
    return emitOpError()
           << "expects a statically shaped tensor without encoding but got "
           << type;
  // c2
  if (getDepthAttr() && getDepthAttr().getInt() < 1)
    return emitOpError() << "expects a positive depth but got "
                         << getDepthAttr().getInt();
  return success();
}

template <typename OpTy>
static LogicalResult verifyHostCopy(OpTy op, SymbolTableCollection &symbols,
                                    StreamDirection direction) {
  // c1
  auto stream =
      symbols.lookupNearestSymbolFrom<StreamOp>(op, op.getStreamAttr());
  if (!stream)
    return op.emitOpError()
           << "expects " << op.getStreamAttr() << " to be an 'ipu.stream'";
  auto mismatch = [&]() {
    InFlightDiagnostic diag = op.emitOpError();
    diag.attachNote(stream.getLoc()) << "stream defined here";
    return diag;
  };
  if (stream.getDirection() != direction)
    return mismatch() << "expects a stream '"
                      << stringifyStreamDirection(direction) << "' but got '"
                      << stringifyStreamDirection(stream.getDirection()) << "'";
  // c2
  MemRefType variable = op.getVariable().getType();
  auto tensor = cast<RankedTensorType>(stream.getType());
  if (tensor.getShape() != variable.getShape() ||
      !isSameStorage(variable, tensor.getElementType()))
    return mismatch() << "copies " << tensor << " to or from " << variable;
  // c3
  if (!isWholeVariable(op.getVariable()))
    return op.emitOpError("expects a whole variable, not a part of one");
  return direction == StreamDirection::HostToDevice
             ? verifyWritable(op, op.getVariable())
             : verifyReadable(op, op.getVariable());
}

LogicalResult HostLoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyHostCopy(*this, symbols, StreamDirection::HostToDevice);
}

LogicalResult HostStoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyHostCopy(*this, symbols, StreamDirection::DeviceToHost);
}

LogicalResult ExpectOp::verify() {
  // c1
  ShapedType expected = getExpected().getShapedType();
  MemRefType variable = getVariable().getType();
  if (expected.getShape() != variable.getShape() ||
      !isSameStorage(variable, expected.getElementType()))
    return emitOpError() << "expects a value for " << variable << " but got "
                         << expected;
  // c2
  if (getRtol().has_value() != getAtol().has_value())
    return emitOpError("expects both tolerances or none");
  for (std::optional<APFloat> tolerance : {getRtol(), getAtol()})
    if (tolerance && (tolerance->isNegative() || tolerance->isNaN()))
      return emitOpError("expects tolerances that are not negative");
  // c3
  if (!isWholeVariable(getVariable()))
    return emitOpError("expects a whole variable, not a part of one");
  return verifyReadable(*this, getVariable());
}

//===----------------------------------------------------------------------===//
// RepeatOp
//===----------------------------------------------------------------------===//

/// `100`, or `%n : memref<i32, #m>`.
static ParseResult
parseCount(OpAsmParser &parser, IntegerAttr &count,
           std::optional<OpAsmParser::UnresolvedOperand> &times,
           Type &timesType) {
  int64_t value;
  OptionalParseResult isCount = parser.parseOptionalInteger(value);
  if (isCount.has_value()) {
    if (failed(*isCount))
      return failure();
    count = parser.getBuilder().getI64IntegerAttr(value);
    return success();
  }
  times.emplace();
  return failure(parser.parseOperand(*times) ||
                 parser.parseColonType(timesType));
}

static void printCount(OpAsmPrinter &printer, Operation *, IntegerAttr count,
                       Value times, Type timesType) {
  if (count)
    printer << count.getInt();
  else
    printer << times << " : " << timesType;
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUOps.cpp.inc"
