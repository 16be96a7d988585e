//===- Device.cpp - A loaded program with its state -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "../Check/CheckedMemory.h"
#include "../Program/ReadInPlace.h"
#include "../Support/ScalarValues.h"
#include "Run.h"
#include "ipu-mlir/Analysis/StreamingMemory/StreamingMemory.h"

using namespace mlir;
using namespace mlir::ipu;

Device::Device(Program program, const LoadOptions &options)
    : program(std::move(program)), options(options),
      pool(std::clamp(options.threads, 1u, kMaxThreads)),
      remote(this->program, /*shares=*/!options.checkReplicaEqual),
      code(this->program),
      streamUses{countStreamUses(this->program),
                 std::vector<bool>(this->program.streams.size())},
      description(describeProgram(this->program, options.detailsProfile)) {}

FailureOr<std::unique_ptr<Device>> Device::load(ModuleOp module,
                                                const LoadOptions &options) {
  loadExecutorDialects(module.getContext());
  FailureOr<Program> program = readProgram(module, options.entry);
  if (failed(program))
    return failure();
  // Where ipu-allocate let it pass, it warned.
  bool isWarned = options.allowOutOfMemory &&
                  program->function->hasAttr(IPUDialect::kMemoryAttrName);
  StringRef howToAllow = "to run it all the same, use option 'allow-oom' of "
                         "ipu-execute or --allow-oom of ipu-run";
  if (!isWarned && (failed(checkStreamingMemory(
                        module, options.allowOutOfMemory, howToAllow)) ||
                    failed(checkMemory(program->function, program->memory,
                                       program->memoryPlan,
                                       options.allowOutOfMemory, howToAllow))))
    return failure();
  if (options.check && options.engine != EngineKind::Interp)
    return module.emitError("expects engine 'interp' for a checked run");
  if (options.checkReplicaEqual && options.engine == EngineKind::None)
    return module.emitError("expects an engine that computes values, to check "
                            "that values are replica-equal");
  std::unique_ptr<Device> device(new Device(std::move(*program), options));
  device->checkStreams();
  if (options.engine != EngineKind::None &&
      (failed(device->createMemory()) || failed(device->reset())))
    return failure();
  return device;
}

void Device::checkStreams() {
  for (auto [stream, use] : llvm::enumerate(streamUses.counts)) {
    int64_t transfers = program.streams[stream].transfers;
    // With several transfers the host may give more tensors than these.
    if (use.count <= transfers || (use.isLoad && transfers > 1))
      continue;
    warnOfStreamUses(program, stream, use, transfers,
                     "at least " + Twine(use.count));
    streamUses.isTold[stream] = true;
  }
}

LogicalResult Device::createMemory() {
  if (failed(createValues()))
    return failure();
  if (!options.checkReplicaEqual && !options.replicaEqualReport)
    return success();
  FailureOr<std::unique_ptr<ReplicaCheck>> check = ReplicaCheck::create(
      program, *memory, pool, /*compares=*/options.checkReplicaEqual,
      options.replicaEqualReport);
  if (failed(check))
    return failure();
  replicaCheck = std::move(*check);
  return success();
}

LogicalResult Device::createValues() {
  if (options.check) {
    memory = std::make_unique<CheckedMemory>(program, pool);
    return success();
  }
  FusedSetsMap fusedSets;
  if (options.engine == EngineKind::Interp) {
    engine = createInterpEngine(program);
  } else {
    // Checks look at all variables that the program has.
    if (!options.checkReplicaEqual && !options.replicaEqualReport)
      readInPlace(program);
    fusedSets = findFusedSets(
        program, FusedSetsOptions::getForHost(pool.getNumThreads()));
    std::vector<const VertexGroup *> merged;
    for (const FusedSets &sets : llvm::make_second_range(fusedSets))
      for (const MergedGroups &groups : sets.merged)
        merged.push_back(groups.group.get());
    FailureOr<std::unique_ptr<Engine>> created = createJitEngine(
        program, pool.getNumThreads(), options.cacheFolder, merged);
    if (failed(created))
      return failure();
    engine = std::move(*created);
  }
  memory = createSharedReplicaMemory(program, *engine, pool,
                                     /*shares=*/!options.checkReplicaEqual,
                                     std::move(fusedSets));
  return success();
}

LogicalResult Device::reset() {
  if (isReset)
    return success();
  remote = RemoteMemory(program, /*shares=*/!options.checkReplicaEqual);
  code = CodeResidency(program);
  for (auto [number, variable] : llvm::enumerate(program.variables)) {
    if (variable.liveRange == VariableLiveRange::Device &&
        failed(memory->begin(number)))
      return failure();
    if (variable.init && failed(writeInitialValue(program, number, *memory)))
      return failure();
  }
  for (auto [number, state] : llvm::enumerate(program.states)) {
    FailureOr<HostTensor> value =
        getInitialValue(state, program.rngGenerator, options.seed);
    if (failed(value) || failed(writeState(number, *value)))
      return failure();
  }
  if (failed(writeInternalStates()))
    return failure();
  isReset = true;
  return success();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

LogicalResult Device::writeState(unsigned number, const HostTensor &tensor) {
  isReset = false;
  hasNewStates = true;
  return write(program.states[number], tensor);
}

LogicalResult Device::writeInternalStates() {
  for (const HostState &state : program.internalStates) {
    FailureOr<HostTensor> value =
        getInitialValue(state, program.rngGenerator, options.seed);
    if (failed(value) || failed(write(state, *value)))
      return failure();
  }
  hasNewStates = false;
  return success();
}

LogicalResult Device::write(const HostState &state, const HostTensor &tensor) {
  std::vector<std::vector<char>> buffers;
  std::vector<const char *> parts = distributeState(state, tensor, buffers);
  auto getData = [&](int64_t replica) {
    return ReplicaData{parts[replica], nullptr};
  };
  if (!state.isRemote)
    return memory->write(state.storageIndex, getData);
  remote.storeAll(state.storageIndex, state.row, getData);
  return success();
}

LogicalResult Device::checkReadOnce(unsigned number) {
  const HostState &state = program.states[number];
  auto look = [&](int64_t replica, ElementsSeen &seen) {
    if (state.isRemote) {
      ReplicaData data = remote.get(state.storageIndex, state.row, replica);
      seen.values = data.values;
      seen.states = data.states;
      return;
    }
    int64_t size = program.variables[state.storageIndex].type.getNumElements();
    memory->look(state.storageIndex, replica, 0, size - 1, seen);
  };
  return ipu::checkReadOnce(state, look);
}

FailureOr<HostTensor> Device::readState(unsigned number) {
  const HostState &state = program.states[number];
  auto read = [&](int64_t replica, char *to) -> LogicalResult {
    if (state.isRemote) {
      const char *from =
          remote.get(state.storageIndex, state.row, replica).values;
      std::copy_n(from, program.remoteBuffers[state.storageIndex].bytes, to);
      return success();
    }
    const ProgramVariable &variable = program.variables[state.storageIndex];
    std::vector<uint8_t> states(variable.bytes / variable.elementBytes);
    return memory->read(state.op, state.storageIndex, replica, to,
                        states.data());
  };
  if (options.checkReplicaEqual && failed(checkReadOnce(number)))
    return failure();
  FailureOr<HostTensor> tensor = collectState(state, read);
  if (failed(tensor))
    return state.op->emitOpError(
        "cannot be read: not enough memory on the host");
  canonicalizeNaNs(state.type.getElementType(), tensor->data);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

FailureOr<ExecuteResult> Device::run(const RunOptions &runOptions) {
  isReset = false;
  if (memory && hasNewStates && failed(writeInternalStates()))
    return failure();
  if (memory)
    return Run({program, *memory, remote, code, pool, replicaCheck.get(),
                streamUses, description},
               runOptions)
        .run();
  FailureOr<Profile> profile = profileProgram(program, description);
  if (failed(profile))
    return failure();
  return ExecuteResult{{}, std::move(*profile)};
}
