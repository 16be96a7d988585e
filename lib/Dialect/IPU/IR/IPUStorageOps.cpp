//===- IPUStorageOps.cpp - Storage of a module ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

// c1, c2
LogicalResult StorageOp::verify() {
  return verifyVariableType(*this, cast<MemRefType>(getType()),
                            /*copies=*/true);
}

/// Checks that `op` may hold `copies` tensors of `type`, all of whose elements,
/// bytes and bits can be counted.
static LogicalResult verifyTensorType(Operation *op, RankedTensorType type,
                                      int64_t copies) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(copies);
  if (!type.hasStaticShape() || type.getEncoding() ||
      !type.getElementType().isIntOrFloat())
    return op->emitOpError() << "expects a statically shaped tensor of "
                                "integers or floats, without encoding, but got "
                             << type;
  if (isAddressableShape(shape))
    return success();
  if (copies == 1)
    return op->emitOpError()
           << "expects at most 2^56 elements but got " << type;
  return op->emitOpError()
         << "expects at most 2^56 elements in all rows together but got "
         << copies << " rows of " << type;
}

LogicalResult RemoteBufferOp::verify() {
  // c1
  if (static_cast<int64_t>(getRows()) < 1)
    return emitOpError() << "expects a positive number of rows but got "
                         << static_cast<int64_t>(getRows());
  // c2
  return verifyTensorType(*this, cast<RankedTensorType>(getType()), getRows());
}

//===----------------------------------------------------------------------===//
// StateOp
//===----------------------------------------------------------------------===//

/// Checks that what `op` holds may lie at its location, `place`, which is for
/// tensors of `type`, up to sign.
static LogicalResult verifyMemoryLocation(StateOp op, Operation *memoryLocation,
                                          RankedTensorType held,
                                          ShapedType type) {
  if (held.getShape() == type.getShape() &&
      getStorageElementType(held.getElementType()) ==
          getStorageElementType(type.getElementType()))
    return success();
  InFlightDiagnostic diag = op.emitOpError();
  diag << "expects " << op.getLocationAttr() << " to hold " << held
       << " but got " << type;
  diag.attachNote(memoryLocation->getLoc()) << "defined here";
  return diag;
}

/// Checks that the state's storage or row exists and holds tensors of `held`.
static LogicalResult verifyLocation(StateOp op, RankedTensorType held,
                                    SymbolTableCollection &symbols) {
  // c1
  Operation *memoryLocation =
      symbols.lookupNearestSymbolFrom(op, op.getLocationAttr());
  if (!op.getRowAttr()) {
    auto storage = dyn_cast_or_null<StorageOp>(memoryLocation);
    if (!storage)
      return op.emitOpError()
             << "expects " << op.getLocationAttr() << " to be an 'ipu.storage'";
    auto type = cast<MemRefType>(storage.getType());
    // c5
    if (TileMappingAttr mapping = getTileMapping(type); !mapping.coversOnce()) {
      InFlightDiagnostic diag = op.emitOpError();
      diag << "expects the tile mapping of " << op.getLocationAttr()
           << " to put each element on one tile but got " << mapping;
      diag.attachNote(storage.getLoc()) << "defined here";
      return diag;
    }
    return verifyMemoryLocation(op, memoryLocation, held, type);
  }
  auto buffer = dyn_cast_or_null<RemoteBufferOp>(memoryLocation);
  if (!buffer)
    return op.emitOpError() << "expects " << op.getLocationAttr()
                            << " to be an 'ipu.remote_buffer'";
  if (failed(verifyRow(op, op.getRowAttr(), buffer)))
    return failure();
  return verifyMemoryLocation(op, memoryLocation, held,
                              cast<ShapedType>(buffer.getType()));
}

/// The next state of the module after `op`, or null.
static Operation *getNextState(Operation *op) {
  do
    op = op->getNextNode();
  while (op && !isa<StateOp, RngStateOp>(op));
  return op;
}

/// Checks that no two states up to `last`, the last of the module, have one
/// memory location.
static LogicalResult verifyMemoryLocationsDiffer(Operation *last) {
  llvm::DenseMap<std::pair<Attribute, Attribute>, Operation *> stateAt;
  for (Operation &op : *last->getBlock()) {
    std::pair<Attribute, Attribute> memoryLocation;
    if (auto state = dyn_cast<StateOp>(op))
      memoryLocation = {state.getLocationAttr(), state.getRowAttr()};
    else if (auto rng = dyn_cast<RngStateOp>(op))
      memoryLocation = {rng.getLocationAttr(), Attribute()};
    else
      continue;
    auto [it, isNew] = stateAt.try_emplace(memoryLocation, &op);
    if (isNew)
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "has the same memory location as @"
         << SymbolTable::getSymbolName(it->second).getValue();
    diag.attachNote(it->second->getLoc()) << "defined here";
    return diag;
  }
  return success();
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto type = cast<RankedTensorType>(getType());
  if (failed(verifyTensorType(*this, type, /*copies=*/1)))
    return failure();
  // c3
  int64_t replicas = getTargetModel(*this).replicas;
  auto emitError = [&] { return emitOpError(); };
  RankedTensorType held = type;
  if (getShardingAttr()) {
    FailureOr<ReplicaGroups> sharding =
        resolveReplicaGroups(getShardingAttr(), replicas, emitError);
    if (failed(sharding))
      return failure();
    held = RankedTensorType::get(
        llvm::divideCeil(type.getNumElements(), sharding->getGroupSize()),
        type.getElementType());
  }
  FailureOr<ReplicaGroups> groups =
      resolveReplicaGroups(getGroupsAttr(), replicas, emitError);
  if (failed(groups))
    return failure();
  // c4
  SmallVector<int64_t> shape(type.getShape());
  if (groups->getNumGroups() > 1)
    shape.insert(shape.begin(), groups->getNumGroups());
  ShapedType value = getValue().getShapedType();
  bool isShape = value.getShape() == ArrayRef(shape) ||
                 value.getShape() == type.getShape();
  if (!isShape || value.getElementType() != type.getElementType())
    return emitOpError() << "expects a value of type "
                         << RankedTensorType::get(shape, type.getElementType())
                         << " but got " << value;
  // c2
  if (failed(verifyLocation(*this, held, symbols)))
    return failure();
  return getNextState(*this) ? success() : verifyMemoryLocationsDiffer(*this);
}

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUStorageOps.cpp.inc"

//===----------------------------------------------------------------------===//
// RngStateOp
//===----------------------------------------------------------------------===//

LogicalResult RngStateOp::verify() {
  // c3
  constexpr int64_t kMaxModifier = (1 << 12) - 1;
  int64_t modifier = getModifier();
  if (modifier < 0 || modifier > kMaxModifier)
    return emitOpError() << "expects a modifier from 0 to " << kMaxModifier
                         << " but got " << modifier;
  return success();
}

LogicalResult RngStateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // c1
  auto storage =
      symbols.lookupNearestSymbolFrom<StorageOp>(*this, getLocationAttr());
  if (!storage)
    return emitOpError() << "expects " << getLocationAttr()
                         << " to be an 'ipu.storage'";
  TargetModel target = getTargetModel(*this);
  MemRefType type = getRngStateType(getContext(), target.getTilesPerReplica());
  if (storage.getType() != type) {
    InFlightDiagnostic diag = emitOpError();
    diag << "expects " << getLocationAttr() << " to be of type " << type
         << " but got " << storage.getType();
    diag.attachNote(storage.getLoc()) << "defined here";
    return diag;
  }
  // c2
  if (getPartition().getNumReplicas() != target.replicas)
    return emitOpError() << "expects a partition of " << target.replicas
                         << (target.replicas > 1 ? " replicas" : " replica")
                         << " but got " << getPartition();
  // c4
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (!module || !module->hasAttr(IPUDialect::kRngAttrName))
    return emitOpError() << "expects the module to have attribute '"
                         << IPUDialect::kRngAttrName << "'";
  return getNextState(*this) ? success() : verifyMemoryLocationsDiffer(*this);
}
