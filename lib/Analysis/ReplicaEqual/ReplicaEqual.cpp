//===- ReplicaEqual.cpp - Replica-equal analysis ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"

#include "ReplicaEqualCallJudge.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// ReplicaEqualSemantics
//===----------------------------------------------------------------------===//

ReplicaEqualSemantics::~ReplicaEqualSemantics() = default;

void ReplicaEqualSemantics::infer(ReplicaEqualOpInterface op,
                                  const ReplicaEqualInputs &inputs,
                                  ReplicaEqualOutputs &outputs) const {
  op.inferReplicaEqual(inputs, outputs);
}

SmallVector<ReplicaStateStart>
ReplicaEqualSemantics::getStarts(ReplicaStateOpInterface symbol,
                                 ReplicaEqualContext &context) const {
  return symbol.getReplicaStarts(context);
}

ReplicaPartition
ReplicaEqualSemantics::getRefinement(Operation *, ReplicaEqualContext &) const {
  return {};
}

bool ReplicaEqualSemantics::folds(Operation *) const { return true; }

bool ReplicaEqualSemantics::passes(ReplicaFlow, Operation *) const {
  return true;
}

//===----------------------------------------------------------------------===//
// ReplicaEqual
//===----------------------------------------------------------------------===//

struct ReplicaEqual::Impl {
  Impl(ModuleOp module, int64_t numReplicas)
      : context(numReplicas), program(module, context) {}

  ReplicaEqualContext context;
  EquationBuilder program;
  SmallVector<ReplicaDisagreement> disagreements;
  SmallVector<ReplicaDrift> drifts;
  /// Steps of paths. With more than these, differences that are found later
  /// have none: each of many variables could get its own from all others.
  static constexpr size_t kMaxTraced = size_t(1) << 20;
  mutable size_t numTraced = 0;

  void solve(const ReplicaEqualSemantics &semantics);
  Path trace(const Difference &difference) const;
  Path explain(ArrayRef<Node> nodes) const;
  void findDrifts(ModuleOp module, const ReplicaEqualSemantics &semantics);
  std::optional<ReplicaDrift> findDrift(ReplicaStateOpInterface state,
                                        const ReplicaStateStart &start);
};

void ReplicaEqual::Impl::solve(const ReplicaEqualSemantics &semantics) {
  std::optional<CallJudge> judge;
  program.graph.solve(context, semantics, [&](ArrayRef<Lowering> lowered) {
    if (!judge)
      judge.emplace(program, context);
    judge->judge(lowered);
  });
  if (!context.hasFailed())
    disagreements = judge->getDisagreements();
}

ReplicaEqual::Path
ReplicaEqual::Impl::trace(const Difference &difference) const {
  if (numTraced >= kMaxTraced)
    return {};
  Path path = program.graph.trace(difference);
  numTraced += path.size();
  // What is written at the end of the program is that of its last write.
  if (!path.empty())
    path.erase(std::remove_if(path.begin() + 1, path.end(),
                              [](const ReplicaDifference &step) {
                                return isa<FunctionOpInterface>(step.op);
                              }),
               path.end());
  return path;
}

ReplicaEqual::Path ReplicaEqual::Impl::explain(ArrayRef<Node> nodes) const {
  for (Node node : nodes)
    if (auto pair =
            findSeparated(context.partitions.getAll(), program.graph.get(node)))
      return trace({node, pair->first, pair->second});
  return {};
}

std::optional<ReplicaDrift>
ReplicaEqual::Impl::findDrift(ReplicaStateOpInterface state,
                              const ReplicaStateStart &start) {
  for (Node node : program.getStateNodes(start.state))
    if (auto pair = findSeparated(start.partition, program.graph.get(node))) {
      Path path = trace({node, pair->first, pair->second});
      if (!path.empty())
        path.erase(std::remove_if(path.begin() + 1, path.end(),
                                  [&](const ReplicaDifference &step) {
                                    return step.op == state;
                                  }),
                   path.end());
      return ReplicaDrift{state, std::nullopt, pair->first, pair->second,
                          std::move(path)};
    }
  return std::nullopt;
}

void ReplicaEqual::Impl::findDrifts(ModuleOp module,
                                    const ReplicaEqualSemantics &semantics) {
  for (auto state : module.getOps<ReplicaStateOpInterface>()) {
    if (!state.isReadOnce())
      continue;
    for (const ReplicaStateStart &start : semantics.getStarts(state, context))
      if (std::optional<ReplicaDrift> drift = findDrift(state, start)) {
        drifts.push_back(std::move(*drift));
        break;
      }
  }
  FunctionOpInterface main = getMainFunction(module);
  auto nodes = program.functions.find(main);
  if (nodes == program.functions.end())
    return;
  for (auto [i, node] : llvm::enumerate(nodes->second.results))
    if (auto pair =
            findSeparated(context.partitions.getAll(), program.graph.get(node)))
      drifts.push_back({main, static_cast<unsigned>(i), pair->first,
                        pair->second,
                        trace({node, pair->first, pair->second})});
}

FailureOr<ReplicaEqual>
ReplicaEqual::create(ModuleOp module, int64_t numReplicas,
                     const ReplicaEqualSemantics &semantics) {
  if (numReplicas < 1 || numReplicas > ReplicaGroups::kMaxReplicas)
    // At the location only: the whole module would say no more.
    return emitError(module.getLoc())
           << "expects between 1 and " << ReplicaGroups::kMaxReplicas
           << " replicas but got " << numReplicas;
  auto impl = std::make_unique<Impl>(module, numReplicas);
  impl->program.build(semantics);
  impl->solve(semantics);
  if (impl->context.hasFailed())
    return failure();
  impl->findDrifts(module, semantics);
  return ReplicaEqual(std::move(impl));
}

ReplicaEqual::ReplicaEqual(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
ReplicaEqual::ReplicaEqual(ReplicaEqual &&) = default;
ReplicaEqual::~ReplicaEqual() = default;

ReplicaPartitions &ReplicaEqual::getPartitions() const {
  return impl->context.partitions;
}

ReplicaPartition ReplicaEqual::get(Value value) const {
  const EquationBuilder &program = impl->program;
  auto content = program.contents.find(value);
  if (content != program.contents.end())
    return program.graph.get(content->second);
  ReplicaPartition partition = program.graph.get(program.lookup(value));
  // A ref that was passed or chosen: what it refers to may be anything.
  return isHandle(value) ? getPartitions().meet(
                               partition, program.graph.get(program.unknown))
                         : partition;
}

ReplicaPartition ReplicaEqual::getInput(OpOperand &operand) const {
  EquationBuilder &program = impl->program;
  if (isHandle(operand.get())) {
    auto input = program.inputs.find(&operand);
    if (input != program.inputs.end())
      return program.graph.get(input->second);
  }
  return program.graph.get(program.lookupInput(operand.get()));
}

SmallVector<std::pair<OpOperand *, ReplicaPartition>>
ReplicaEqual::getModified(Operation *op) const {
  SmallVector<std::pair<OpOperand *, ReplicaPartition>> result;
  auto modified = impl->program.modified.find(op);
  if (modified != impl->program.modified.end())
    for (auto [operand, node] : modified->second)
      result.push_back(
          {&op->getOpOperand(operand), impl->program.graph.get(node)});
  return result;
}

ReplicaPartition ReplicaEqual::getOverall(Operation *op) const {
  ReplicaPartition overall = getPartitions().getAll();
  auto add = [&](ReplicaPartition partition) {
    overall = getPartitions().meet(overall, partition);
  };
  auto modified = getModified(op);
  auto state = impl->program.states.find(op);
  bool makesNothing = op->getNumResults() == 0 && modified.empty() &&
                      state == impl->program.states.end();
  for (Value result : op->getResults())
    add(get(result));
  for (auto [operand, partition] : modified)
    add(partition);
  if (state != impl->program.states.end())
    add(impl->program.graph.get(state->second));
  if (!makesNothing)
    return overall;
  add(getControl(op->getBlock()));
  for (OpOperand &operand : op->getOpOperands())
    add(getInput(operand));
  return overall;
}

ReplicaPartition ReplicaEqual::getControl(Block *block) const {
  return impl->program.graph.get(impl->program.controls.lookup(block));
}

ArrayRef<ReplicaDisagreement> ReplicaEqual::getDisagreements() const {
  return impl->disagreements;
}

ArrayRef<ReplicaDrift> ReplicaEqual::getDrifts() const { return impl->drifts; }

bool ReplicaEqual::mayDrift(ReplicaStateOpInterface symbol) const {
  return llvm::any_of(
      symbol.getReplicaStarts(impl->context),
      [&](const ReplicaStateStart &start) {
        return llvm::any_of(
            impl->program.getStateNodes(start.state), [&](Node node) {
              return findSeparated(start.partition,
                                   impl->program.graph.get(node))
                  .has_value();
            });
      });
}

ReplicaEqual::Path ReplicaEqual::explain(Value value) const {
  const EquationBuilder &program = impl->program;
  auto content = program.contents.find(value);
  if (content != program.contents.end())
    return impl->explain(content->second);
  if (isHandle(value))
    return impl->explain({program.lookup(value), program.unknown});
  return impl->explain(program.lookup(value));
}

ReplicaEqual::Path ReplicaEqual::explainModified(OpOperand &operand) const {
  auto modified = impl->program.modified.find(operand.getOwner());
  if (modified != impl->program.modified.end())
    for (auto [number, node] : modified->second)
      if (number == operand.getOperandNumber())
        return impl->explain(node);
  return {};
}

ReplicaEqual::Path ReplicaEqual::explainControl(Block *block) const {
  return impl->explain(impl->program.controls.lookup(block));
}
