//===- ConvertSymbols.cpp - Variables, streams, buffers ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

/// Creates storage for `type` with the tile mapping of the variable.
static FailureOr<StorageOp> createStorage(ProgramState &state, OpBuilder &b,
                                          Operation *variable,
                                          RankedTensorType type,
                                          const Twine &name) {
  auto mapping = variable->getAttrOfType<TileMappingAttr>(
      IPUDialect::kTileMappingAttrName);
  // An unused variable has no tile mapping.
  if (!mapping)
    mapping = getDefaultTileMapping(
        state.target, {TileSpace::Kind::Compute, pop::getVgraph(variable)},
        type);
  if (mapping.getNumElements() != type.getNumElements())
    return variable->emitOpError()
           << "expects a tile mapping of " << type.getNumElements()
           << " elements but got " << mapping << "; run pop-map-tensors";
  auto storage = StorageOp::create(
      b, variable->getLoc(), name.str(),
      MemRefType::get(type.getShape(),
                      getStorageElementType(type.getElementType()),
                      MemRefLayoutAttrInterface(), mapping));
  state.symbols.insert(storage);
  return storage;
}

static LogicalResult convert(ProgramState &state, pop::VariableOp op) {
  OpBuilder b(op);
  StringAttr name = op.getSymNameAttr();
  FlatSymbolRefAttr location = op.getBufferAttr();
  if (!location) {
    FailureOr<StorageOp> storage = createStorage(
        state, b, op, op.getDeviceType(), name.getValue() + ".storage");
    if (failed(storage))
      return failure();
    state.storages[name] = *storage;
    location = FlatSymbolRefAttr::get(storage->getSymNameAttr());
  }
  auto value = StateOp::create(
      b, op.getLoc(), name, location, op.getRowAttr(),
      TypeAttr::get(op.getTensorType()), op.getValue(), op.getGroupsAttr(),
      RetrievalAttr::get(op.getContext(), op.getRetrieval()),
      op.getShardingAttr(), /*internal=*/nullptr);
  state.symbols.erase(op);
  state.symbols.insert(value);
  return success();
}

static LogicalResult convert(ProgramState &state, pop::ScratchOp op) {
  OpBuilder b(op);
  StringAttr name = op.getSymNameAttr();
  std::string storageName = name.str();
  if (op.getValue())
    storageName += ".storage";
  state.symbols.remove(op);
  FailureOr<StorageOp> storage = createStorage(
      state, b, op, cast<RankedTensorType>(op.getType()), storageName);
  if (failed(storage))
    return failure();
  state.storages[name] = *storage;
  if (op.getValue())
    state.symbols.insert(StateOp::create(
        b, op.getLoc(), name, FlatSymbolRefAttr::get(storage->getSymNameAttr()),
        /*row=*/nullptr, op.getTypeAttr(), *op.getValue(), /*groups=*/nullptr,
        /*retrieval=*/nullptr, /*sharding=*/nullptr, b.getUnitAttr()));
  op.erase();
  return success();
}

static LogicalResult convert(ProgramState &state, pop::StreamOp op) {
  OpBuilder b(op);
  auto stream =
      StreamOp::create(b, op.getLoc(), op.getSymName(), op.getDirection(),
                       /*replicated=*/!op.getBroadcast(), op.getType());
  if (op.getDepth() > 1)
    stream.setDepth(op.getDepth());
  stream.setDefaultValueAttr(op.getDefaultValueAttr());
  stream.setTransfersAttr(op.getTransfersAttr());
  stream.setSeed(op.getSeed());
  state.symbols.erase(op);
  state.symbols.insert(stream);
  return success();
}

static LogicalResult convert(ProgramState &state, pop::RemoteBufferOp op) {
  OpBuilder b(op);
  auto buffer = RemoteBufferOp::create(b, op.getLoc(), op.getSymName(),
                                       op.getRows(), op.getType());
  state.symbols.erase(op);
  state.symbols.insert(buffer);
  return success();
}

LogicalResult mlir::ipu::convertSymbols(ProgramState &state) {
  ModuleOp module = state.module;
  if (Attribute transfers =
          module->removeAttr(pop::PopDialect::kHostTransfersAttrName))
    module->setAttr(IPUDialect::kHostTransfersAttrName, transfers);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<pop::VariableOp, pop::ScratchOp, pop::StreamOp,
                  pop::RemoteBufferOp>(
                [&](auto symbol) { return convert(state, symbol); })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  return success();
}
