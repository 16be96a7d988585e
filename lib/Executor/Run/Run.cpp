//===- Run.cpp - One run of a program on a device -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "../Check/ReplicaCheck.h"
#include "../Memory/ReplicaClasses.h"
#include "ipu-mlir/Host/CompareTensors.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::ipu;

Run::Run(RunTarget target, const RunOptions &options)
    : program(target.program), memory(target.memory), remote(target.remote),
      code(target.code), pool(target.pool), replicaCheck(target.replicaCheck),
      streamUses(target.streamUses), options(options),
      replicas(program.target.replicas), profile(program, target.description),
      progress(program, options.progress), streams(program.streams.size()) {}

FailureOr<ExecuteResult> Run::run() {
  llvm::scope_exit joinAll(
      [&] { (void)memory.setActive(ActiveReplicas(replicas)); });
  memory.startRun();
  for (auto [number, variable] : llvm::enumerate(program.variables))
    if (variable.liveRange == VariableLiveRange::Run &&
        failed(memory.begin(number)))
      return failure();
  if (failed(runSequence(program.body)) || failed(memory.finish()) ||
      expectationFailed)
    return failure();
  return ExecuteResult{std::move(outputs), profile.finish()};
}

LogicalResult Run::runSequence(const ProgramSequence &sequence) {
  ProgressMeter::SequenceScope scope(progress, sequence);
  ArrayRef<ProgramNode> nodes = sequence.nodes;
  while (true) {
    // Also before what follows an empty sequence, such as the body of a loop.
    if (options.isStopped && options.isStopped())
      return failure();
    if (nodes.empty())
      return success();
    scope.beginNode();
    FailureOr<size_t> fused = runFused(nodes);
    if (failed(fused) || (*fused == 0 && failed(runNode(nodes.front()))))
      return failure();
    size_t ran = std::max<size_t>(*fused, 1);
    scope.skipNodes(ran - 1);
    nodes = nodes.drop_front(ran);
  }
}

/// Runs the first nodes as one, if they are to be; returns how many were run.
FailureOr<size_t> Run::runFused(ArrayRef<ProgramNode> nodes) {
  // Checks look at what each node leaves.
  if (replicaCheck)
    return 0;
  FailureOr<size_t> fused = memory.runFused(nodes);
  if (failed(fused))
    return failure();
  for (const ProgramNode &node : nodes.take_front(*fused)) {
    if (const auto *compute = std::get_if<ComputeNode>(&node))
      profile.runStep(compute->step);
    else if (const auto *exchange = std::get_if<ExchangeNode>(&node))
      profile.runStep(exchange->step);
    else if (const auto *sync = std::get_if<SyncNode>(&node))
      profile.runSync(sync->step, sync->kind);
  }
  return fused;
}

LogicalResult Run::runNode(const ProgramNode &node) {
  if (failed(std::visit([&](const auto &inner) { return visit(inner); }, node)))
    return failure();
  return replicaCheck ? replicaCheck->check(node) : success();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult Run::visit(const LiveRangeBeginNode &node) {
  return memory.begin(node.variable);
}

LogicalResult Run::visit(const LiveRangeEndNode &node) {
  memory.end(node.variable);
  return success();
}

//===----------------------------------------------------------------------===//
// Compute, exchange and synchronisation
//===----------------------------------------------------------------------===//

LogicalResult Run::visit(const ComputeNode &node) {
  if (failed(memory.compute(node)))
    return failure();
  profile.runStep(node.step);
  return success();
}

LogicalResult Run::visit(const AdvanceRngNode &node) {
  return memory.advanceRngCounters(node);
}

LogicalResult Run::visit(const ExchangeNode &node) {
  if (failed(memory.exchange(node)))
    return failure();
  profile.runStep(node.step);
  return success();
}

LogicalResult Run::visit(const SyncNode &node) {
  profile.runSync(node.step, node.kind);
  return success();
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

/// Later checks run too: one run tells all that is wrong.
LogicalResult Run::visit(const ExpectNode &node) {
  ExpectOp op = node.op;
  FailureOr<HostTensor> expected =
      getHostTensor(op.getExpected(), [&] { return op.emitOpError(); });
  if (failed(expected))
    return failure();
  std::optional<Tolerance> tolerance;
  if (op.getRtol())
    tolerance = Tolerance{op.getRtol()->convertToDouble(),
                          op.getAtol()->convertToDouble()};
  const ProgramVariable &variable = program.variables[node.variable];
  ReplicaPartition partition = memory.getPartition(node.variable);
  // By class; empty if the expectation holds.
  std::vector<std::string> differences(partition.getNumClasses());
  for (int64_t replica : getLeastReplicas(partition, memory.getActive())) {
    HostTensor actual{
        // An expectation of a view that shows all of a variable has its shape.
        RankedTensorType::get(expected->type.getShape(),
                              variable.type.getElementType()),
        HostBytes(variable.bytes)};
    if (failed(memory.read(op, node.variable, replica, actual.data.data())))
      return failure();
    Comparison comparison = compareTensors(actual, *expected, tolerance);
    if (!comparison.holds())
      differences[partition.classOf(replica)] = comparison.describe();
  }
  for (int64_t replica : memory.getActive().get()) {
    StringRef difference = differences[partition.classOf(replica)];
    if (difference.empty())
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "does not hold";
    if (replicas > 1)
      diag << " on replica " << replica;
    diag << ": " << difference;
    diag.report();
    if (options.expectationFailed)
      options.expectationFailed();
    expectationFailed = true;
  }
  return success();
}
