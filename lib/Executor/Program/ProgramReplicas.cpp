//===- ProgramReplicas.cpp - Reading of state and replicas ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"
#include "ProgramReader.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult ProgramReader::readDeclarations() {
  for (Operation &op : *program.module.getBody()) {
    LogicalResult result = success();
    if (auto storage = dyn_cast<StorageOp>(op))
      result = readStorage(storage);
    else if (auto buffer = dyn_cast<RemoteBufferOp>(op))
      result = readRemoteBuffer(buffer);
    if (failed(result))
      return failure();
  }
  for (Operation &op : *program.module.getBody()) {
    LogicalResult result = success();
    if (auto state = dyn_cast<StateOp>(op))
      result = readState(state);
    else if (auto rng = dyn_cast<RngStateOp>(op))
      result = readRngState(rng);
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult ProgramReader::readStorage(StorageOp op) {
  FailureOr<ProgramVariable> variable =
      makeVariable(op, op.getSymName(), cast<MemRefType>(op.getType()));
  if (failed(variable))
    return failure();
  variable->liveRange = VariableLiveRange::Run;
  numberOfVar[op] = program.variables.size();
  program.variables.push_back(*variable);
  return success();
}

LogicalResult ProgramReader::readRemoteBuffer(RemoteBufferOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  std::optional<int64_t> bytes = getTensorBytes(type);
  if (!bytes)
    return op.emitOpError() << "cannot be executed with rows of type " << type;
  ProgramRemoteBuffer buffer;
  buffer.op = op;
  buffer.name = op.getSymName().str();
  buffer.rows = op.getRows();
  buffer.elementBytes = getElementBytes(type.getElementType());
  buffer.bytes = *bytes;
  numberOfBuffer[op] = program.remoteBuffers.size();
  program.remoteBuffers.push_back(buffer);
  return success();
}

LogicalResult ProgramReader::readState(StateOp op) {
  auto emitError = [&] { return op.emitOpError(); };
  int64_t replicas = program.target.replicas;
  HostState state;
  state.op = op;
  state.name = op.getSymName().str();
  state.type = cast<RankedTensorType>(op.getType());
  FailureOr<ReplicaGroups> groups =
      resolveReplicaGroups(op.getGroupsAttr(), replicas, emitError);
  if (failed(groups))
    return failure();
  state.groups = std::move(*groups);
  state.readsReplicas = op.getRetrieval().value_or(Retrieval::OnePerGroup) ==
                        Retrieval::AllReplicas;
  std::optional<int64_t> bytes = getTensorBytes(state.type);
  int64_t all;
  if (!bytes || llvm::MulOverflow(*bytes, replicas, all))
    return op.emitOpError()
           << "cannot be executed with host tensors of type " << state.type;
  int64_t held = *bytes;
  if (op.getShardingAttr()) {
    FailureOr<ReplicaGroups> sharding =
        resolveReplicaGroups(op.getShardingAttr(), replicas, emitError);
    if (failed(sharding))
      return failure();
    state.sharding = std::move(*sharding);
    held = getPartSize(state.type.getNumElements(),
                       state.sharding->getGroupSize()) *
           getElementBytes(state.type.getElementType());
  }
  Operation *storageIndex =
      symbols.lookupNearestSymbolFrom(op, op.getLocationAttr());
  int64_t there;
  if (auto buffer = dyn_cast_or_null<RemoteBufferOp>(storageIndex)) {
    state.isRemote = true;
    state.storageIndex = numberOfBuffer.lookup(buffer);
    state.row = op.getRow().value_or(0);
    there = program.remoteBuffers[state.storageIndex].bytes;
  } else {
    state.storageIndex = numberOfVar.lookup(storageIndex);
    program.variables[state.storageIndex].liveRange = VariableLiveRange::Device;
    there = program.variables[state.storageIndex].bytes;
  }
  if (held != there)
    return op.emitOpError()
           << "expects " << held << " bytes on each replica but '"
           << op.getLocation() << "' has " << there;
  (op.getInternal() ? program.internalStates : program.states)
      .push_back(std::move(state));
  return success();
}

/// Replicas of other classes than all have a tensor each: classes need not be
/// of one size.
LogicalResult ProgramReader::readRngState(RngStateOp op) {
  int64_t replicas = program.target.replicas;
  HostState state;
  state.op = op;
  state.name = op.getSymName().str();
  state.storageIndex = numberOfVar.lookup(
      symbols.lookupNearestSymbolFrom(op, op.getLocationAttr()));
  ProgramVariable &variable = program.variables[state.storageIndex];
  variable.liveRange = VariableLiveRange::Device;
  state.type = RankedTensorType::get(
      variable.type.getShape(),
      IntegerType::get(op.getContext(), 32, IntegerType::Unsigned));
  // One group for each replica, if they are apart.
  state.groups = op.getPartition().isAll()
                     ? ReplicaGroups::getAll(replicas)
                     : *ReplicaGroups::getStrided(replicas, 1, 1);
  program.states.push_back(std::move(state));
  return success();
}

//===----------------------------------------------------------------------===//
// Streaming memory
//===----------------------------------------------------------------------===//

unsigned ProgramReader::getRemoteBuffer(Operation *user,
                                        FlatSymbolRefAttr name) {
  return numberOfBuffer.lookup(symbols.lookupNearestSymbolFrom(user, name));
}

/// An `ipu.remote_load` or `ipu.remote_store`.
template <typename RemoteCopyOp>
static FailureOr<ProgramRemoteCopy> readRemoteCopy(RemoteCopyOp op,
                                                   ProgramReader &reader) {
  ProgramRemoteCopy copy;
  copy.op = op;
  copy.buffer = reader.getRemoteBuffer(op, op.getBufferAttr());
  copy.row = op.getRow().value_or(0);
  if (Value row = op.getRowVariable()) {
    FailureOr<unsigned> number = reader.getUsedVariable(op, row);
    if (failed(number))
      return failure();
    copy.rowVariable = *number;
  }
  FailureOr<unsigned> number = reader.getUsedVariable(op, op.getVariable());
  if (failed(number))
    return failure();
  copy.variable = *number;
  copy.isLoad = std::is_same_v<RemoteCopyOp, RemoteLoadOp>;
  return copy;
}

static LogicalResult readRemoteExchange(RemoteExchangeOp op,
                                        ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  RemoteNode node;
  node.step = *step;
  for (Operation &inner : op.getBody().front()) {
    FailureOr<ProgramRemoteCopy> copy = failure();
    if (auto load = dyn_cast<RemoteLoadOp>(inner))
      copy = readRemoteCopy(load, reader);
    else if (auto store = dyn_cast<RemoteStoreOp>(inner))
      copy = readRemoteCopy(store, reader);
    if (failed(copy))
      return failure();
    node.copies.push_back(*copy);
  }
  reader.addNode(std::move(node));
  return success();
}

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//

static LogicalResult readRounding(CollectiveOp op, Collective &collective) {
  if (!op.getRng())
    return success();
  auto state = cast<MemRefType>(op.getRng().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  TileMappingAttr mapping = getTileMapping(target);
  if (mapping.getFirst() + mapping.getNumTiles() > state.getDimSize(0))
    return op.emitOpError() << "expects an RNG state for tiles up to "
                            << mapping.getFirst() + mapping.getNumTiles() - 1
                            << " but got " << state;
  if (!TileLayout::get(mapping))
    return op.emitOpError("exceeds the memory of the host");
  collective.rounding = CollectiveRounding{
      getRoundedFormat(target.getElementType()), *op.getOverflow(),
      op.getDrawAttr() ? CounterDraw::get(op.getDrawAttr()) : CounterDraw()};
  return success();
}

static LogicalResult readCollective(CollectiveOp op, ProgramReader &reader) {
  int64_t replicas = reader.getProgram().target.replicas;
  std::optional<unsigned> rng;
  if (Value state = op.getRng()) {
    FailureOr<unsigned> number = reader.getUsedVariable(op, state);
    if (failed(number))
      return failure();
    rng = *number;
  }
  FailureOr<unsigned> step = reader.addStep(op);
  FailureOr<unsigned> source = reader.getUsedVariable(op, op.getSource());
  FailureOr<unsigned> target = reader.getUsedVariable(op, op.getTarget());
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      op.getGroupsAttr(), replicas, [&] { return op.emitOpError(); });
  if (failed(step) || failed(source) || failed(target) || failed(groups))
    return failure();
  auto collective = std::make_shared<Collective>();
  auto sourceType = cast<MemRefType>(op.getSource().getType());
  Type elementType = sourceType.getElementType();
  collective->kind = op.getKind();
  collective->operation = op.getReduction().value_or(CollectiveOperator::Local);
  collective->elements.kind = getScalarKind(elementType);
  collective->elements.isUnsigned = op.getIsUnsigned();
  collective->groups = std::move(*groups);
  collective->sourceShape = llvm::to_vector(sourceType.getShape());
  collective->targetShape =
      llvm::to_vector(cast<MemRefType>(op.getTarget().getType()).getShape());
  collective->axis = op.getAxis().value_or(op.getSplitAxis().value_or(0));
  collective->concatAxis = op.getConcatAxis().value_or(0);
  collective->root = op.getRoot().value_or(0);
  collective->sources.assign(replicas, -1);
  if (std::optional<ArrayAttr> pairs = op.getPairs())
    for (auto pair : pairs->getAsRange<ArrayAttr>())
      collective->sources[cast<IntegerAttr>(pair[1]).getInt()] =
          cast<IntegerAttr>(pair[0]).getInt();
  if (failed(readRounding(op, *collective)))
    return failure();
  reader.addNode(
      CollectiveNode{*step, op, std::move(collective), *source, *target, rng});
  return success();
}

static LogicalResult readReplicaIndex(ReplicaIndexOp op,
                                      ProgramReader &reader) {
  FailureOr<unsigned> step = reader.addStep(op);
  FailureOr<unsigned> variable = reader.getUsedVariable(op, op.getVariable());
  if (failed(step) || failed(variable))
    return failure();
  reader.addNode(ReplicaIndexNode{*step, *variable});
  return success();
}

void mlir::ipu::attachReplicaModels(MLIRContext &context) {
  attachExecutable<CollectiveOp, readCollective>(context);
  attachExecutable<RemoteExchangeOp, readRemoteExchange>(context);
  attachExecutable<ReplicaIndexOp, readReplicaIndex>(context);
}
