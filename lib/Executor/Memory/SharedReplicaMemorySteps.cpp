//===- SharedReplicaMemorySteps.cpp - Steps on shared copies --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedReplicaMemory.h"

#include "../Support/StridedCopy.h"
#include "ReplicaClasses.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult SharedReplicaMemory::compute(const ComputeNode &node) {
  forgetPartitions();
  for (const VertexGroup &group : node.groups)
    if (failed(runGroup(group)))
      return failure();
  return success();
}

/// Parts of all classes, each given by its least replica, one after the other.
std::optional<CodeletFault>
SharedReplicaMemory::runParts(const VertexGroup &group,
                              ArrayRef<int64_t> classes, int64_t begin,
                              int64_t end) {
  int64_t parts = engine.getNumParts(group);
  for (int64_t number = begin / parts; number * parts < end; ++number) {
    SmallVector<char *> buffers;
    for (unsigned variable : group.variables)
      buffers.push_back(getStorage(variable, classes[number]));
    if (group.rng)
      buffers.push_back(getStorage(*group.rng, classes[number]));
    VertexRange range;
    range.group = &group;
    range.begin = std::max(begin - number * parts, int64_t(0));
    range.end = std::min(end - number * parts, parts);
    range.buffers = buffers;
    if (std::optional<CodeletFault> fault = engine.run(range)) {
      fault->row += number * group.getNumRows();
      return fault;
    }
  }
  return std::nullopt;
}

/// The partition that the group runs once for each class of.
ReplicaPartition SharedReplicaMemory::getGroupPartition(
    const VertexGroup &group,
    function_ref<ReplicaPartition(unsigned)> getPartition) {
  ArrayRef<unsigned> read = group.variables;
  // All that it writes is new.
  if (group.writesAll)
    read = read.take_front(group.numInputs);
  ReplicaPartition partition = getCoarsest();
  for (unsigned variable : read)
    partition = partitions.meet(partition, getPartition(variable));
  if (group.rng)
    partition = partitions.meet(partition, getPartition(*group.rng));
  return partition;
}

/// Brings storage of the outputs into the form that the group needs. Returns
/// its partition.
FailureOr<ReplicaPartition>
SharedReplicaMemory::prepareGroup(const VertexGroup &group,
                                  const FusedGroup *fused) {
  ArrayRef<unsigned> inputs =
      ArrayRef(group.variables).take_front(group.numInputs);
  ArrayRef<unsigned> outputs =
      ArrayRef(group.variables).drop_front(group.numInputs);
  auto isInScratch = [&](unsigned operand) {
    return fused && fused->scratch[operand] >= 0;
  };
  ReplicaPartition partition = getGroupPartition(
      group, [&](unsigned variable) { return storage[variable].partition; });
  for (auto [operand, input] : llvm::enumerate(inputs))
    if (!isInScratch(operand) && failed(prepareToRead(input)))
      return failure();
  if (drawsStream(group) &&
      failed(divide(*group.rng, partition, /*keepsElements=*/true)))
    return failure();
  if (group.rng && failed(prepareToWrite(*group.rng, /*keepsElements=*/true)))
    return failure();
  for (auto [index, output] : llvm::enumerate(outputs)) {
    unsigned operand = group.numInputs + index;
    if (isInScratch(operand) || (fused && fused->renews[operand]))
      drop(output);
    // Vertices see nothing of an output unless they read it in place.
    bool keeps = !group.writesAll || llvm::is_contained(inputs, output);
    if (failed(divide(output, partition, keeps)))
      return failure();
    if (!isInScratch(operand) &&
        failed(prepareToWrite(output, keeps || !group.definesAll)))
      return failure();
  }
  return partition;
}

/// The elements of the variables of `group` and the operations of its step.
static double getWork(const Program &program, const VertexGroup &group) {
  VerticesOp op = group.op;
  double work =
      cast<StepOpInterface>(op->getParentOp()).getCostAttr().getFlops();
  for (unsigned variable : group.variables)
    work += program.variables[variable].type.getNumElements();
  return work;
}

InFlightDiagnostic SharedReplicaMemory::emitFault(const VertexGroup &group,
                                                  const CodeletFault &fault,
                                                  int64_t replica) {
  InFlightDiagnostic diag = emitError(fault.op->getLoc());
  diag << getFaultMessage(fault.op) << " on tile " << group.tiles[fault.row]
       << " of replica " << replica;
  VerticesOp op = group.op;
  diag.attachNote(op.getLoc()) << "vertices run here";
  return diag;
}

LogicalResult SharedReplicaMemory::runGroup(const VertexGroup &group) {
  FailureOr<ReplicaPartition> partition = prepareGroup(group);
  if (failed(partition))
    return failure();
  int64_t rows = group.getNumRows();
  std::vector<int64_t> classes = getLeastReplicas(*partition, active);
  std::vector<std::optional<CodeletFault>> faults(pool.getNumThreads());
  pool.run(
      engine.getNumParts(group) * classes.size(),
      [&](unsigned part, int64_t begin, int64_t end) {
        faults[part] = runParts(group, classes, begin, end);
      },
      getWork(program, group) * classes.size());
  // The first in order is the same for any number of threads.
  for (const std::optional<CodeletFault> &fault : faults) {
    if (!fault)
      continue;
    return emitFault(group, {fault->row % rows, fault->op},
                     classes[fault->row / rows]);
  }
  return drawsStream(group) ? unite(*group.rng) : success();
}

LogicalResult
SharedReplicaMemory::advanceRngCounters(const AdvanceRngNode &node) {
  unsigned number = node.rng;
  ReplicaPartition partition = storage[number].partition;
  if (failed(divide(number, partition, /*keepsElements=*/true)) ||
      failed(prepareToWrite(number, /*keepsElements=*/true)))
    return failure();
  int64_t words = program.variables[number].type.getNumElements();
  for (int64_t replica : getLeastReplicas(partition, active)) {
    auto *state = reinterpret_cast<uint32_t *>(getStorage(number, replica));
    for (int64_t at = 0; at < words; at += kRngWordsOfTile)
      advanceCounter(state + at, node.advance);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

/// Elements of `view` one after the other.
static void gatherElements(const StridedView &view, int64_t elementBytes,
                           const char *source, std::vector<char> &target) {
  target.resize(view.getNumElements() * elementBytes);
  CopyLoops loops = getCopyLoops(view, StridedView::identity(view.sizes));
  copyElements(loops, elementBytes, source, target.data(), 0,
               loops.sizes.empty() ? 1 : loops.sizes.front());
}

/// Which replicas hold the same of a part of a variable.
ReplicaPartition SharedReplicaMemory::comparePart(unsigned number,
                                                  const StridedView &view) {
  ReplicaPartition whole = storage[number].partition;
  const ProgramVariable &variable = program.variables[number];
  bool repeats =
      llvm::any_of(llvm::zip_equal(view.sizes, view.strides), [](auto dim) {
        return std::get<0>(dim) > 1 && std::get<1>(dim) == 0;
      });
  if (!shares || whole.isAll() || storage[number].data.isNull() ||
      (!repeats && view.getNumElements() == variable.type.getNumElements()))
    return whole;
  constexpr int64_t kStart = 64;
  StridedView start = view;
  int64_t left = kStart;
  for (int64_t &size : llvm::reverse(start.sizes)) {
    size = std::min(size, left);
    left = std::max<int64_t>(left / std::max<int64_t>(size, 1), 1);
  }
  auto getBytes = [&](int64_t replica, bool isStart,
                      std::vector<char> &buffer) {
    gatherElements(isStart ? start : view, variable.elementBytes,
                   getStorage(number, replica), buffer);
    return ArrayRef<char>(buffer);
  };
  return findEqualReplicas(partitions, whole, getBytes, pool);
}

/// Targets are equal where all is that the exchange brings to them and, unless
/// it brings all their elements, where they were before.
LogicalResult SharedReplicaMemory::prepareTargets(const ExchangeNode &node) {
  struct Target {
    ReplicaPartition partition;
    int64_t elements = 0;
  };
  llvm::MapVector<unsigned, Target> targets;
  for (const ProgramMove &move : node.moves) {
    auto [it, isNew] = targets.insert({move.target, {getCoarsest(), 0}});
    Target &target = it->second;
    target.partition =
        partitions.meet(target.partition, comparePart(move.source, move.from));
    target.elements += move.to.getNumElements();
  }
  for (auto &[variable, target] : targets) {
    // No move writes what another one reads or writes.
    bool keeps =
        target.elements < program.variables[variable].type.getNumElements();
    ReplicaPartition partition = target.partition;
    if (keeps)
      partition = partitions.meet(partition, storage[variable].partition);
    if (failed(divide(variable, partition, keeps)))
      return failure();
  }
  return success();
}

/// Whether loops over elements copy `size` of them, which are all that there
/// are on both sides.
static bool copiesAll(const CopyLoops &loops, int64_t size) {
  if (loops.sizes.empty())
    return size == 1;
  return loops.sizes.size() == 1 && loops.sizes.front() == size &&
         loops.fromStrides.front() == 1 && loops.toStrides.front() == 1;
}

/// A copy of all that a variable holds shares its memory, for only tiles
/// differ.
bool SharedReplicaMemory::shareMove(const ProgramMove &move,
                                    const CopyLoops &loops) {
  Storage &source = storage[move.source], &target = storage[move.target];
  int64_t size = program.variables[move.source].type.getNumElements();
  if (!active.areAll() || !(source.partition == target.partition) ||
      program.variables[move.target].type.getNumElements() != size ||
      !copiesAll(loops, size))
    return false;
  target.data = source.data;
  target.hasNoNaNs = source.hasNoNaNs;
  return true;
}

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
LogicalResult SharedReplicaMemory::runMove(const ProgramMove &move,
                                           bool keepsElements) {
  CopyLoops loops = getCopyLoops(move.from, move.to);
  if (shareMove(move, loops))
    return success();
  if (failed(prepareToRead(move.source)) ||
      failed(prepareToWrite(move.target, keepsElements)))
    return failure();
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  std::vector<int64_t> classes =
      getLeastReplicas(storage[move.target].partition, active);
  pool.run(
      outer * classes.size(),
      [&](unsigned, int64_t begin, int64_t end) {
        for (int64_t i = begin / outer; i * outer < end; ++i)
          copyElements(loops, move.elementBytes,
                       getStorage(move.source, classes[i]),
                       getStorage(move.target, classes[i]),
                       std::max(begin - i * outer, int64_t(0)),
                       std::min(end - i * outer, outer));
      },
      double(move.to.getNumElements()) * classes.size());
  return success();
}

LogicalResult SharedReplicaMemory::exchange(const ExchangeNode &node) {
  forgetPartitions();
  if (replicas > 1 && failed(prepareTargets(node)))
    return failure();
  // Elements that moves bring to each target.
  llvm::SmallDenseMap<unsigned, int64_t> elements;
  for (const ProgramMove &move : node.moves)
    elements[move.target] += move.to.getNumElements();
  llvm::SmallDenseSet<unsigned> begun;
  for (const ProgramMove &move : node.moves) {
    bool keeps = !begun.insert(move.target).second ||
                 elements[move.target] <
                     program.variables[move.target].type.getNumElements();
    if (failed(runMove(move, keeps)))
      return failure();
  }
  return success();
}
