//===- SharedReplicaMemoryFused.cpp - Compute sets in blocks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First, memory is allocated for all compute sets, in the order of the program.
// Then the blocks are computed one after the other. Memory that a variable no
// longer needs is kept until all blocks are computed, and a variable is not
// copied before it is computed.
//
//===----------------------------------------------------------------------===//

#include "SharedReplicaMemory.h"

#include "../Support/ScalarValues.h"
#include "ReplicaClasses.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu {
/// Runs compute sets that are fused. The replicas of `classes` each stand for
/// those that hold the same.
class FusedRun {
public:
  FusedRun(SharedReplicaMemory &memory, const FusedSets &sets,
           std::vector<int64_t> classes)
      : memory(memory), sets(sets), classes(std::move(classes)),
        parts(memory.pool.getNumThreads()) {}

  LogicalResult prepare(ArrayRef<ProgramNode> nodes);
  LogicalResult run();

private:
  using Buffers = SmallVector<char *>;
  /// What a thread finds.
  struct Part {
    HostBytes scratch;
    /// Of each group, and of those that are merged.
    std::vector<Buffers> buffers, merged;
    int64_t currentClass = -1;
    /// Of the group of that number, which no more is to be computed of.
    std::optional<CodeletFault> fault;
    size_t numGroups = 0;
    int64_t faultClass = 0;
    /// For each scan, whether there is a NaN.
    SmallVector<bool> hasNaN;
  };

  LogicalResult prepareCompute(const ComputeNode &node);
  LogicalResult prepareExchange(const ExchangeNode &node);
  void runParts(Part &part, int64_t begin, int64_t end);
  void enterClass(Part &part, int64_t number);
  void runBlock(Part &part, size_t block);
  void scanBlock(Part &part, size_t block);
  LogicalResult emitFault(const Part &part);

  SharedReplicaMemory &memory;
  const FusedSets &sets;
  std::vector<int64_t> classes;
  /// Of each group on each class; null for scratch memory.
  std::vector<std::vector<Buffers>> buffers;
  std::vector<Part> parts;
};
} // namespace mlir::ipu

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult FusedRun::prepareCompute(const ComputeNode &node) {
  for (const VertexGroup &group : node.groups) {
    const FusedGroup &fused = sets.groups[buffers.size()];
    if (failed(memory.prepareGroup(group, &fused)))
      return failure();
    buffers.emplace_back();
    for (int64_t replica : classes) {
      Buffers all;
      for (auto [variable, scratch] :
           llvm::zip_equal(group.variables, fused.scratch))
        all.push_back(scratch < 0 ? memory.getStorage(variable, replica)
                                  : nullptr);
      buffers.back().push_back(std::move(all));
    }
  }
  return success();
}

/// Moves either copy what is there before, or say who holds what.
LogicalResult FusedRun::prepareExchange(const ExchangeNode &node) {
  bool hasCopies = false;
  for (const ProgramMove &move : node.moves) {
    if (!isWholeMove(memory.program, move)) {
      hasCopies = true;
      continue;
    }
    memory.drop(move.target);
    memory.storage[move.target] = memory.storage[move.source];
  }
  return hasCopies ? memory.exchange(node) : success();
}

LogicalResult FusedRun::prepare(ArrayRef<ProgramNode> nodes) {
  for (const ProgramNode &node : nodes) {
    LogicalResult result = success();
    if (const auto *compute = std::get_if<ComputeNode>(&node))
      result = prepareCompute(*compute);
    else if (const auto *exchange = std::get_if<ExchangeNode>(&node))
      result = prepareExchange(*exchange);
    else if (const auto *begin = std::get_if<LiveRangeBeginNode>(&node))
      result = memory.begin(begin->variable);
    else if (const auto *end = std::get_if<LiveRangeEndNode>(&node))
      memory.end(end->variable);
    if (failed(result))
      return failure();
  }
  for (Part &part : parts) {
    part.numGroups = sets.groups.size();
    part.hasNaN.assign(sets.scans.size(), false);
    part.scratch = HostBytes::allocate(sets.scratchBytes, /*isZero=*/false);
    if (part.scratch.isNull())
      return VerticesOp(sets.groups.front().group->op)
          .emitOpError("exceeds the memory of the host");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void FusedRun::enterClass(Part &part, int64_t number) {
  if (part.currentClass == number)
    return;
  part.currentClass = number;
  part.buffers.clear();
  char *scratch = part.scratch.data();
  for (auto [group, all] : llvm::zip_equal(sets.groups, buffers)) {
    part.buffers.push_back(all[number]);
    for (auto [buffer, offset] :
         llvm::zip_equal(part.buffers.back(), group.scratch))
      if (offset >= 0)
        buffer = scratch + offset;
  }
  part.merged.clear();
  for (const MergedGroups &merged : sets.merged) {
    part.merged.emplace_back();
    for (auto [group, operand] : merged.operands)
      part.merged.back().push_back(part.buffers[group][operand]);
  }
}

void FusedRun::runBlock(Part &part, size_t block) {
  size_t next = 0;
  for (size_t number = 0; number < part.numGroups; ++number) {
    VertexRange range;
    if (next < sets.merged.size() && sets.merged[next].begin == number) {
      const MergedGroups &merged = sets.merged[next];
      range.group = merged.group.get();
      range.begin = merged.firstRows[block];
      range.end = merged.firstRows[block + 1];
      range.buffers = part.merged[next];
      range.table = merged.table;
      // Sizes were looked at: there are no faults.
      if (range.begin != range.end)
        (void)memory.engine.run(range);
      number = merged.end - 1;
      ++next;
      continue;
    }
    const FusedGroup &group = sets.groups[number];
    range.group = group.group;
    range.begin = group.firstRows[block];
    range.end = group.firstRows[block + 1];
    range.buffers = part.buffers[number];
    range.table = group.table;
    if (range.begin == range.end)
      continue;
    if (std::optional<CodeletFault> fault = memory.engine.run(range)) {
      // What comes before it in the program may have a fault in a later block.
      part.fault = fault;
      part.faultClass = part.currentClass;
      part.numGroups = number;
    }
  }
}

void FusedRun::scanBlock(Part &part, size_t block) {
  for (auto [scan, hasNaN] : llvm::zip_equal(sets.scans, part.hasNaN)) {
    if (hasNaN)
      continue;
    const ProgramVariable &variable = memory.program.variables[scan.variable];
    int64_t bytes = scan.elementsOfPosition * variable.elementBytes;
    const char *data = memory.getStorage(scan.variable, classes.front());
    hasNaN = hasNaNs(variable.type.getElementType(),
                     ArrayRef(data + sets.cuts[block] * bytes,
                              data + sets.cuts[block + 1] * bytes));
  }
}

void FusedRun::runParts(Part &part, int64_t begin, int64_t end) {
  int64_t blocks = sets.getNumBlocks();
  for (int64_t number = begin; number < end; ++number) {
    enterClass(part, number / blocks);
    runBlock(part, number % blocks);
    // The host sees one memory where all replicas are equal only.
    if (classes.size() == 1)
      scanBlock(part, number % blocks);
  }
}

/// Says what the first vertex in order did, of the group that `part` found.
LogicalResult FusedRun::emitFault(const Part &part) {
  const FusedGroup &fused = sets.groups[part.numGroups];
  const VertexGroup &group = *fused.group;
  CodeletFault fault = *part.fault;
  if (!fused.vertices.empty()) {
    fault.row = fused.vertices[fault.row];
    return memory.emitFault(group, fault, classes[part.faultClass]);
  }
  // Rows that are joined or split fail for the sizes that they have, whatever
  // the elements are.
  std::vector<HostBytes> zeros;
  Buffers all;
  for (unsigned variable : group.variables)
    all.push_back(
        zeros.emplace_back(memory.program.variables[variable].bytes).data());
  VertexRange range;
  range.group = &group;
  range.end = memory.engine.getNumParts(group);
  range.buffers = all;
  std::optional<CodeletFault> first = memory.engine.run(range);
  fault.row = 0;
  return memory.emitFault(group, first ? *first : fault, classes.front());
}

LogicalResult FusedRun::run() {
  memory.pool.run(sets.getNumBlocks() * classes.size(),
                  [&](unsigned part, int64_t begin, int64_t end) {
                    runParts(parts[part], begin, end);
                  });
  const Part *first = nullptr;
  for (const Part &part : parts)
    if (part.fault && (!first || part.numGroups < first->numGroups))
      first = &part;
  if (first)
    return emitFault(*first);
  if (classes.size() == 1)
    for (auto [number, scan] : llvm::enumerate(sets.scans))
      memory.storage[scan.variable].hasNoNaNs =
          llvm::none_of(parts, [number = number](const Part &part) {
            return part.hasNaN[number];
          });
  return success();
}

//===----------------------------------------------------------------------===//
// SharedReplicaMemory
//===----------------------------------------------------------------------===//

/// The one partition that all groups have, if there is one.
std::optional<ReplicaPartition>
SharedReplicaMemory::getFusedPartition(const FusedSets &sets,
                                       ArrayRef<ProgramNode> nodes) {
  if (replicas == 1)
    return getCoarsest();
  // Which replicas hold the same of a part is seen when it is there.
  if (sets.hasCopies)
    return std::nullopt;
  llvm::SmallDenseMap<unsigned, ReplicaPartition> known;
  auto getKnown = [&](unsigned variable) {
    auto it = known.find(variable);
    return it == known.end() ? storage[variable].partition : it->second;
  };
  std::optional<ReplicaPartition> all;
  for (const ProgramNode &node : nodes) {
    if (const auto *exchange = std::get_if<ExchangeNode>(&node))
      for (const ProgramMove &move : exchange->moves)
        known[move.target] = getKnown(move.source);
    const auto *compute = std::get_if<ComputeNode>(&node);
    if (!compute)
      continue;
    for (const VertexGroup &group : compute->groups) {
      ReplicaPartition partition = getGroupPartition(group, getKnown);
      if (all && *all != partition)
        return std::nullopt;
      all = partition;
      for (unsigned output :
           ArrayRef(group.variables).drop_front(group.numInputs))
        known[output] = partition;
    }
  }
  return all;
}

FailureOr<size_t> SharedReplicaMemory::runFused(ArrayRef<ProgramNode> nodes) {
  auto *it = fusedSets.find(nodes.data());
  if (it == fusedSets.end() || !active.areAll())
    return 0;
  const FusedSets &sets = it->second;
  nodes = nodes.take_front(sets.numNodes);
  forgetPartitions();
  std::optional<ReplicaPartition> partition = getFusedPartition(sets, nodes);
  if (!partition)
    return 0;
  isFusing = true;
  llvm::scope_exit end([&] {
    isFusing = false;
    retained.clear();
  });
  FusedRun run(*this, sets, getLeastReplicas(*partition));
  if (failed(run.prepare(nodes)) || failed(run.run()))
    return failure();
  return sets.numNodes;
}
