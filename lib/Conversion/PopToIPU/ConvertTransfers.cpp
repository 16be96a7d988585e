//===- ConvertTransfers.cpp - Host and streaming memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the variable from which a transfer reads `tensor`, its data or its
/// row. It is on I/O tiles if the transfer is on I/O tiles, so that compute
/// tiles do not wait for the transfer.
FailureOr<Value> FunctionConverter::getTransferred(Operation *op, Value tensor,
                                                   StringRef name) {
  Value whole = getWhole(tensor, name, op->getLoc());
  if (!pop::isOnIOTiles(op))
    return whole;
  if (target.io_tiles == 0)
    return op->emitOpError(
        "is placed on I/O tiles but the target has no I/O tiles");
  auto type = cast<RankedTensorType>(tensor.getType());
  TileMappingAttr mapping = getDefaultTileMapping(
      target, {TileSpace::Kind::IO, pop::getVgraph(tensor)}, type);
  if (getTileMapping(cast<MemRefType>(whole.getType())).isEquivalentTo(mapping))
    return whole;
  VarOp copy = createVariable(op->getLoc(), name, type, mapping);
  createCopy(op->getLoc(), name, TensorStorage::own(whole, type.getShape()),
             copy.getResult(), getReplicaEqual(tensor));
  return copy.getResult();
}

/// Creates a sync with the host, except for transfers on I/O tiles, which wait
/// for the host without a sync.
void FunctionConverter::createHostSync(Operation *op) {
  if (!pop::isOnIOTiles(op))
    SyncOp::create(builder, op->getLoc(), SyncKind::External, StepCostAttr());
}

LogicalResult FunctionConverter::convertHostLoad(pop::HostLoadOp op) {
  FailureOr<VarOp> variable = createResult(op);
  if (failed(variable))
    return failure();
  createHostSync(op);
  setReplicaEqualAnnotation(
      HostLoadOp::create(builder, op.getLoc(), op.getStream(),
                         variable->getResult(), StepCostAttr()),
      getReplicaEqual(op.getResult()));
  return success();
}

LogicalResult FunctionConverter::convertHostStore(pop::HostStoreOp op) {
  FailureOr<Value> variable = getTransferred(op, op.getInput(), op.getStream());
  if (failed(variable))
    return failure();
  createHostSync(op);
  HostStoreOp::create(builder, op.getLoc(), *variable, op.getStream(),
                      StepCostAttr());
  return success();
}

/// Converts all remote loads and stores of `ops` to one remote exchange.
LogicalResult FunctionConverter::convertRemote(Operation *op,
                                               ArrayRef<Operation *> ops) {
  auto getRow = [&](auto copy) -> FailureOr<Value> {
    if (!copy.getRow())
      return Value();
    return getTransferred(copy, copy.getRow(), getStepName(op));
  };
  // Create the operands of the exchange before it.
  SmallVector<std::pair<Value, Value>> operands;
  for (Operation *copy : ops) {
    FailureOr<Value> variable, row;
    if (auto load = dyn_cast<pop::RemoteLoadOp>(copy)) {
      row = getRow(load);
      if (failed(row))
        return failure();
      FailureOr<VarOp> result = createResult(load);
      if (failed(result))
        return failure();
      variable = Value(result->getResult());
    } else {
      auto store = cast<pop::RemoteStoreOp>(copy);
      row = getRow(store);
      if (failed(row))
        return failure();
      variable = getTransferred(store, store.getInput(), store.getBuffer());
      if (failed(variable))
        return failure();
    }
    operands.emplace_back(*variable, *row);
  }
  if (!llvm::all_of(ops, pop::isOnIOTiles))
    createSync(op->getLoc());
  auto exchange = RemoteExchangeOp::create(builder, op->getLoc(),
                                           getStepName(op), StepCostAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(&exchange.getBody().emplaceBlock());
  for (auto [copy, values] : llvm::zip_equal(ops, operands)) {
    auto [variable, row] = values;
    auto load = dyn_cast<pop::RemoteLoadOp>(copy);
    if (load)
      setReplicaEqualAnnotation(
          RemoteLoadOp::create(inner, copy->getLoc(), load.getBufferAttr(),
                               load.getStaticRowAttr(), row, variable),
          getReplicaEqual(load.getResult()));
    else
      RemoteStoreOp::create(inner, copy->getLoc(), variable,
                            cast<pop::RemoteStoreOp>(copy).getBufferAttr(),
                            cast<pop::RemoteStoreOp>(copy).getStaticRowAttr(),
                            row);
    // The exchange may have been merged from several.
    if (ops.size() > 1)
      setOrigins(
          &exchange.getBody().front().back(),
          getOriginsOfLocation(copy->getName().getStringRef(), copy->getLoc()));
  }
  return success();
}

LogicalResult
FunctionConverter::convertRemoteExchange(pop::RemoteExchangeOp op) {
  SmallVector<Operation *> remote;
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator()) {
    if (isa<pop::RemoteLoadOp, pop::RemoteStoreOp>(inner))
      remote.push_back(&inner);
    else if (failed(convertOp(&inner)))
      return failure();
  }
  if (!remote.empty() && failed(convertRemote(op, remote)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    storage[result] = TensorStorage(storage.at(value));
  return success();
}
