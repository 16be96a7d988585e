//===- FlatMemory.cpp - Variables as if all tiles shared a memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replicas that are known to hold the same of a variable are a class of its
// partition, and the variable is stored once for each class. A step is done
// once for each class of what it reads and of what it leaves of its targets,
// and writes variables of that partition.
//
// What ReplicaEqual proves equal is a class, or part of one, here: both follow
// the same transfer functions, which give no finer result for coarser operands,
// and a run takes one way through the program, of which the analysis has to
// consider all. The analysis does more only in that it knows parts of a
// variable; so parts that moves read are compared byte by byte. What comes from
// outside is compared, too, and each row of a remote buffer has one content for
// all replicas that stored the same.
//
// If nothing is to be shared all partitions have a class for each replica.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "Moves.h"
#include "ReplicaClasses.h"
#include "ipu-mlir/Executor/HostTensor.h"
#include "ipu-mlir/Executor/Random.h"
#include "llvm/ADT/MapVector.h"
#include <cstdlib>

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
  return memory.write(number, [&](int64_t) {
    return ReplicaData{value->data.data(), nullptr};
  });
}

namespace {
struct FreeDeleter {
  void operator()(char *memory) const { std::free(memory); }
};

class FlatMemory : public DeviceMemory {
public:
  FlatMemory(const Program &program, Engine &engine, ThreadPool &pool,
             bool shares)
      : DeviceMemory(program.target.replicas), program(program), engine(engine),
        pool(pool), replicas(program.target.replicas), shares(shares),
        storage(program.variables.size()) {}

  LogicalResult begin(unsigned variable) override {
    forgetPartitions();
    return allocate(variable, getCoarsest());
  }
  void end(unsigned variable) override { storage[variable].data.reset(); }
  LogicalResult compute(const ComputeNode &node) override;
  LogicalResult exchange(const ExchangeNode &node) override;
  void advanceCounters(unsigned rng) override;
  LogicalResult write(unsigned variable,
                      function_ref<ReplicaData(int64_t)> getData) override;
  LogicalResult read(Operation *, unsigned variable, int64_t replica, char *to,
                     uint8_t *states) override {
    int64_t bytes = program.variables[variable].bytes;
    std::copy_n(getStorage(variable, replica), bytes, to);
    if (states)
      std::fill_n(states, bytes / program.variables[variable].elementBytes,
                  kDefined);
    return success();
  }
  void look(unsigned variable, int64_t replica, int64_t low, int64_t,
            ElementsSeen &seen) override {
    seen.values = getStorage(variable, replica) +
                  low * program.variables[variable].elementBytes;
    seen.states = nullptr;
  }
  ReplicaPartition getPartition(unsigned variable) const override {
    return storage[variable].partition;
  }

private:
  struct Storage {
    std::unique_ptr<char, FreeDeleter> data;
    /// One copy for each class.
    ReplicaPartition partition;
  };

  /// Of what is the same on all replicas.
  ReplicaPartition getCoarsest() const {
    return shares ? partitions.getAll() : partitions.getNone();
  }
  void forgetPartitions();
  LogicalResult allocate(unsigned variable, ReplicaPartition partition);
  LogicalResult divide(unsigned variable, ReplicaPartition partition,
                       bool keepsElements);
  LogicalResult unite(unsigned variable);
  ReplicaPartition comparePart(unsigned variable, const StridedView &view);

  /// Whether vertices write the state that they draw from.
  bool drawsStream(const VertexGroup &group) const {
    return group.rng && program.rngGenerator == pop::RngGenerator::Stream;
  }
  LogicalResult runGroup(const VertexGroup &group);
  FailureOr<ReplicaPartition> prepareGroup(const VertexGroup &group);
  std::optional<CodeletFault> runRows(const VertexGroup &group,
                                      ArrayRef<int64_t> classes, int64_t begin,
                                      int64_t end);
  void runMove(const ProgramMove &move);
  LogicalResult prepareTargets(const ExchangeNode &node);

  char *getStorage(unsigned variable, int64_t replica) const {
    const Storage &stored = storage[variable];
    return stored.data.get() + stored.partition.classOf(replica) *
                                   program.variables[variable].bytes;
  }

  const Program &program;
  Engine &engine;
  ThreadPool &pool;
  int64_t replicas;
  bool shares;
  std::vector<Storage> storage;
  static constexpr size_t kMaxKnown = 4096;
  size_t maxKnown = kMaxKnown;
};
} // namespace

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// What replicas have in common may follow from their data, differently each
/// time: keeps only the partitions that are in use if there are many.
void FlatMemory::forgetPartitions() {
  if (partitions.getNumKnown() < maxKnown)
    return;
  ReplicaPartitions used(replicas);
  for (Storage &stored : storage)
    if (stored.partition)
      stored.partition = used.get(stored.partition.getClasses());
  partitions = std::move(used);
  maxKnown = std::max(kMaxKnown, 2 * partitions.getNumKnown());
}

/// Memory that is never touched costs nothing; it starts as zeros so that runs
/// of wrong programs are alike.
LogicalResult FlatMemory::allocate(unsigned number,
                                   ReplicaPartition partition) {
  const ProgramVariable &variable = program.variables[number];
  int64_t bytes = variable.bytes * partition.getNumClasses();
  storage[number].data.reset(
      static_cast<char *>(std::calloc(std::max<int64_t>(bytes, 1), 1)));
  storage[number].partition = partition;
  if (!storage[number].data)
    return variable.op->emitOpError("exceeds the memory of the host");
  return success();
}

/// Makes classes of the replicas of a variable. If its elements are kept, two
/// that have been apart come together only if they hold the same.
LogicalResult FlatMemory::divide(unsigned number, ReplicaPartition partition,
                                 bool keepsElements) {
  if (storage[number].partition == partition)
    return success();
  Storage old = std::move(storage[number]);
  if (!keepsElements)
    old.data.reset();
  if (failed(allocate(number, partition)))
    return failure();
  if (!keepsElements)
    return success();
  int64_t bytes = program.variables[number].bytes;
  for (int64_t replica : getLeastReplicas(partition))
    std::copy_n(old.data.get() + old.partition.classOf(replica) * bytes, bytes,
                getStorage(number, replica));
  return success();
}

/// Generators that were equal draw alike, whatever the values that their bits
/// are for.
LogicalResult FlatMemory::unite(unsigned number) {
  if (!shares || storage[number].partition.isAll())
    return success();
  constexpr int64_t kStart = 256;
  int64_t bytes = program.variables[number].bytes;
  auto getBytes = [&](int64_t replica, bool isStart, std::vector<char> &) {
    return ArrayRef<char>(getStorage(number, replica),
                          isStart ? std::min(bytes, kStart) : bytes);
  };
  return divide(
      number,
      findEqualReplicas(partitions, storage[number].partition, getBytes, pool),
      /*keepsElements=*/true);
}

LogicalResult FlatMemory::write(unsigned variable,
                                function_ref<ReplicaData(int64_t)> getData) {
  int64_t bytes = program.variables[variable].bytes;
  ReplicaPartition partition = getCoarsest();
  if (shares && replicas > 1) {
    llvm::DenseMap<const char *, int64_t> numbers;
    std::vector<int64_t> keys;
    for (int64_t replica = 0; replica < replicas; ++replica)
      keys.push_back(
          numbers.try_emplace(getData(replica).values, numbers.size())
              .first->second);
    constexpr int64_t kStart = 256;
    auto getBytes = [&](int64_t replica, bool isStart, std::vector<char> &) {
      return ArrayRef<char>(getData(replica).values,
                            isStart ? std::min(bytes, kStart) : bytes);
    };
    partition =
        findEqualReplicas(partitions, partitions.get(keys), getBytes, pool);
  }
  if (failed(divide(variable, partition, /*keepsElements=*/false)))
    return failure();
  for (int64_t replica : getLeastReplicas(partition))
    std::copy_n(getData(replica).values, bytes, getStorage(variable, replica));
  return success();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult FlatMemory::compute(const ComputeNode &node) {
  forgetPartitions();
  for (const VertexGroup &group : node.groups)
    if (failed(runGroup(group)))
      return failure();
  return success();
}

/// Rows of all classes, each given by its least replica, behind one another.
std::optional<CodeletFault> FlatMemory::runRows(const VertexGroup &group,
                                                ArrayRef<int64_t> classes,
                                                int64_t begin, int64_t end) {
  int64_t rows = group.getNumRows();
  for (int64_t number = begin / rows; number * rows < end; ++number) {
    SmallVector<char *> buffers;
    for (unsigned variable : group.variables)
      buffers.push_back(getStorage(variable, classes[number]));
    if (group.rng)
      buffers.push_back(getStorage(*group.rng, classes[number]));
    VertexRange range;
    range.group = &group;
    range.begin = std::max(begin - number * rows, int64_t(0));
    range.end = std::min(end - number * rows, rows);
    range.buffers = buffers;
    if (std::optional<CodeletFault> fault = engine.run(range)) {
      fault->row += number * rows;
      return fault;
    }
  }
  return std::nullopt;
}

/// Brings storage of the outputs into the form that the group needs. Returns
/// the partition that it runs once for each class of.
FailureOr<ReplicaPartition> FlatMemory::prepareGroup(const VertexGroup &group) {
  ArrayRef<unsigned> inputs =
      ArrayRef(group.variables).take_front(group.numInputs);
  ArrayRef<unsigned> outputs =
      ArrayRef(group.variables).drop_front(group.numInputs);
  ReplicaPartition partition = getCoarsest();
  for (unsigned input : inputs)
    partition = partitions.meet(partition, storage[input].partition);
  if (!group.writesAll)
    for (unsigned output : outputs)
      partition = partitions.meet(partition, storage[output].partition);
  if (group.rng)
    partition = partitions.meet(partition, storage[*group.rng].partition);
  if (drawsStream(group) &&
      failed(divide(*group.rng, partition, /*keepsElements=*/true)))
    return failure();
  for (unsigned output : outputs) {
    // Vertices see nothing of an output unless they read it in place.
    bool keeps = !group.writesAll || llvm::is_contained(inputs, output);
    if (failed(divide(output, partition, keeps)))
      return failure();
  }
  return partition;
}

LogicalResult FlatMemory::runGroup(const VertexGroup &group) {
  FailureOr<ReplicaPartition> partition = prepareGroup(group);
  if (failed(partition))
    return failure();
  int64_t rows = group.getNumRows();
  std::vector<int64_t> classes = getLeastReplicas(*partition);
  std::vector<std::optional<CodeletFault>> faults(pool.getNumThreads());
  pool.run(rows * classes.size(),
           [&](unsigned part, int64_t begin, int64_t end) {
             faults[part] = runRows(group, classes, begin, end);
           });
  // The first in order is the same for any number of threads.
  for (const std::optional<CodeletFault> &fault : faults) {
    if (!fault)
      continue;
    InFlightDiagnostic diag = emitError(fault->op->getLoc());
    diag << getFaultMessage(fault->op) << " on tile "
         << group.tiles[fault->row % rows] << " of replica "
         << classes[fault->row / rows];
    VerticesOp op = group.op;
    diag.attachNote(op.getLoc()) << "vertices run here";
    return diag;
  }
  return drawsStream(group) ? unite(*group.rng) : success();
}

void FlatMemory::advanceCounters(unsigned number) {
  int64_t copies = storage[number].partition.getNumClasses();
  int64_t words = program.variables[number].type.getNumElements() * copies;
  auto *state = reinterpret_cast<uint32_t *>(storage[number].data.get());
  for (int64_t at = 0; at < words; at += kRngWordsOfTile)
    advanceCounter(state + at);
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
ReplicaPartition FlatMemory::comparePart(unsigned number,
                                         const StridedView &view) {
  ReplicaPartition whole = storage[number].partition;
  const ProgramVariable &variable = program.variables[number];
  bool repeats =
      llvm::any_of(llvm::zip_equal(view.sizes, view.strides), [](auto dim) {
        return std::get<0>(dim) > 1 && std::get<1>(dim) == 0;
      });
  if (!shares || whole.isAll() ||
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
LogicalResult FlatMemory::prepareTargets(const ExchangeNode &node) {
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

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
void FlatMemory::runMove(const ProgramMove &move) {
  CopyLoops loops = getCopyLoops(move.from, move.to);
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  std::vector<int64_t> classes =
      getLeastReplicas(storage[move.target].partition);
  pool.run(outer * classes.size(), [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t i = begin / outer; i * outer < end; ++i)
      copyElements(loops, move.elementBytes,
                   getStorage(move.source, classes[i]),
                   getStorage(move.target, classes[i]),
                   std::max(begin - i * outer, int64_t(0)),
                   std::min(end - i * outer, outer));
  });
}

LogicalResult FlatMemory::exchange(const ExchangeNode &node) {
  forgetPartitions();
  if (replicas > 1 && failed(prepareTargets(node)))
    return failure();
  for (const ProgramMove &move : node.moves)
    runMove(move);
  return success();
}

std::unique_ptr<DeviceMemory>
mlir::ipu::createFlatMemory(const Program &program, Engine &engine,
                            ThreadPool &pool, bool shares) {
  return std::make_unique<FlatMemory>(program, engine, pool, shares);
}
