//===- FlatMemory.cpp - Variables as if all tiles shared a memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "Moves.h"
#include "ipu-mlir/Executor/HostTensor.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::ipu;

DeviceMemory::~DeviceMemory() = default;

LogicalResult mlir::ipu::writeInitialValue(const Program &program,
                                           unsigned number,
                                           DeviceMemory &memory) {
  const ProgramVariable &variable = program.variables[number];
  if (!variable.init)
    return success();
  VarOp op = variable.op;
  FailureOr<HostTensor> value =
      getHostTensor(variable.init, [&] { return op->emitOpError(); });
  if (failed(value))
    return failure();
  for (int64_t replica = 0; replica < program.target.replicas; ++replica)
    memory.write(number, replica, value->data.data());
  return success();
}

namespace {
struct FreeDeleter {
  void operator()(char *memory) const { std::free(memory); }
};

class FlatMemory : public DeviceMemory {
public:
  FlatMemory(const Program &program, Engine &engine, ThreadPool &pool)
      : program(program), engine(engine), pool(pool),
        storage(program.variables.size()) {}

  LogicalResult begin(unsigned variable) override;
  void end(unsigned variable) override { storage[variable].reset(); }
  LogicalResult compute(const ComputeNode &node) override;
  LogicalResult exchange(const ExchangeNode &node) override;
  void write(unsigned variable, int64_t replica, const char *from) override {
    std::copy_n(from, program.variables[variable].bytes,
                getStorage(variable, replica));
  }
  LogicalResult read(Operation *, unsigned variable, int64_t replica,
                     char *to) override {
    std::copy_n(getStorage(variable, replica),
                program.variables[variable].bytes, to);
    return success();
  }

private:
  LogicalResult runGroup(const VertexGroup &group);
  std::optional<CodeletFault> runRows(const VertexGroup &group, int64_t begin,
                                      int64_t end);
  void runMove(const ProgramMove &move);

  char *getStorage(unsigned variable, int64_t replica) const {
    return storage[variable].get() +
           replica * program.variables[variable].bytes;
  }

  const Program &program;
  Engine &engine;
  ThreadPool &pool;
  std::vector<std::unique_ptr<char, FreeDeleter>> storage;
};
} // namespace

LogicalResult FlatMemory::begin(unsigned number) {
  const ProgramVariable &variable = program.variables[number];
  int64_t replicas = program.target.replicas;
  // Memory that is never touched costs nothing; it starts as zeros so that runs
  // of wrong programs are alike.
  storage[number].reset(static_cast<char *>(
      std::calloc(std::max<int64_t>(variable.bytes * replicas, 1), 1)));
  VarOp op = variable.op;
  if (!storage[number])
    return op->emitOpError("exceeds the memory of the host");
  return writeInitialValue(program, number, *this);
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

LogicalResult FlatMemory::runGroup(const VertexGroup &group) {
  int64_t rows = group.getNumRows();
  std::vector<std::optional<CodeletFault>> faults(pool.getNumThreads());
  pool.run(rows * program.target.replicas,
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

/// No element that an exchange reads is written in it, so that moves may be
/// done one after another.
void FlatMemory::runMove(const ProgramMove &move) {
  CopyLoops loops = getCopyLoops(move.from, move.to);
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  pool.run(outer * program.target.replicas, [&](unsigned, int64_t begin,
                                                int64_t end) {
    for (int64_t replica = begin / outer; replica * outer < end; ++replica)
      copyElements(loops, move.elementBytes, getStorage(move.source, replica),
                   getStorage(move.target, replica),
                   std::max(begin - replica * outer, int64_t(0)),
                   std::min(end - replica * outer, outer));
  });
}

LogicalResult FlatMemory::exchange(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves)
    runMove(move);
  return success();
}

std::unique_ptr<DeviceMemory>
mlir::ipu::createFlatMemory(const Program &program, Engine &engine,
                            ThreadPool &pool) {
  return std::make_unique<FlatMemory>(program, engine, pool);
}
