//===- PopGraphOps.cpp - Symbols and refs -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "ipu-mlir/Support/DefaultValue.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::pop::detail::lookupSymbol;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopGraphOps.cpp.inc"

void PopDialect::registerGraphOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopGraphOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// VariableOp
//===----------------------------------------------------------------------===//

RankedTensorType VariableOp::getDeviceType() {
  RankedTensorType type = getTensorType();
  ReplicaGroupsAttr sharding = getShardingAttr();
  if (!sharding)
    return type;
  int64_t part =
      llvm::divideCeilSigned(type.getNumElements(), sharding.getGroupSize());
  return RankedTensorType::get(part, type.getElementType());
}

/// The shape of the value of a variable of which there are `numGroups`.
static SmallVector<int64_t> getValueShape(VariableOp op, int64_t numGroups) {
  SmallVector<int64_t> shape(op.getTensorType().getShape());
  if (numGroups > 1)
    shape.insert(shape.begin(), numGroups);
  return shape;
}

static LogicalResult verifyValueShape(VariableOp op, int64_t numGroups) {
  SmallVector<int64_t> expected = getValueShape(op, numGroups);
  ShapedType value = op.getValue().getShapedType();
  // All groups may start with the same value.
  if (value.getShape() == ArrayRef(expected) ||
      value.getShape() == op.getTensorType().getShape())
    return success();
  return op.emitOpError() << "expects `value` of shape [" << expected
                          << "] for " << numGroups
                          << (numGroups == 1 ? " group" : " groups")
                          << " of replicas but got [" << value.getShape()
                          << "]";
}

LogicalResult VariableOp::verify() {
  RankedTensorType type = getTensorType();
  ShapedType value = getValue().getShapedType();
  ReplicaGroupsAttr groups = getGroupsAttr();
  // c1
  if (value.getElementType() != type.getElementType())
    return emitOpError() << "expects `value` of element type "
                         << type.getElementType() << " but got "
                         << value.getElementType();
  int64_t numGroups = 1;
  if (groups && groups.isExplicit()) {
    numGroups = groups.getMembers().size() / groups.getGroupSize();
  } else if (groups && value.getRank() > type.getRank()) {
    // How many there are follows from the number of replicas.
    numGroups = value.getDimSize(0);
    if (numGroups < 2)
      return emitOpError() << "expects `value` of shape [" << type.getShape()
                           << "], without a leading dimension because all "
                              "replicas are one group, but got ["
                           << value.getShape() << "]";
  }
  if (failed(verifyValueShape(*this, numGroups)))
    return failure();
  // c2
  if (getBuffer().has_value() != getRow().has_value())
    return emitOpError() << "expects `buffer` and `row` together but got only `"
                         << (getBuffer() ? "buffer" : "row") << "`";
  return success();
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // c2
  if (!getBuffer())
    return success();
  FailureOr<RemoteBufferOp> buffer =
      lookupSymbol<RemoteBufferOp>(*this, getBufferAttr(), symbolTable);
  if (failed(buffer))
    return failure();
  int64_t row = *getRow();
  if (row < 0 || row >= static_cast<int64_t>(buffer->getRows()))
    return emitOpError() << "expects `row` to be from 0 to "
                         << buffer->getRows() - 1 << ", the last row of "
                         << getBufferAttr() << ", but got " << row;
  if (buffer->getType() != getDeviceType())
    return emitOpError() << "expects the value of one replica to have type "
                         << buffer->getType() << ", the type of a row of "
                         << getBufferAttr() << ", but got " << getDeviceType();
  return success();
}

LogicalResult VariableOp::verifyReplicas(int64_t numReplicas) {
  auto emitError = [&] { return emitOpError(); };
  FailureOr<ipu::ReplicaGroups> groups =
      ipu::resolveReplicaGroups(getGroupsAttr(), numReplicas, emitError);
  if (failed(groups))
    return failure();
  // c1
  if (failed(verifyValueShape(*this, groups->getNumGroups())))
    return failure();
  if (!getSharding())
    return success();
  FailureOr<ipu::ReplicaGroups> shards =
      ipu::resolveReplicaGroups(getShardingAttr(), numReplicas, emitError);
  if (failed(shards))
    return failure();
  // c3
  if (!groups->contains(*shards))
    return emitOpError() << "expects each group of `sharding` in one group of "
                            "`groups` but got "
                         << getShardingAttr() << " and " << getGroupsAttr();
  return success();
}

//===----------------------------------------------------------------------===//
// StreamOp and RemoteBufferOp
//===----------------------------------------------------------------------===//

LogicalResult StreamOp::verify() {
  bool isToDevice = getDirection() == ipu::StreamDirection::HostToDevice;
  // c1
  if (getBroadcast() && !isToDevice)
    return emitOpError()
           << "expects `broadcast` only on a stream to the device";
  // c2
  if (static_cast<int64_t>(getDepth()) < 1)
    return emitOpError() << "expects `depth` of at least 1 but got "
                         << static_cast<int64_t>(getDepth());
  // c3
  if (failed(ipu::verifyDefaultValue(*this, getDefaultValueAttr(), getType(),
                                     isToDevice)))
    return failure();
  // c4
  if (IntegerAttr transfers = getTransfersAttr();
      transfers && transfers.getInt() < 1)
    return emitOpError() << "expects `transfers` of at least 1 but got "
                         << transfers.getInt();
  // c5
  if (getSeed())
    return ipu::verifySeedStream(*this, getDefaultValueAttr(), getType(),
                                 getBroadcast());
  return success();
}

LogicalResult RemoteBufferOp::verify() {
  // c1
  int64_t rows = getRows();
  if (rows < 1)
    return emitOpError() << "expects at least 1 row but got " << rows;
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, cast<RankedTensorType>(getType()).getShape());
  if (!isPopShape(shape))
    return emitOpError() << "expects at most 2^56 elements in all rows "
                            "together but got shape ["
                         << shape << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// ScratchOp
//===----------------------------------------------------------------------===//

LogicalResult ScratchOp::verify() {
  // c1
  std::optional<ElementsAttr> value = getValue();
  if (value && value->getShapedType() != getType())
    return emitOpError() << "expects `value` of type " << getType()
                         << " but got " << value->getShapedType();
  return success();
}

//===----------------------------------------------------------------------===//
// GetVariableOp
//===----------------------------------------------------------------------===//

LogicalResult
GetVariableOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // c1
  RankedTensorType type;
  if (auto scratch = symbolTable.lookupNearestSymbolFrom<ScratchOp>(
          *this, getVariableAttr())) {
    type = cast<RankedTensorType>(scratch.getType());
  } else {
    FailureOr<VariableOp> variable =
        lookupSymbol<VariableOp>(*this, getVariableAttr(), symbolTable);
    if (failed(variable))
      return failure();
    if (variable->getBuffer())
      return emitOpError() << "expects a variable on the chip but "
                           << getVariableAttr() << " lies in remote buffer "
                           << variable->getBufferAttr();
    type = variable->getDeviceType();
  }
  // c2
  RefType expected = RefType::get(type);
  if (getType() != expected)
    return emitOpError() << "expects `result` of type " << expected
                         << ", a ref to " << getVariableAttr() << ", but got "
                         << getType();
  return success();
}
