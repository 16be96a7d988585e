//===- StepMemoryModels.cpp - Memory of each step ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"

#include "MemoryProblemReader.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Support/ExternalModels.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static LogicalResult addVariable(VarOp op, ProblemReader &reader) {
  reader.addVariable(op);
  return success();
}

static LogicalResult endVariable(WriteUndefOp op, ProblemReader &reader) {
  if (MemoryVariable *variable = reader.findVariable(op.getVariable()))
    variable->end = reader.getStep();
  return success();
}

/// What an op that is no step reads, after the step before it.
static LogicalResult addUse(Operation *op, ProblemReader &reader) {
  reader.use(op, std::max<int64_t>(reader.getStep() - 1, 0));
  return success();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

/// The vertices of `op` on each tile.
static TileCounts countVertices(VerticesOp op, ProblemReader &reader) {
  SmallVector<const TileCounts *> outputs;
  for (unsigned i = op.getInputs().size(), e = op.getBuffers().size(); i < e;
       ++i)
    outputs.push_back(&reader.getElements(op.getAccessTileMapping(i)));
  return TileCounts::combine(outputs, [](ArrayRef<int64_t> elements) {
    return llvm::is_contained(elements, 0) ? 0 : 1;
  });
}

/// Has the matrix unit find the buffers of `op` where it can load them.
static void alignForMatrixUnit(VerticesOp op, ProblemReader &reader) {
  const TargetModel &target = reader.getTarget();
  for (Value operand : op.getBuffers()) {
    MemoryVariable *variable = reader.findVariable(operand);
    if (!variable)
      continue;
    variable->align = target.amp_align_bytes;
    variable->gapPermille = target.element_gap_permille;
  }
}

static LogicalResult addVertices(VerticesOp op, TileCounts &vertices,
                                 ProblemReader &reader) {
  auto codelet = reader.lookup<CodeletOp>(op, op.getCodeletAttr());
  // Symbols are verified only below a symbol table.
  if (!codelet)
    return op.emitOpError()
           << "expects " << op.getCodeletAttr() << " to be an 'ipu.codelet'";
  TileCounts here = countVertices(op, reader);
  vertices.add(here);
  reader.addVertexCode(codelet, here);
  const TargetModel &target = reader.getTarget();
  int64_t state = (Count(target.vertex_bytes) +
                   Count(target.vertex_edge_bytes) * op->getNumOperands())
                      .get();
  reader.get(MemoryCategory::VertexState)
      .add(transform(
          here, [&](int64_t count) { return (Count(count) * state).get(); }));
  if (usesMatrixUnit(codelet.getCost()))
    alignForMatrixUnit(op, reader);
  return success();
}

static LogicalResult addComputeSet(ComputeSetOp op, ProblemReader &reader) {
  TileCounts vertices(reader.getNumTiles());
  for (auto inner : op.getBody().getOps<VerticesOp>())
    if (failed(addVertices(inner, vertices, reader)))
      return failure();
  int64_t bytes = reader.getTarget().compute_set_code_bytes;
  reader.addCodeOf(op, MemoryCategory::ControlCode,
                   transform(vertices, [&](int64_t count) {
                     return count > 0 ? bytes : 0;
                   }));
  reader.addStep(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static LogicalResult addExchange(ExchangeOp op, ProblemReader &reader) {
  reader.addStep(op);
  reader.addExchangeCode(op);
  return success();
}

/// Descriptors of a copy between `variable` and the host or streaming memory.
static void addHostExchange(Value variable, ProblemReader &reader) {
  const TargetModel &target = reader.getTarget();
  auto type = cast<MemRefType>(variable.getType());
  int64_t elementBytes = getStoredBytes(type.getElementType());
  reader.get(MemoryCategory::HostExchange)
      .add(transform(
          reader.getElements(getTileMapping(type)), [&](int64_t elements) {
            Count packets = (Count(elements) * elementBytes).divideCeil(1024);
            return elements == 0 ? 0
                                 : (Count(target.host_copy_bytes) +
                                    packets * target.host_packet_bytes)
                                       .get();
          }));
}

/// An `ipu.host_load` or `ipu.host_store`.
template <typename HostCopyOp>
static LogicalResult addHostCopy(HostCopyOp op, ProblemReader &reader) {
  addHostExchange(op.getVariable(), reader);
  reader.addControlStep(op);
  return success();
}

static LogicalResult addRemoteExchange(RemoteExchangeOp op,
                                       ProblemReader &reader) {
  for (auto load : op.getBody().getOps<RemoteLoadOp>())
    addHostExchange(load.getVariable(), reader);
  for (auto store : op.getBody().getOps<RemoteStoreOp>())
    addHostExchange(store.getVariable(), reader);
  reader.addControlStep(op);
  return success();
}

/// Each replica sends to, and receives from, each other one of its group.
static LogicalResult addCollective(CollectiveOp op, ProblemReader &reader) {
  const TargetModel &target = reader.getTarget();
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      op.getGroupsAttr(), target.replicas, [&] { return op.emitOpError(); });
  int64_t others = succeeded(groups) ? groups->getGroupSize() - 1 : 0;
  int64_t bytes = (Count(target.exchange_control_code_bytes) +
                   (Count(target.exchange_send_code_bytes) +
                    target.exchange_receive_code_bytes) *
                       others)
                      .get();
  for (Value value : {Value(op.getSource()), Value(op.getTarget())})
    reader.addCodeOf(
        op, MemoryCategory::ExchangeCode,
        transform(reader.getElements(
                      getTileMapping(cast<MemRefType>(value.getType()))),
                  [&](int64_t elements) { return elements > 0 ? bytes : 0; }));
  reader.addControlStep(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

static LogicalResult addControl(Operation *op, ProblemReader &reader) {
  reader.addControlStep(op);
  return success();
}

static LogicalResult addCodeMovement(Operation *op, ProblemReader &reader) {
  reader.setLoadsCode();
  reader.addControlStep(op);
  return success();
}

static LogicalResult addCall(CallOp op, ProblemReader &reader) {
  return reader.addCall(op);
}

static LogicalResult addBranch(IfOp op, ProblemReader &reader) {
  if (failed(reader.readRegions(op)))
    return failure();
  reader.addControlStep(op);
  return success();
}

static LogicalResult addLoop(Operation *op, ProblemReader &reader) {
  return reader.readLoop(op);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy, auto add>
struct MemoryModel
    : StepMemoryOpInterface::ExternalModel<MemoryModel<OpTy, add>, OpTy> {
  LogicalResult addToMemoryProblem(Operation *op, ProblemReader &reader) const {
    return add(cast<OpTy>(op), reader);
  }
};
} // namespace

template <typename OpTy, auto add>
static void attach(MLIRContext &context) {
  OpTy::template attachInterface<MemoryModel<OpTy, add>>(context);
}

static void attachModels(MLIRContext &context) {
  attach<AdvanceRngOp, addUse>(context);
  attach<CallOp, addCall>(context);
  attach<CodeCopyOp, addCodeMovement>(context);
  attach<CodeLoadOp, addCodeMovement>(context);
  attach<CollectiveOp, addCollective>(context);
  attach<ComputeSetOp, addComputeSet>(context);
  attach<ExchangeOp, addExchange>(context);
  attach<ExpectOp, addUse>(context);
  attach<HostLoadOp, addHostCopy<HostLoadOp>>(context);
  attach<HostStoreOp, addHostCopy<HostStoreOp>>(context);
  attach<IfOp, addBranch>(context);
  attach<RemoteExchangeOp, addRemoteExchange>(context);
  attach<RepeatOp, addLoop>(context);
  attach<ReplicaIndexOp, addControl>(context);
  attach<SyncOp, addControl>(context);
  attach<VarOp, addVariable>(context);
  attach<WhileOp, addLoop>(context);
  attach<WriteUndefOp, endVariable>(context);
}

void mlir::ipu::registerStepMemoryModels(DialectRegistry &registry) {
  addExternalModels<IPUDialect, attachModels>(registry);
}
