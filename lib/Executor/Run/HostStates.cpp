//===- HostStates.cpp - States on the host --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostStates.h"

#include "ComputeCollective.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"

using namespace mlir;
using namespace mlir::ipu;

static RankedTensorType addDim(RankedTensorType type, int64_t size) {
  if (size == 1)
    return type;
  SmallVector<int64_t> shape = {size};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

RankedTensorType mlir::ipu::getWrittenType(const HostState &state) {
  return addDim(state.type, state.groups.getNumGroups());
}

static int64_t getNumReplicas(const HostState &state) {
  return state.groups.getNumGroups() * state.groups.getGroupSize();
}

RankedTensorType mlir::ipu::getReadType(const HostState &state) {
  return addDim(state.type, state.readsReplicas ? getNumReplicas(state)
                                                : state.groups.getNumGroups());
}

/// A tensor for all replicas, or for each.
static FailureOr<HostTensor> getInitialRngState(const HostState &state,
                                                RngSeed seed) {
  auto op = cast<RngStateOp>(state.op);
  FailureOr<HostTensor> tensor = allocateHostTensor(getWrittenType(state));
  if (failed(tensor))
    return op.emitOpError("exceeds the memory of the host");
  ArrayRef<int64_t> classes = op.getPartition().getClasses();
  // Classes are numbered by their least replica.
  SmallVector<uint32_t> least;
  for (auto [replica, number] : llvm::enumerate(classes))
    if (number == static_cast<int64_t>(least.size()))
      least.push_back(replica);
  seed.modifier = op.getModifier();
  auto *words = reinterpret_cast<uint32_t *>(tensor->data.data());
  for (int64_t i = 0; i < state.groups.getNumGroups(); ++i) {
    seed.replica = least[classes[state.groups.leastOf(i)]];
    initializeRngState(seed, state.type.getDimSize(0), words);
    words += state.type.getNumElements();
  }
  return tensor;
}

FailureOr<HostTensor> mlir::ipu::getInitialValue(const HostState &state,
                                                 RngGenerator generator,
                                                 uint64_t seed) {
  auto op = dyn_cast<StateOp>(state.op);
  if (!op)
    return getInitialRngState(state, {generator, seed, 0, 0});
  FailureOr<HostTensor> value =
      getHostTensor(op.getValue(), [&] { return op.emitOpError(); });
  RankedTensorType type = getWrittenType(state);
  if (failed(value) || value->type == type)
    return value;
  // All groups start with the same value.
  FailureOr<HostTensor> tensor = allocateHostTensor(type);
  if (failed(tensor))
    return op.emitOpError("exceeds the memory of the host");
  for (size_t i = 0; i < tensor->data.size(); i += value->data.size())
    llvm::copy(value->data, tensor->data.begin() + i);
  return tensor;
}

std::vector<const char *>
mlir::ipu::distributeState(const HostState &state, const HostTensor &tensor,
                           std::vector<std::vector<char>> &buffers) {
  int64_t bytes = *getTensorBytes(state.type);
  int64_t elementBytes = getElementBytes(state.type.getElementType());
  int64_t replicas = getNumReplicas(state);
  std::vector<const char *> result;
  /// By group and part.
  llvm::DenseMap<std::pair<int64_t, int64_t>, unsigned> parts;
  // Buffers do not move when others are added.
  buffers.reserve(replicas);
  for (int64_t replica = 0; replica < replicas; ++replica) {
    int64_t group = state.groups.groupOf(replica);
    const char *whole = tensor.data.data() + group * bytes;
    if (!state.sharding) {
      result.push_back(whole);
      continue;
    }
    int64_t part = state.sharding->indexIn(replica);
    auto [it, isNew] = parts.try_emplace({group, part}, buffers.size());
    if (isNew) {
      int64_t size = state.type.getNumElements();
      int64_t numParts = state.sharding->getGroupSize();
      buffers.emplace_back(getPartSize(size, numParts) * elementBytes);
      copyPart({size}, 0, elementBytes, whole, part, numParts,
               buffers.back().data());
    }
    result.push_back(buffers[it->second].data());
  }
  return result;
}

FailureOr<HostTensor> mlir::ipu::collectState(
    const HostState &state,
    function_ref<LogicalResult(int64_t replica, char *to)> read) {
  FailureOr<HostTensor> tensor = allocateHostTensor(getReadType(state));
  if (failed(tensor))
    return failure();
  int64_t bytes = *getTensorBytes(state.type);
  int64_t elementBytes = getElementBytes(state.type.getElementType());
  int64_t count =
      state.readsReplicas ? getNumReplicas(state) : state.groups.getNumGroups();
  for (int64_t i = 0; i < count; ++i) {
    int64_t replica = state.readsReplicas ? i : state.groups.leastOf(i);
    char *to = tensor->data.data() + i * bytes;
    if (!state.sharding) {
      if (failed(read(replica, to)))
        return failure();
      continue;
    }
    int64_t size = state.type.getNumElements();
    int64_t parts = state.sharding->getGroupSize();
    std::vector<char> part(getPartSize(size, parts) * elementBytes);
    for (auto [number, member] : llvm::enumerate(
             state.sharding->members(state.sharding->groupOf(replica)))) {
      if (failed(read(member, part.data())))
        return failure();
      copyFromPart({size}, 0, elementBytes, part.data(), number, parts, to);
    }
  }
  return tensor;
}

/// Tensor `from(i)` of `source` as tensor i of the result.
static HostTensor select(const HostState &state, const HostTensor &source,
                         RankedTensorType type, int64_t count,
                         function_ref<int64_t(int64_t)> from) {
  int64_t bytes = *getTensorBytes(state.type);
  HostTensor result{type, HostBytes(count * bytes)};
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(source.data.data() + from(i) * bytes, bytes,
                result.data.data() + i * bytes);
  return result;
}

HostTensor mlir::ipu::expandState(const HostState &state,
                                  const HostTensor &written) {
  if (!state.readsReplicas)
    return written;
  return select(state, written, getReadType(state), getNumReplicas(state),
                [&](int64_t replica) { return state.groups.groupOf(replica); });
}

HostTensor mlir::ipu::narrowState(const HostState &state,
                                  const HostTensor &read) {
  if (!state.readsReplicas)
    return read;
  return select(state, read, getWrittenType(state), state.groups.getNumGroups(),
                [&](int64_t group) { return state.groups.leastOf(group); });
}
