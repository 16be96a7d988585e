//===- TestReplicaEqualFaults.cpp - Faults of the replica-equal analysis --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions. Out: the same module. Prints the output of
// pop-print-replica-equal with one wrong rule of the analysis. Tests of the
// analysis must find each of these faults.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
using Inputs = ReplicaEqualInputs;
using Outputs = ReplicaEqualOutputs;
using Start = ReplicaStateStart;

/// Changes what an op gives by its rule.
using RuleFn = void (*)(Operation *, const Inputs &, Outputs &);
/// Changes what a state starts with.
using StartFn = void (*)(Operation *, ReplicaEqualContext &, Start &);

/// The rule of some ops is another one.
class RuleFault : public StochasticRoundingSemantics {
public:
  explicit RuleFault(RuleFn change) : change(change) {}

  void infer(ReplicaEqualOpInterface op, const Inputs &inputs,
             Outputs &outputs) const override {
    StochasticRoundingSemantics::infer(op, inputs, outputs);
    change(op, inputs, outputs);
  }

private:
  RuleFn change;
};

/// Some state starts otherwise.
class StartFault : public StochasticRoundingSemantics {
public:
  explicit StartFault(StartFn change) : change(change) {}

  SmallVector<Start> getStarts(ReplicaStateOpInterface symbol,
                               ReplicaEqualContext &context) const override {
    SmallVector<Start> starts =
        StochasticRoundingSemantics::getStarts(symbol, context);
    for (Start &start : starts)
      change(symbol, context, start);
    return starts;
  }

private:
  StartFn change;
};

/// Differences do not pass on a way, at some ops.
class FlowFault : public StochasticRoundingSemantics {
public:
  using OpFn = std::function<bool(Operation *)>;

  FlowFault(ReplicaFlow flow, OpFn isFaulty)
      : flow(flow), isFaulty(std::move(isFaulty)) {}

  bool passes(ReplicaFlow asked, Operation *op) const override {
    return asked != flow || !isFaulty(op);
  }

private:
  ReplicaFlow flow;
  OpFn isFaulty;
};
} // namespace

template <typename OpTy>
static bool isLocal(OpTy op) {
  return op.getKind() == CollectiveOperator::Local;
}

/// Rules that take groups for all replicas.
template <typename OpTy>
static void giveAll(Operation *op, const Inputs &inputs, Outputs &outputs) {
  if (auto reduce = dyn_cast<pop::AllReduceOp>(op))
    if (isLocal(reduce))
      return;
  if (isa<OpTy>(op))
    outputs.setAll(inputs.context.partitions.getAll());
}

/// Rules that take an op for one of any dialect.
template <typename... OpTys>
static void giveInput(Operation *op, const Inputs &inputs, Outputs &outputs) {
  if (isa<OpTys...>(op))
    outputs.setAll(inputs.operands[0]);
}

/// What is local is taken for a reduction.
static void reduceLocal(Operation *op, const Inputs &inputs, Outputs &outputs) {
  auto reduce = dyn_cast<pop::AllReduceOp>(op);
  if (!reduce || !isLocal(reduce))
    return;
  int64_t count = inputs.context.partitions.getNumReplicas();
  auto groups = resolveReplicaGroups(reduce.getGroupsAttr(), count,
                                     [&] { return op->emitOpError(); });
  if (succeeded(groups))
    outputs.setAll(combineInGroups(inputs.context.partitions,
                                   inputs.operands[0], *groups));
}

/// The number of a row that is not static does not matter.
static void ignoreRow(Operation *op, const Inputs &inputs, Outputs &outputs) {
  auto load = dyn_cast<pop::RemoteLoadOp>(op);
  if (load && !load.getStaticRow())
    outputs.setAll(inputs.states[0]);
}

/// Remote buffers are equal whatever is stored to them.
static void ignoreStore(Operation *op, const Inputs &inputs, Outputs &outputs) {
  if (isa<pop::RemoteStoreOp>(op))
    outputs.setAll(inputs.context.partitions.getAll());
}

template <typename OpTy>
static void startEqual(Operation *op, ReplicaEqualContext &context,
                       Start &start) {
  if (isa<OpTy>(op))
    start.partition = context.partitions.getAll();
}

/// Shards start as equal as what they are parts of.
static void startUnsharded(Operation *op, ReplicaEqualContext &context,
                           Start &start) {
  auto variable = dyn_cast<pop::VariableOp>(op);
  if (!variable || !variable.getSharding())
    return;
  auto groups = resolveReplicaGroups(variable.getGroupsAttr(),
                                     context.partitions.getNumReplicas(),
                                     [&] { return op->emitOpError(); });
  if (succeeded(groups))
    start.partition = context.partitions.getGroups(*groups);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static bool isAny(Operation *) { return true; }
static bool isLoop(Operation *op) { return isa<LoopLikeOpInterface>(op); }
static bool isBranch(Operation *op) { return !isLoop(op); }

/// Functions get what their first call passes, in the order in which the
/// analysis visits calls.
static FlowFault ignoreLaterCalls(ModuleOp module) {
  FunctionCalls calls(module);
  llvm::DenseSet<Operation *> called, later;
  SmallVector<FunctionOpInterface> functions = calls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(functions))
    for (CallOpInterface call : calls.getCallsIn(function))
      if (!called.insert(calls.getCallee(call)).second)
        later.insert(call);
  return FlowFault(
      ReplicaFlow::Call,
      [later = std::move(later)](Operation *op) { return later.contains(op); });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static RuleFn getRuleFault(StringRef name) {
  return llvm::StringSwitch<RuleFn>(name)
      .Case("all-reduce-groups", giveAll<pop::AllReduceOp>)
      .Case("all-gather-groups", giveAll<pop::AllGatherOp>)
      .Case("reduce-scatter-index",
            giveInput<pop::ReduceScatterOp, pop::ReplicaSliceOp>)
      .Case("broadcast-root", giveAll<pop::BroadcastOp>)
      .Case("permute-sources", giveInput<pop::CollectivePermuteOp>)
      .Case("local-reduction", reduceLocal)
      .Case("remote-row", ignoreRow)
      .Case("remote-store", ignoreStore)
      .Default(nullptr);
}

static StartFn getStartFault(StringRef name) {
  return llvm::StringSwitch<StartFn>(name)
      .Case("stream-start", startEqual<pop::StreamOp>)
      .Case("variable-groups", startEqual<pop::VariableOp>)
      .Case("variable-sharding", startUnsharded)
      .Default(nullptr);
}

static std::optional<FlowFault> getFlowFault(StringRef name, ModuleOp module) {
  if (name == "branch-condition")
    return FlowFault(ReplicaFlow::Decision, isBranch);
  if (name == "loop-count")
    return FlowFault(ReplicaFlow::Decision, isLoop);
  if (name == "loop-iterations")
    return FlowFault(ReplicaFlow::Iteration, isAny);
  if (name == "view-overlaps")
    return FlowFault(ReplicaFlow::Overlap, isAny);
  if (name == "call-sites")
    return ignoreLaterCalls(module);
  if (name == "next-run")
    return FlowFault(ReplicaFlow::Run, isAny);
  return std::nullopt;
}

/// Null if there is no such fault.
static std::unique_ptr<ReplicaEqualSemantics> getSemantics(StringRef fault,
                                                           ModuleOp module) {
  if (RuleFn change = getRuleFault(fault))
    return std::make_unique<RuleFault>(change);
  if (StartFn change = getStartFault(fault))
    return std::make_unique<StartFault>(change);
  if (std::optional<FlowFault> flow = getFlowFault(fault, module))
    return std::make_unique<FlowFault>(std::move(*flow));
  if (fault == "rounding-seeds")
    return std::make_unique<ReplicaEqualSemantics>();
  if (fault == "none")
    return std::make_unique<StochasticRoundingSemantics>();
  return nullptr;
}

namespace {
class TestReplicaEqualFaults
    : public PassWrapper<TestReplicaEqualFaults, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestReplicaEqualFaults)
  TestReplicaEqualFaults() = default;
  TestReplicaEqualFaults(const TestReplicaEqualFaults &other)
      : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-replica-equal-faults"; }
  StringRef getDescription() const final {
    return "Print what replicas share by an analysis with a fault";
  }
  void runOnOperation() override;

private:
  Option<std::string> fault{*this, "fault", llvm::cl::desc("Which one"),
                            llvm::cl::init("none")};
};
} // namespace

void TestReplicaEqualFaults::runOnOperation() {
  markAllAnalysesPreserved();
  ModuleOp module = getOperation();
  std::unique_ptr<ReplicaEqualSemantics> semantics =
      getSemantics(fault, module);
  if (!semantics) {
    module.emitError() << "no such fault: " << fault;
    return signalPassFailure();
  }
  FailureOr<ReplicaEqual> analysis =
      ReplicaEqual::create(module, getTargetModel(module).replicas, *semantics);
  if (failed(analysis))
    return signalPassFailure();
  printReplicaEqual(module, *analysis, llvm::outs());
}

namespace mlir::ipu::test {
void registerTestReplicaEqualFaults() {
  PassRegistration<TestReplicaEqualFaults>();
}
} // namespace mlir::ipu::test
