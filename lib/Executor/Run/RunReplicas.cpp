//===- RunReplicas.cpp - Collectives and streaming memory of a run --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Memory/ReplicaClasses.h"
#include "ComputeCollective.h"
#include "Run.h"

#include "ipu-mlir/Interfaces/ReductionOrder.h"
#include "ipu-mlir/Replica/ReplicaReductions.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// What each replica holds of a variable, once for each class.
struct ReplicaValues {
  ReplicaPartition partition;
  /// One class after the other.
  HostBytes values;
  int64_t bytes = 0;
  std::vector<std::vector<uint8_t>> states;

  ReplicaData get(int64_t replica) const {
    int64_t at = partition.classOf(replica);
    return {values.data() + at * bytes,
            states.empty() ? nullptr : states[at].data()};
  }
};
} // namespace

/// Asks for states, where there are any, if `withStates`: then undefined
/// elements are no mistake.
static LogicalResult readAll(const Program &program, DeviceMemory &memory,
                             Operation *user, unsigned variable,
                             bool withStates, ReplicaValues &result) {
  const ProgramVariable &info = program.variables[variable];
  result.partition = memory.getPartition(variable);
  result.bytes = info.bytes;
  result.values = memory.share(variable);
  if (!result.values.isNull())
    return success();
  result.values = HostBytes::allocate(
      info.bytes * result.partition.getNumClasses(), /*isZero=*/false);
  if (result.values.isNull())
    return user->emitOpError("exceeds the memory of the host");
  withStates &= memory.hasStates();
  char *to = result.values.data();
  for (int64_t replica : getLeastReplicas(result.partition)) {
    std::vector<uint8_t> states(withStates ? info.bytes / info.elementBytes
                                           : 0);
    if (failed(memory.read(user, variable, replica, to,
                           withStates ? states.data() : nullptr)))
      return failure();
    to += info.bytes;
    if (withStates)
      result.states.push_back(std::move(states));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Which replicas get the same, as the analysis says of the pop op.
static ReplicaPartition getPartition(ReplicaPartitions &partitions,
                                     ReplicaPartition source,
                                     const Collective &collective) {
  const ReplicaGroups &groups = collective.groups;
  bool isLocal = collective.operation == CollectiveOperator::Local;
  bool anyOrder = ignoresMemberOrder(collective.operation,
                                     isFloat(collective.elements.kind),
                                     groups.getGroupSize());
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    if (isLocal)
      return source;
    return anyOrder ? reduceInGroups(partitions, source, groups)
                    : combineInGroups(partitions, source, groups);
  case CollectiveKind::AllGather:
    return combineInGroups(partitions, source, groups);
  case CollectiveKind::ReduceScatter:
    if (isLocal)
      return sliceInGroups(partitions, source, groups);
    return anyOrder ? reduceScatterInGroups(partitions, source, groups)
                    : scatterInGroups(partitions, source, groups);
  case CollectiveKind::AllToAll:
    return scatterInGroups(partitions, source, groups);
  case CollectiveKind::Broadcast:
    return broadcastInGroups(partitions, source, groups, collective.root);
  case CollectiveKind::Permute: {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto [target, from] : llvm::enumerate(collective.sources))
      if (from >= 0)
        pairs.emplace_back(from, target);
    return permuteReplicas(partitions, source, pairs);
  }
  }
  llvm_unreachable("unknown kind");
}

/// Bits for each element of the target, from each of the generators of
/// `states`; those of a stream advance.
void Run::drawBits(const CollectiveNode &node, ArrayRef<char *> states,
                   std::vector<std::vector<uint32_t>> &bits) {
  const ProgramVariable &target = program.variables[node.target];
  // The reader saw that there is one.
  TileLayout layout = *TileLayout::get(target.mapping);
  bits.resize(states.size());
  pool.run(states.size(), [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      bits[i] = drawElementBits(program.rngGenerator, layout,
                                target.type.getNumElements(),
                                reinterpret_cast<uint32_t *>(states[i]),
                                node.collective->rounding->draw);
  });
}

LogicalResult Run::visit(const CollectiveNode &node) {
  profile.runSync(node.step, SyncKind::External);
  const Collective &collective = *node.collective;
  ReplicaValues sources;
  if (failed(readAll(program, memory, node.op, node.source,
                     /*withStates=*/false, sources)))
    return failure();
  SmallVector<const char *> buffers;
  for (int64_t replica = 0; replica < replicas; ++replica)
    buffers.push_back(sources.get(replica).values);

  // One result for each class of what they get.
  ReplicaPartition partition =
      getPartition(memory.getPartitions(), sources.partition, collective);
  // Where replicas draw other bits, they round to other results.
  ReplicaValues rng;
  std::vector<std::vector<uint32_t>> bits;
  if (node.rng) {
    if (failed(readAll(program, memory, node.op, *node.rng,
                       /*withStates=*/false, rng)))
      return failure();
    partition = memory.getPartitions().meet(partition, rng.partition);
    SmallVector<char *> states;
    for (int64_t at = 0; at < rng.partition.getNumClasses(); ++at)
      states.push_back(rng.values.data() + at * rng.bytes);
    drawBits(node, states, bits);
  }
  std::vector<int64_t> classes = getLeastReplicas(partition);
  std::vector<HostBytes> results;
  SmallVector<char *> targets;
  for (size_t i = 0; i < classes.size(); ++i) {
    results.push_back(HostBytes::allocate(program.variables[node.target].bytes,
                                          /*isZero=*/false));
    if (results.back().isNull())
      return node.op->emitOpError("exceeds the memory of the host");
    targets.push_back(results.back().data());
  }
  // Often all replicas get the same: its elements are divided then.
  int64_t size = program.variables[node.target].type.getNumElements();
  bool isAllReduce = collective.kind == CollectiveKind::AllReduce;
  int64_t parts = isAllReduce ? pool.getNumThreads() : 1;
  auto compute = [&](int64_t i, int64_t part) {
    int64_t replica = classes[i];
    ArrayRef<uint32_t> drawn;
    if (node.rng)
      drawn = bits[rng.partition.classOf(replica)];
    if (isAllReduce)
      computeAllReduce(collective, buffers, replica, size * part / parts,
                       size * (part + 1) / parts, targets[i], drawn);
    else
      computeCollective(collective, buffers, replica, targets[i], drawn);
  };
  pool.run(
      classes.size() * parts,
      [&](unsigned, int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; ++at)
          compute(at / parts, at % parts);
      },
      double(size) * replicas);
  if (node.rng && program.rngGenerator == RngGenerator::Stream &&
      failed(memory.write(*node.rng,
                          [&](int64_t replica) { return rng.get(replica); })))
    return failure();
  return memory.write(node.target, [&](int64_t replica) {
    const HostBytes &result = results[partition.classOf(replica)];
    return ReplicaData{result.data(), nullptr, &result};
  });
}

LogicalResult Run::visit(const ReplicaIndexNode &node) {
  profile.runStep(node.step);
  std::vector<int32_t> numbers(replicas);
  std::iota(numbers.begin(), numbers.end(), 0);
  return memory.write(node.variable, [&](int64_t replica) {
    return ReplicaData{reinterpret_cast<const char *>(&numbers[replica]),
                       nullptr};
  });
}

//===----------------------------------------------------------------------===//
// Streaming memory
//===----------------------------------------------------------------------===//

/// The row that each replica uses; one for all if they use the same.
FailureOr<SmallVector<int64_t>> Run::getRows(const ProgramRemoteCopy &copy) {
  if (!copy.rowVariable)
    return SmallVector<int64_t>{copy.row};
  const ProgramRemoteBuffer &buffer = program.remoteBuffers[copy.buffer];
  ReplicaPartition partition = memory.getPartition(*copy.rowVariable);
  SmallVector<int64_t> rows;
  for (int64_t replica : getLeastReplicas(partition)) {
    FailureOr<int64_t> row = readScalar(copy.op, *copy.rowVariable, replica);
    if (failed(row))
      return failure();
    if (*row < 0 || *row >= buffer.rows) {
      InFlightDiagnostic diag = copy.op->emitOpError();
      diag << "expects a row number of remote buffer '" << buffer.name
           << "', which has " << buffer.rows << " rows, but got " << *row
           << " on replica " << replica;
      return diag;
    }
    rows.push_back(*row);
  }
  if (llvm::all_equal(rows)) {
    rows.truncate(1);
    return rows;
  }
  return llvm::map_to_vector(partition.getClasses(),
                             [&](int64_t number) { return rows[number]; });
}

LogicalResult Run::loadRows(const ProgramRemoteCopy &copy,
                            ArrayRef<int64_t> rows,
                            SmallVectorImpl<ReplicaData> &loaded) {
  const ProgramRemoteBuffer &buffer = program.remoteBuffers[copy.buffer];
  for (int64_t replica = 0; replica < replicas; ++replica) {
    int64_t row = rows.size() == 1 ? rows.front() : rows[replica];
    ReplicaData data = remote.get(copy.buffer, row, replica);
    if (!data.values) {
      if (failed(memory.readUndefined(
              copy.op, "reads undefined row " + Twine(row) +
                           " of remote buffer '" + buffer.name +
                           "' on replica " + Twine(replica) +
                           ": nothing has been stored to this row")))
        return failure();
      data.values = remote.getZeros(copy.buffer);
      if (!data.values)
        return copy.op->emitOpError()
               << "cannot allocate a row of '" << buffer.name
               << "': the host has too little memory";
    }
    loaded.push_back(data);
  }
  return success();
}

/// Stores read their variables before loads write any; no row is both stored
/// and loaded.
LogicalResult Run::visit(const RemoteNode &node) {
  profile.runSync(node.step, SyncKind::External);
  std::vector<SmallVector<int64_t>> rows;
  std::vector<ReplicaValues> stored(node.copies.size());
  for (auto [index, copy] : llvm::enumerate(node.copies)) {
    FailureOr<SmallVector<int64_t>> used = getRows(copy);
    if (failed(used))
      return failure();
    rows.push_back(std::move(*used));
    if (!copy.isLoad && failed(readAll(program, memory, copy.op, copy.variable,
                                       /*withStates=*/true, stored[index])))
      return failure();
  }
  for (auto [index, copy] : llvm::enumerate(node.copies)) {
    if (!copy.isLoad)
      continue;
    SmallVector<ReplicaData> loaded;
    if (failed(loadRows(copy, rows[index], loaded)) ||
        failed(memory.write(copy.variable,
                            [&](int64_t replica) { return loaded[replica]; })))
      return failure();
  }
  for (auto [index, copy] : llvm::enumerate(node.copies)) {
    if (copy.isLoad)
      continue;
    const ReplicaValues &values = stored[index];
    auto getData = [&](int64_t replica) { return values.get(replica); };
    if (rows[index].size() == 1)
      remote.storeAll(copy.buffer, rows[index].front(), getData);
    else
      remote.store(copy.buffer, rows[index], getData);
  }
  return success();
}
