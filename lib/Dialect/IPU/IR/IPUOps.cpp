//===- IPUOps.cpp - Ops of the ipu dialect ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Support/DefaultValue.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult ipu::detail::verifyView(Operation *op, Value value,
                                      const Twine &what) {
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
  if (getTileMapping(variable.getResult().getType()).covers())
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "reads a variable with elements that are on no tile";
  diag.attachNote(variable.getLoc()) << "variable defined here";
  return diag;
}

LogicalResult ipu::detail::verifyTiles(Operation *op, TileMappingAttr mapping,
                                       StringRef what) {
  int64_t tiles = getTargetModel(op).getTilesPerReplica();
  int64_t last = mapping.getFirst() + mapping.getNumTiles() - 1;
  if (last < tiles)
    return success();
  return op->emitOpError() << what << "is mapped to tiles up to tile " << last
                           << " but the last tile of a replica is "
                           << tiles - 1;
}

LogicalResult ipu::detail::verifyWritable(Operation *op, Value value) {
  VarOp variable = getVariable(value);
  if (!variable.getCopies())
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "writes a variable that has copies of elements on several tiles; "
          "only exchanges and fills may write such a variable";
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
  TileMappingAttr mapping = getTileMapping(type);
  if (!type.getLayout().isIdentity())
    return op->emitOpError()
           << "expects a type without layout but got " << type;
  if (type.getNumElements() != mapping.getNumElements())
    return op->emitOpError()
           << "expects the domain of the tile mapping to have "
           << type.getNumElements() << " elements but got "
           << mapping.getNumElements();
  if (!copies && !mapping.coversOnce())
    return op->emitOpError() << "expects the tile mapping to put each element "
                                "on exactly one tile but got "
                             << mapping;
  return detail::verifyTiles(op, mapping);
}

LogicalResult VarOp::verify() {
  MemRefType type = getResult().getType();
  if (ElementsAttr init = getInitAttr()) {
    // c3
    ShapedType initType = init.getShapedType();
    if (initType.getShape() != type.getShape() ||
        !isSameStorage(type, initType.getElementType()))
      return emitOpError() << "expects an initial value that fits " << type
                           << " but got " << initType;
  }
  if (getStorageAttr()) {
    // c5
    if (getInitAttr())
      return emitOpError("of a storage cannot have an initial value");
    auto function =
        dyn_cast_or_null<FunctionOpInterface>((*this)->getParentOp());
    if (!function || !(*this)->getBlock()->isEntryBlock())
      return emitOpError(
          "of a storage belongs in the first block of a function");
  }
  // c1, c2, c4
  return verifyVariableType(*this, type, getCopies());
}

/// The next handle on a storage in the block after `op`, or null.
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
    diag << "is a second handle to " << storage
         << "; expects one handle to a storage in a function";
    diag.attachNote(it->second.getLoc())
        << "first handle to " << storage << " in this function";
    return diag;
  }
  return success();
}

LogicalResult VarOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // c6
  FlatSymbolRefAttr name = getStorageAttr();
  if (!name)
    return success();
  auto storage = symbols.lookupNearestSymbolFrom<StorageOp>(*this, name);
  if (!storage)
    return emitOpError() << "expects " << name << " to be an 'ipu.storage'";
  if (storage.getType() != getResult().getType()) {
    InFlightDiagnostic diag = emitOpError();
    diag << "expects the result to have type " << storage.getType()
         << ", the type of " << name << ", but got " << getResult().getType();
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
    return emitOpError(
        "cannot end the live range of a variable with an initial "
        "value");
  if (variable.getStorageAttr())
    return emitOpError("cannot end the live range of a variable of a storage");
  // c2
  if (variable->getBlock() != (*this)->getBlock()) {
    InFlightDiagnostic diag = emitOpError();
    diag << "in a loop or branch cannot end the live range of a variable that "
            "is defined outside of the loop or branch";
    diag.attachNote(variable.getLoc()) << "variable defined here";
    return diag;
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
    return emitOpError()
           << "expects a target view that contains no element twice but got "
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
  // c3
  if (failed(
          verifyDefaultValue(*this, getDefaultValueAttr(), type,
                             getDirection() == StreamDirection::HostToDevice)))
    return failure();
  // c4
  if (getTransfersAttr() && getTransfersAttr().getInt() < 1)
    return emitOpError() << "expects a positive number of transfers but got "
                         << getTransfersAttr().getInt();
  // c5
  if (getSeed())
    return verifySeedStream(*this, getDefaultValueAttr(), type,
                            getDirection() == StreamDirection::HostToDevice &&
                                !getReplicated());
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
    return mismatch() << "expects a stream of direction '"
                      << stringifyStreamDirection(direction) << "' but got '"
                      << stringifyStreamDirection(stream.getDirection()) << "'";
  // c2
  MemRefType variable = op.getVariable().getType();
  auto tensor = cast<RankedTensorType>(stream.getType());
  if (tensor.getShape() != variable.getShape() ||
      !isSameStorage(variable, tensor.getElementType()))
    return mismatch() << "expects a variable that can hold " << tensor
                      << " but got " << variable;
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
    return emitOpError() << "expects a value that fits " << variable
                         << " but got " << expected;
  // c2
  if (getRtol().has_value() != getAtol().has_value())
    return emitOpError("expects both tolerances or none but got only one");
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

//===----------------------------------------------------------------------===//
// SyncOp
//===----------------------------------------------------------------------===//

LogicalResult SyncOp::verify() {
  // c1
  std::optional<ArrayRef<int64_t>> ipus = getIpus();
  if (!ipus)
    return success();
  if (ipus->empty())
    return emitOpError("expects at least one IPU");
  int64_t numIPUs = getTargetModel(*this).ipus, least = 0;
  for (int64_t ipu : *ipus) {
    if (ipu < least || ipu >= numIPUs)
      return emitOpError() << "expects IPUs in ascending order, below "
                           << numIPUs << ", but got " << ipu;
    least = ipu + 1;
  }
  return success();
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUOps.cpp.inc"
