//===- FlatMemory.cpp - Variables as if all tiles shared a memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable is *uniform* while all replicas are known to hold the same: it is
// stored once then. What reads nothing but uniform variables is done once, and
// what it writes is uniform. All variables of a program on one replica are.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "Moves.h"
#include "ipu-mlir/Executor/HostTensor.h"
#include "llvm/ADT/SmallSet.h"
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
  FlatMemory(const Program &program, Engine &engine, ThreadPool &pool)
      : program(program), engine(engine), pool(pool),
        replicas(program.target.replicas), storage(program.variables.size()) {}

  LogicalResult begin(unsigned variable) override {
    return allocate(variable, /*isUniform=*/true);
  }
  void end(unsigned variable) override { storage[variable].data.reset(); }
  LogicalResult compute(const ComputeNode &node) override;
  LogicalResult exchange(const ExchangeNode &node) override;
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
  bool isUniform(unsigned variable) const override {
    return storage[variable].isUniform;
  }

private:
  struct Storage {
    std::unique_ptr<char, FreeDeleter> data;
    bool isUniform = true;
  };

  LogicalResult allocate(unsigned variable, bool isUniform);
  LogicalResult split(unsigned variable);
  LogicalResult overwrite(unsigned variable, bool isUniform);

  LogicalResult runGroup(const VertexGroup &group);
  FailureOr<bool> prepareGroup(const VertexGroup &group);
  std::optional<CodeletFault> runRows(const VertexGroup &group, int64_t begin,
                                      int64_t end);
  LogicalResult runMove(const ProgramMove &move);
  LogicalResult uniteTargets(const ExchangeNode &node);
  LogicalResult prepareMove(const ProgramMove &move);

  char *getStorage(unsigned variable, int64_t replica) const {
    const Storage &stored = storage[variable];
    return stored.data.get() +
           (stored.isUniform ? 0 : replica * program.variables[variable].bytes);
  }

  const Program &program;
  Engine &engine;
  ThreadPool &pool;
  int64_t replicas;
  std::vector<Storage> storage;
};
} // namespace

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Memory that is never touched costs nothing; it starts as zeros so that runs
/// of wrong programs are alike.
LogicalResult FlatMemory::allocate(unsigned number, bool isUniform) {
  const ProgramVariable &variable = program.variables[number];
  int64_t bytes = variable.bytes * (isUniform ? 1 : replicas);
  storage[number].data.reset(
      static_cast<char *>(std::calloc(std::max<int64_t>(bytes, 1), 1)));
  storage[number].isUniform = isUniform;
  if (!storage[number].data)
    return variable.op->emitOpError("exceeds the memory of the host");
  return success();
}

/// From here on replicas may hold different values.
LogicalResult FlatMemory::split(unsigned number) {
  if (!storage[number].isUniform)
    return success();
  Storage old = std::move(storage[number]);
  if (failed(allocate(number, /*isUniform=*/false)))
    return failure();
  int64_t bytes = program.variables[number].bytes;
  for (int64_t replica = 0; replica < replicas; ++replica)
    std::copy_n(old.data.get(), bytes, getStorage(number, replica));
  return success();
}

/// Whatever is in the variable will be overwritten.
LogicalResult FlatMemory::overwrite(unsigned number, bool isUniform) {
  if (storage[number].isUniform == isUniform)
    return success();
  storage[number].data.reset();
  return allocate(number, isUniform);
}

LogicalResult FlatMemory::write(unsigned variable,
                                function_ref<ReplicaData(int64_t)> getData) {
  int64_t bytes = program.variables[variable].bytes;
  const char *first = getData(0).values;
  bool isUniform = true;
  for (int64_t replica = 1; replica < replicas && isUniform; ++replica) {
    const char *other = getData(replica).values;
    isUniform = other == first || std::memcmp(first, other, bytes) == 0;
  }
  if (failed(overwrite(variable, isUniform)))
    return failure();
  for (int64_t replica = 0; replica < (isUniform ? 1 : replicas); ++replica)
    std::copy_n(getData(replica).values, bytes, getStorage(variable, replica));
  return success();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult FlatMemory::compute(const ComputeNode &node) {
  for (const VertexGroup &group : node.groups)
    if (failed(runGroup(group)))
      return failure();
  return success();
}

/// Rows of all replicas behind one another.
std::optional<CodeletFault> FlatMemory::runRows(const VertexGroup &group,
                                                int64_t begin, int64_t end) {
  int64_t rows = group.getNumRows();
  for (int64_t replica = begin / rows; replica * rows < end; ++replica) {
    SmallVector<char *> buffers;
    for (unsigned variable : group.variables)
      buffers.push_back(getStorage(variable, replica));
    VertexRange range;
    range.group = &group;
    range.begin = std::max(begin - replica * rows, int64_t(0));
    range.end = std::min(end - replica * rows, rows);
    range.buffers = buffers;
    if (std::optional<CodeletFault> fault = engine.run(range)) {
      fault->row += replica * rows;
      return fault;
    }
  }
  return std::nullopt;
}

/// Brings storage of the outputs into the form that the group needs. Returns
/// whether to run it once for all replicas.
FailureOr<bool> FlatMemory::prepareGroup(const VertexGroup &group) {
  ArrayRef<unsigned> inputs =
      ArrayRef(group.variables).take_front(group.numInputs);
  ArrayRef<unsigned> outputs =
      ArrayRef(group.variables).drop_front(group.numInputs);
  auto isUniform = [&](unsigned variable) {
    return storage[variable].isUniform;
  };
  bool runsOnce = llvm::all_of(inputs, isUniform) &&
                  (group.writesAll || llvm::all_of(outputs, isUniform));
  for (unsigned output : outputs) {
    // Vertices see nothing of an output unless they read it in place.
    bool keeps = !group.writesAll || llvm::is_contained(inputs, output);
    if (runsOnce ? failed(overwrite(output, /*isUniform=*/true))
                 : failed(keeps ? split(output)
                                : overwrite(output, /*isUniform=*/false)))
      return failure();
  }
  return runsOnce;
}

LogicalResult FlatMemory::runGroup(const VertexGroup &group) {
  FailureOr<bool> runsOnce = prepareGroup(group);
  if (failed(runsOnce))
    return failure();
  int64_t rows = group.getNumRows();
  std::vector<std::optional<CodeletFault>> faults(pool.getNumThreads());
  pool.run(rows * (*runsOnce ? 1 : replicas),
           [&](unsigned part, int64_t begin, int64_t end) {
             faults[part] = runRows(group, begin, end);
           });
  // The first in order is the same for any number of threads.
  for (const std::optional<CodeletFault> &fault : faults) {
    if (!fault)
      continue;
    InFlightDiagnostic diag = emitError(fault->op->getLoc());
    diag << getFaultMessage(fault->op) << " on tile "
         << group.tiles[fault->row % rows] << " of replica "
         << fault->row / rows;
    VerticesOp op = group.op;
    diag.attachNote(op.getLoc()) << "vertices run here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

/// Targets that uniform sources overwrite, together, become uniform.
LogicalResult FlatMemory::uniteTargets(const ExchangeNode &node) {
  llvm::SmallDenseMap<unsigned, int64_t> written;
  llvm::SmallSet<unsigned, 4> others;
  for (const ProgramMove &move : node.moves) {
    if (storage[move.target].isUniform)
      continue;
    if (!storage[move.source].isUniform)
      others.insert(move.target);
    int64_t elements = 1;
    for (int64_t size : move.to.sizes)
      elements *= size;
    written[move.target] += elements;
  }
  for (auto [variable, elements] : written)
    if (!others.contains(variable) &&
        elements == program.variables[variable].type.getNumElements() &&
        failed(overwrite(variable, /*isUniform=*/true)))
      return failure();
  return success();
}

/// What the move leaves of its target stays.
LogicalResult FlatMemory::prepareMove(const ProgramMove &move) {
  if (storage[move.source].isUniform || !storage[move.target].isUniform)
    return success();
  int64_t elements = 1;
  for (int64_t size : move.to.sizes)
    elements *= size;
  if (elements == program.variables[move.target].type.getNumElements())
    return overwrite(move.target, /*isUniform=*/false);
  return split(move.target);
}

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
LogicalResult FlatMemory::runMove(const ProgramMove &move) {
  if (failed(prepareMove(move)))
    return failure();
  CopyLoops loops = getCopyLoops(move.from, move.to);
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  int64_t copies = storage[move.target].isUniform ? 1 : replicas;
  pool.run(outer * copies, [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t replica = begin / outer; replica * outer < end; ++replica)
      copyElements(loops, move.elementBytes, getStorage(move.source, replica),
                   getStorage(move.target, replica),
                   std::max(begin - replica * outer, int64_t(0)),
                   std::min(end - replica * outer, outer));
  });
  return success();
}

LogicalResult FlatMemory::exchange(const ExchangeNode &node) {
  if (replicas > 1 && failed(uniteTargets(node)))
    return failure();
  for (const ProgramMove &move : node.moves)
    if (failed(runMove(move)))
      return failure();
  return success();
}

std::unique_ptr<DeviceMemory>
mlir::ipu::createFlatMemory(const Program &program, Engine &engine,
                            ThreadPool &pool) {
  return std::make_unique<FlatMemory>(program, engine, pool);
}
