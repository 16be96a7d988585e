//===- SharedReplicaMemory.cpp - Shared memory of equal replicas ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedReplicaMemory.h"

#include "ReplicaClasses.h"
#include "ipu-mlir/Host/HostTensor.h"

using namespace mlir;
using namespace mlir::ipu;

DeviceMemory::~DeviceMemory() = default;

LogicalResult mlir::ipu::writeInitialValue(const Program &program,
                                           unsigned number,
                                           DeviceMemory &memory) {
  const ProgramVariable &variable = program.variables[number];
  FailureOr<HostTensor> value =
      getHostTensor(variable.init, [&] { return variable.op->emitOpError(); });
  if (failed(value))
    return failure();
  const HostBytes &data = value->data;
  return memory.write(number, [&](int64_t) {
    return ReplicaData{data.data(), nullptr, &data};
  });
}

std::unique_ptr<DeviceMemory>
mlir::ipu::createSharedReplicaMemory(const Program &program, Engine &engine,
                                     ThreadPool &pool, bool shares,
                                     FusedSetsMap fusedSets) {
  return std::make_unique<SharedReplicaMemory>(program, engine, pool, shares,
                                               std::move(fusedSets));
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// What replicas have in common may follow from their data, differently each
/// time: keeps only the partitions that are in use if there are many.
void SharedReplicaMemory::forgetPartitions() {
  if (partitions.getNumKnown() < maxKnown)
    return;
  ReplicaPartitions used(replicas);
  for (Storage &stored : storage)
    if (stored.partition)
      stored.partition = used.get(stored.partition.getClasses());
  partitions = std::move(used);
  maxKnown = std::max(kMaxKnown, 2 * partitions.getNumKnown());
}

/// What is fused may still have to read the bytes.
void SharedReplicaMemory::retain(HostBytes bytes) {
  if (isFusing && !bytes.isNull() && !bytes.isShared())
    retained.push_back(std::move(bytes));
}

void SharedReplicaMemory::drop(unsigned number) {
  storage[number].hasNoNaNs = false;
  retain(std::exchange(storage[number].data, HostBytes()));
}

LogicalResult SharedReplicaMemory::allocate(unsigned number, bool isZero) {
  const ProgramVariable &variable = program.variables[number];
  Storage &stored = storage[number];
  drop(number);
  stored.data = HostBytes::allocate(
      variable.bytes * stored.partition.getNumClasses(), isZero);
  if (stored.data.isNull())
    return variable.op->emitOpError("exceeds the memory of the host");
  return success();
}

/// Memory that is never touched costs nothing; it starts as zeros so that wrong
/// programs give the same in each run.
LogicalResult SharedReplicaMemory::prepareToRead(unsigned number) {
  return storage[number].data.isNull() ? allocate(number, /*isZero=*/true)
                                       : success();
}

LogicalResult SharedReplicaMemory::prepareToWrite(unsigned number,
                                                  bool keepsElements) {
  Storage &stored = storage[number];
  stored.hasNoNaNs = false;
  // Those of replicas that wait are there, too.
  keepsElements |= !active.areAll();
  if (stored.data.isNull())
    return allocate(number, /*isZero=*/keepsElements);
  if (!keepsElements && stored.data.isShared())
    return allocate(number, /*isZero=*/false);
  if (!stored.data.tryUnshare())
    return program.variables[number].op->emitOpError(
        "exceeds the memory of the host");
  return success();
}

/// Active replicas are as in `partition`, and none of them is in one class with
/// the others, which are as in `others`.
ReplicaPartition
SharedReplicaMemory::keepOthersApart(ReplicaPartition partition,
                                     ReplicaPartition others) {
  std::vector<int64_t> keys(replicas);
  for (int64_t replica = 0; replica < replicas; ++replica)
    keys[replica] = active.contains(replica)
                        ? partition.classOf(replica)
                        : replicas + others.classOf(replica);
  return partitions.get(keys);
}

/// Makes classes of the active replicas of a variable. If its elements are
/// kept, two that have been apart come together only if they hold the same.
LogicalResult SharedReplicaMemory::divide(unsigned number,
                                          ReplicaPartition partition,
                                          bool keepsElements) {
  if (!active.areAll()) {
    partition = keepOthersApart(partition, storage[number].partition);
    keepsElements = true;
    writtenApart.insert(number);
  }
  if (storage[number].partition == partition)
    return success();
  if (!keepsElements || storage[number].data.isNull()) {
    drop(number);
    storage[number].partition = partition;
    return success();
  }
  Storage old = std::exchange(storage[number], Storage());
  storage[number].partition = partition;
  if (failed(allocate(number, /*isZero=*/false)))
    return failure();
  int64_t bytes = program.variables[number].bytes;
  for (int64_t replica : getLeastReplicas(partition))
    std::copy_n(std::as_const(old.data).data() +
                    old.partition.classOf(replica) * bytes,
                bytes, getStorage(number, replica));
  retain(std::move(old.data));
  return success();
}

/// What replicas wrote apart may be equal nevertheless.
LogicalResult SharedReplicaMemory::setActive(const ActiveReplicas &newActive) {
  active = newActive;
  if (!active.areAll())
    return success();
  for (unsigned variable : writtenApart.takeVector())
    if (!storage[variable].data.isNull() && failed(unite(variable)))
      return failure();
  return success();
}

/// `bytes` of what a replica holds, or some of the first.
static ArrayRef<char> getBytes(const char *values, int64_t bytes,
                               bool isStart) {
  constexpr int64_t kStart = 256;
  return {values,
          static_cast<size_t>(isStart ? std::min(bytes, kStart) : bytes)};
}

/// Generators that were equal draw equal bits, whatever the values that their
/// bits are for.
LogicalResult SharedReplicaMemory::unite(unsigned number) {
  if (!shares || storage[number].partition.isAll())
    return success();
  if (failed(prepareToRead(number)))
    return failure();
  int64_t bytes = program.variables[number].bytes;
  auto getHeld = [&](int64_t replica, bool isStart, std::vector<char> &) {
    return getBytes(getStorage(number, replica), bytes, isStart);
  };
  return divide(
      number,
      findEqualReplicas(partitions, storage[number].partition, getHeld, pool),
      /*keepsElements=*/true);
}

LogicalResult
SharedReplicaMemory::write(unsigned variable,
                           function_ref<ReplicaData(int64_t)> getData) {
  int64_t bytes = program.variables[variable].bytes;
  ReplicaPartition partition = getCoarsest();
  if (shares && replicas > 1) {
    llvm::DenseMap<const char *, int64_t> numbers;
    std::vector<int64_t> keys;
    keys.reserve(replicas);
    for (int64_t replica = 0; replica < replicas; ++replica)
      keys.push_back(
          numbers.try_emplace(getData(replica).values, numbers.size())
              .first->second);
    auto getNew = [&](int64_t replica, bool isStart, std::vector<char> &) {
      return getBytes(getData(replica).values, bytes, isStart);
    };
    partition =
        findEqualReplicas(partitions, partitions.get(keys), getNew, pool);
  }
  if (failed(divide(variable, partition, /*keepsElements=*/false)))
    return failure();
  const HostBytes *whole = getData(0).bytes;
  if (whole && partition.isAll() && active.areAll() &&
      whole->size() == static_cast<size_t>(bytes)) {
    drop(variable);
    storage[variable].data = *whole;
    return success();
  }
  if (failed(prepareToWrite(variable, /*keepsElements=*/false)))
    return failure();
  for (int64_t replica : getLeastReplicas(partition, active))
    std::copy_n(getData(replica).values, bytes, getStorage(variable, replica));
  return success();
}
