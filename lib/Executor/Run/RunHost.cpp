//===- RunHost.cpp - Streams of a run -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/ScalarValues.h"
#include "Run.h"
#include "ipu-mlir/Host/InputSpec.h"

using namespace mlir;
using namespace mlir::ipu;

/// How many tensors of `transfer` bytes there are; the last is followed by the
/// first again.
static int64_t getPeriod(const HostTensor &tensor,
                         const ProgramStream &stream) {
  return stream.transfers > 1 ? tensor.type.getDimSize(0) : 1;
}

LogicalResult Run::getInput(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  Operation *op = program.steps[node.step];
  if (!options.input)
    return op->emitOpError()
           << "expects a value of input '" << stream.name << "'";
  FailureOr<HostTensor> value = options.input(stream.name, stream.hostType);
  if (failed(value))
    return failure();
  if (llvm::Error error = checkStreamTensor(
          "input '" + stream.name + "'", *value, stream.hostType,
          stream.transfers, stream.getNumHostDims()))
    return op->emitOpError(llvm::toString(std::move(error)));
  streams[node.stream].input = std::move(*value);
  return success();
}

void Run::checkUses(const HostCopyNode &node, int64_t tensors) {
  const StreamUse &known = streamUses.counts[node.stream];
  int64_t done = streams[node.stream].count;
  // At the first one, what is known; at the one that starts over, what is seen.
  bool isKnown = done == 0 && known.count > tensors;
  if (streamUses.isTold[node.stream] || (!isKnown && done != tensors))
    return;
  streamUses.isTold[node.stream] = true;
  std::string count = isKnown ? "at least " + std::to_string(known.count)
                              : "more than " + std::to_string(tensors);
  warnOfStreamUses(program, node.stream, {0, node.step, node.isLoad}, tensors,
                   count);
}

LogicalResult Run::load(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  StreamState &state = streams[node.stream];
  if (!state.input && failed(getInput(node)))
    return failure();
  int64_t period = getPeriod(*state.input, stream);
  checkUses(node, period);
  int64_t bytes = program.variables[node.variable].bytes;
  int64_t perReplica = stream.replicated ? bytes : 0;
  int64_t transfer = bytes * (stream.replicated ? replicas : 1);
  const HostBytes &input = state.input->data;
  const char *from = input.data() + transfer * (state.count++ % period);
  return memory.write(node.variable, [&](int64_t replica) {
    return ReplicaData{from + replica * perReplica, nullptr, &input};
  });
}

LogicalResult Run::store(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  StreamState &state = streams[node.stream];
  int64_t bytes = program.variables[node.variable].bytes;
  int64_t copies = stream.replicated ? replicas : 1;
  checkUses(node, stream.transfers);
  if (shareOutput(node))
    return success();
  if (state.output < 0) {
    FailureOr<HostTensor> output = allocateHostTensor(stream.hostType);
    if (failed(output))
      return program.steps[node.step]->emitOpError()
             << "cannot allocate a " << stream.hostType
             << ": the host has too little memory";
    state.output = outputs.size();
    outputs.push_back({stream.name, std::move(*output)});
  }
  char *to = outputs[state.output].tensor.data.data() +
             bytes * copies * (state.count++ % stream.transfers);
  for (int64_t replica = 0; replica < copies; ++replica)
    if (failed(memory.read(program.steps[node.step], node.variable, replica,
                           to + replica * bytes)))
      return failure();
  canonicalizeNaNs(stream.type.getElementType(), {to, size_t(bytes * copies)});
  return success();
}

/// An output that is all of a variable shares its memory; false if it cannot.
bool Run::shareOutput(const HostCopyNode &node) {
  const ProgramStream &stream = program.streams[node.stream];
  StreamState &state = streams[node.stream];
  int64_t copies = stream.replicated ? replicas : 1;
  if (copies != 1 || stream.transfers != 1 ||
      !memory.getPartition(node.variable).isAll())
    return false;
  HostBytes bytes = memory.share(node.variable);
  if (bytes.isNull())
    return false;
  Type element = stream.type.getElementType();
  // The variable keeps its own bits, so NaNs make a copy necessary.
  if (!memory.hasNoNaNs(node.variable) &&
      hasNaNs(element, ArrayRef(std::as_const(bytes).data(), bytes.size())))
    canonicalizeNaNs(element, bytes);
  if (state.output < 0) {
    state.output = outputs.size();
    outputs.push_back({stream.name, {stream.hostType, HostBytes()}});
  }
  ++state.count;
  outputs[state.output].tensor.data = std::move(bytes);
  return true;
}

LogicalResult Run::visit(const HostCopyNode &node) {
  profile.runSync(node.step, SyncKind::External);
  return node.isLoad ? load(node) : store(node);
}
