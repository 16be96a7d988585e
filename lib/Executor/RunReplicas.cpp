//===- RunReplicas.cpp - Collectives and streaming memory of a run --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "Run.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// What each replica holds of a variable; once if all hold the same.
struct ReplicaValues {
  std::vector<std::vector<char>> values;
  std::vector<std::vector<uint8_t>> states;

  ReplicaData get(int64_t replica) const {
    size_t at = values.size() == 1 ? 0 : replica;
    return {values[at].data(), states.empty() ? nullptr : states[at].data()};
  }
};
} // namespace

/// Asks for states, where there are any, if `withStates`: then undefined
/// elements are no mistake.
static LogicalResult readAll(const Program &program, DeviceMemory &memory,
                             Operation *user, unsigned variable,
                             bool withStates, ReplicaValues &result) {
  const ProgramVariable &info = program.variables[variable];
  int64_t count = memory.isUniform(variable) ? 1 : program.target.replicas;
  withStates &= memory.hasStates();
  for (int64_t replica = 0; replica < count; ++replica) {
    std::vector<char> values(info.bytes);
    std::vector<uint8_t> states(withStates ? info.bytes / info.elementBytes
                                           : 0);
    if (failed(memory.read(user, variable, replica, values.data(),
                           withStates ? states.data() : nullptr)))
      return failure();
    result.values.push_back(std::move(values));
    if (withStates)
      result.states.push_back(std::move(states));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

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

  // One result for each group where all its members get the same; one for all
  // replicas if their groups have the same to start with.
  bool isShared = collective.givesGroupsTheSame();
  int64_t numGroups = collective.groups.getNumGroups();
  int64_t count = !isShared                    ? replicas
                  : sources.values.size() == 1 ? 1
                                               : numGroups;
  std::vector<std::vector<char>> results(count);
  pool.run(count, [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      results[i].resize(program.variables[node.target].bytes);
      int64_t replica = isShared ? collective.groups.members(i).front() : i;
      computeCollective(collective, buffers, replica, results[i].data());
    }
  });
  return memory.write(node.target, [&](int64_t replica) {
    int64_t at = !isShared    ? replica
                 : count == 1 ? 0
                              : collective.groups.groupOf(replica);
    return ReplicaData{results[at].data(), nullptr};
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
  SmallVector<int64_t> rows;
  int64_t count = memory.isUniform(*copy.rowVariable) ? 1 : replicas;
  for (int64_t replica = 0; replica < count; ++replica) {
    FailureOr<int64_t> row = readScalar(copy.op, *copy.rowVariable, replica);
    if (failed(row))
      return failure();
    if (*row < 0 || *row >= buffer.rows) {
      InFlightDiagnostic diag = copy.op->emitOpError();
      diag << "expects a row of remote buffer '" << buffer.name
           << "', which has " << buffer.rows << ", but got " << *row
           << " on replica " << replica;
      return diag;
    }
    rows.push_back(*row);
  }
  if (llvm::all_equal(rows))
    rows.truncate(1);
  return rows;
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
              copy.op, "reads row " + Twine(row) + " of remote buffer '" +
                           buffer.name + "' on replica " + Twine(replica) +
                           ", to which nothing has been stored")))
        return failure();
      data.values = remote.getZeros(copy.buffer);
      if (!data.values)
        return copy.op->emitOpError()
               << "has no memory of the host for a row of '" << buffer.name
               << "'";
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
    if (rows[index].size() == 1) {
      remote.storeAll(copy.buffer, rows[index].front(),
                      [&](int64_t replica) { return values.get(replica); });
      continue;
    }
    for (int64_t replica = 0; replica < replicas; ++replica)
      remote.store(copy.buffer, rows[index][replica], replica,
                   values.get(replica));
  }
  return success();
}
