//===- TestReplicaEqualFaults.cpp - Replica-equal analysis gone wrong -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions.
// Out: the same; prints what pop-print-replica-equal would if a rule of the
// analysis were wrong. What tests the analysis has to find each fault.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
using Inputs = ReplicaEqualInputs;
using Outputs = ReplicaEqualOutputs;
using Starts = ReplicaStateStart;
} // namespace

template <typename OpTy>
static bool isLocal(OpTy op) {
  return op.getKind() == pop::CollectiveOperator::Local;
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
  auto groups = pop::resolveReplicaGroups(reduce.getGroupsAttr(), count,
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
                       Starts &start) {
  if (isa<OpTy>(op))
    start.partition = context.partitions.getAll();
}

/// Shards start as equal as what they are parts of.
static void startUncut(Operation *op, ReplicaEqualContext &context,
                       Starts &start) {
  auto variable = dyn_cast<pop::VariableOp>(op);
  if (!variable || !variable.getSharding())
    return;
  auto groups = pop::resolveReplicaGroups(variable.getGroupsAttr(),
                                          context.partitions.getNumReplicas(),
                                          [&] { return op->emitOpError(); });
  if (succeeded(groups))
    start.partition = context.partitions.getGroups(*groups);
}

static bool isLoop(Operation *op) { return isa<LoopLikeOpInterface>(op); }
static bool isBranch(Operation *op) { return !isLoop(op); }

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static FailureOr<ReplicaEqualFaults> getFaults(StringRef name) {
  ReplicaEqualFaults faults;
  if (name == "all-reduce-groups")
    faults.changeRule = giveAll<pop::AllReduceOp>;
  else if (name == "all-gather-groups")
    faults.changeRule = giveAll<pop::AllGatherOp>;
  else if (name == "reduce-scatter-index")
    faults.changeRule = giveInput<pop::ReduceScatterOp, pop::ReplicaSliceOp>;
  else if (name == "broadcast-root")
    faults.changeRule = giveAll<pop::BroadcastOp>;
  else if (name == "permute-sources")
    faults.changeRule = giveInput<pop::CollectivePermuteOp>;
  else if (name == "local-reduction")
    faults.changeRule = reduceLocal;
  else if (name == "remote-row")
    faults.changeRule = ignoreRow;
  else if (name == "remote-store")
    faults.changeRule = ignoreStore;
  else if (name == "stream-start")
    faults.changeStart = startEqual<pop::StreamOp>;
  else if (name == "variable-groups")
    faults.changeStart = startEqual<pop::VariableOp>;
  else if (name == "variable-sharding")
    faults.changeStart = startUncut;
  else if (name == "branch-condition")
    faults.ignoresDecision = isBranch;
  else if (name == "loop-count")
    faults.ignoresDecision = isLoop;
  else if (name == "loop-iterations")
    faults.ignoresIterations = true;
  else if (name == "view-overlaps")
    faults.ignoresOverlaps = true;
  else if (name == "call-sites")
    faults.ignoresCalls = true;
  else if (name == "next-run")
    faults.ignoresRuns = true;
  else if (name != "rounding-seeds" && name != "none")
    return failure();
  return faults;
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
  FailureOr<ReplicaEqualFaults> faults = getFaults(fault);
  if (failed(faults)) {
    module.emitError() << "no such fault: " << fault;
    return signalPassFailure();
  }
  ReplicaEqual::RefineFn refine = refineByRoundingMethod;
  if (fault == "rounding-seeds")
    refine = {};
  FailureOr<ReplicaEqual> analysis = ReplicaEqual::create(
      module, getTargetModel(module).replicas, refine, std::move(*faults));
  if (failed(analysis))
    return signalPassFailure();
  printReplicaEqual(module, *analysis, llvm::outs());
}

namespace mlir::ipu::test {
void registerTestReplicaEqualFaults() {
  PassRegistration<TestReplicaEqualFaults>();
}
} // namespace mlir::ipu::test
