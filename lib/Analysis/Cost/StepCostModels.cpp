//===- StepCostModels.cpp - Cost of each step -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"

#include "CostDetail.h"
#include "ipu-mlir/Analysis/Cost/ConditionCopies.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Support/ExternalModels.h"

using namespace mlir;
using namespace mlir::ipu;

#include "ipu-mlir/Analysis/Cost/StepCostInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Steps that take all tiles of an IPU the same time
//===----------------------------------------------------------------------===//

/// The cost of a step for which all tiles of `ipus` take `cycles`.
static StepCostAttr getUniformCost(const TargetModel &target, Operation *op,
                                   Count cycles,
                                   const llvm::SmallBitVector &ipus) {
  SmallVector<int64_t> ofIPUs(target.ipus, 0);
  for (unsigned ipu : ipus.set_bits())
    ofIPUs[ipu] = cycles.get();
  Count total = cycles * target.tiles * static_cast<int64_t>(ipus.count());
  int64_t tile = ipus.none() ? 0 : ipus.find_first() * target.tiles;
  return StepCostAttr::get(op->getContext(), ofIPUs, total.get(), tile, 0, 0);
}

static StepCostAttr estimateSync(SyncOp op, const StepCostContext &context) {
  const TargetModel &target = context.target;
  std::optional<ArrayRef<int64_t>> named = op.getIpus();
  llvm::SmallBitVector ipus(target.ipus, !named);
  for (int64_t ipu : named.value_or(ArrayRef<int64_t>()))
    ipus.set(ipu);
  return getUniformCost(target, op,
                        op.getKind() == SyncKind::Internal
                            ? target.sync_internal_cycles
                            : target.sync_ipus_cycles,
                        ipus);
}

/// The cost of control code that takes `cycles` on each IPU that executes the
/// call or loop `op`.
static FailureOr<StepCostAttr>
getControlCost(Operation *op, const StepCostContext &context, Count cycles) {
  FailureOr<llvm::SmallBitVector> ipus = context.getControlIPUs(op);
  if (failed(ipus))
    return failure();
  return getUniformCost(context.target, op, cycles, *ipus);
}

/// Going back to the start of a loop.
static FailureOr<StepCostAttr> estimateRepeat(Operation *op,
                                              const StepCostContext &context) {
  return getControlCost(op, context, context.target.repeat_cycles);
}

/// Calling a function and coming back.
static FailureOr<StepCostAttr> estimateCall(Operation *op,
                                            const StepCostContext &context) {
  return getControlCost(op, context, context.target.call_cycles);
}

/// The IPUs that execute the branch or loop `op` copy the condition. Then each
/// IPU sends it to all its tiles, which branch as it says.
static FailureOr<StepCostAttr> estimateBranch(Operation *op,
                                              const StepCostContext &context) {
  FailureOr<llvm::SmallBitVector> ipus = context.getControlIPUs(op);
  if (failed(ipus))
    return failure();
  const TargetModel &target = context.target;
  SmallVector<ExchangeMove, 0> moves = getConditionMoves(
      target, op, llvm::to_vector_of<int64_t>(ipus->set_bits()));
  Count cycles = Count(target.sync_internal_cycles) +
                 target.exchange_setup_cycles + target.exchange_run_cycles + 1 +
                 target.repeat_cycles;
  if (moves.empty())
    return getUniformCost(target, op, cycles, *ipus);
  cycles += target.sync_ipus_cycles;
  StepCostAttr branch = getUniformCost(target, op, cycles, *ipus);
  MLIRContext *ctx = op->getContext();
  StepCostAttr copies = getExchangeCost(ctx, target, moves);
  SmallVector<int64_t> sums;
  for (auto [own, copy] :
       llvm::zip_equal(branch.getCycles(), copies.getCycles()))
    sums.push_back((Count(own) + copy).get());
  Count total = Count(branch.getTotal()) + copies.getTotal();
  return StepCostAttr::get(ctx, sums, total.get(), copies.getTile(),
                           /*flops=*/0, copies.getBytes());
}

//===----------------------------------------------------------------------===//
// Steps on the chip
//===----------------------------------------------------------------------===//

static FailureOr<StepCostAttr>
estimateComputeSet(ComputeSetOp op, const StepCostContext &context) {
  // Symbols are verified only below a symbol table.
  for (auto vertices : op.getBody().getOps<VerticesOp>())
    if (!SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
            vertices, vertices.getCodeletAttr()))
      return vertices.emitOpError() << "expects " << vertices.getCodeletAttr()
                                    << " to be an 'ipu.codelet'";
  return getComputeCost(context.target, op, context.level);
}

static StepCostAttr estimateExchange(ExchangeOp op,
                                     const StepCostContext &context) {
  return getExchangeCost(context.target, op);
}

static SmallVector<StepPart>
getPartsOfExchange(ExchangeOp op, const StepCostContext &context) {
  return getExchangeParts(context.target, op);
}

static StepCostAttr estimateReplicaIndex(ReplicaIndexOp op,
                                         const StepCostContext &context) {
  const TargetModel &target = context.target;
  TileCounts elements = getElementsPerTile(
      getTileMapping(op.getVariable().getType()), target.getTilesPerReplica());
  TileCounts tileCycles =
      TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
        return values[0] > 0 ? target.compute_set_cycles : 0;
      });
  return makeStepCost(op.getContext(), target, tileCycles, /*ipuFloor=*/{},
                      /*fixed=*/0, /*flops=*/0, /*bytes=*/0);
}

static FailureOr<StepCostAttr>
estimateCodeCopy(CodeCopyOp op, const StepCostContext &context) {
  const TargetModel &target = context.target;
  Attribute function = op.getFunctionAttr();
  FailureOr<TileCounts> from =
      context.getCodeBytes(op, function, op.getSource());
  FailureOr<TileCounts> to =
      context.getCodeBytes(op, function, op.getDestination());
  if (failed(from) || failed(to))
    return failure();
  TileCounts tileCycles =
      TileCounts::combine({&*from, &*to}, [&](ArrayRef<int64_t> values) {
        return Count(std::max(values[0], values[1]))
            .divideCeil(target.exchange_bytes_per_cycle)
            .get();
      });
  return makeStepCost(op.getContext(), target, tileCycles, /*ipuFloor=*/{},
                      target.exchange_setup_cycles, /*flops=*/0,
                      from->getSum());
}

//===----------------------------------------------------------------------===//
// Steps that leave the chip
//===----------------------------------------------------------------------===//

/// Bytes of a variable on each tile.
static TileCounts getBytesPerTile(const TargetModel &target, MemRefType type) {
  int64_t elementBytes = getStoredBytes(type.getElementType());
  TileCounts elements =
      getElementsPerTile(getTileMapping(type), target.getTilesPerReplica());
  return TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
    return (Count(values[0]) * elementBytes).get();
  });
}

/// Bytes of a variable, each element once.
static Count getBytes(MemRefType type) {
  return Count(type.getNumElements()) * getStoredBytes(type.getElementType());
}

/// Cycles that each tile takes for bytes to and from it, both at once.
static TileCounts getTileTransferCycles(const TargetModel &target,
                                        const TileCounts &in,
                                        const TileCounts &out) {
  return TileCounts::combine({&in, &out}, [&](ArrayRef<int64_t> values) {
    return Count(std::max(values[0], values[1]))
        .divideCeil(target.exchange_bytes_per_cycle)
        .get();
  });
}

/// Cycles that these bytes take over a way of `bytesPerSecond` in each
/// direction, for each IPU.
static SmallVector<int64_t> getLinkCycles(const TargetModel &target,
                                          const TileCounts &in,
                                          const TileCounts &out,
                                          int64_t bytesPerSecond) {
  SmallVector<int64_t> cycles;
  for (auto [bytesIn, bytesOut] : llvm::zip_equal(getCountsOfIPUs(target, in),
                                                  getCountsOfIPUs(target, out)))
    cycles.push_back(target.getTransferCycles(
        std::max(bytesIn.get(), bytesOut.get()), bytesPerSecond));
  return cycles;
}

/// Cost of bringing `in` to tiles and `out` from them, both at once, over a way
/// of `bytesPerSecond` in each direction for each IPU.
static StepCostAttr getTransferCost(MLIRContext *context,
                                    const TargetModel &target,
                                    const TileCounts &in, const TileCounts &out,
                                    int64_t bytesPerSecond, int64_t latencyNs,
                                    Count bytes) {
  return makeStepCost(context, target, getTileTransferCycles(target, in, out),
                      getLinkCycles(target, in, out, bytesPerSecond),
                      target.getLatencyCycles(latencyNs), /*flops=*/0,
                      bytes.get());
}

HostCopyCycles mlir::ipu::getHostCopyCycles(const TargetModel &target,
                                            MemRefType type) {
  TileCounts bytes = getBytesPerTile(target, type);
  TileCounts none(target.getTilesPerReplica());
  StepCostAttr tiles =
      makeStepCost(type.getContext(), target,
                   getTileTransferCycles(target, bytes, none), /*ipuFloor=*/{},
                   /*fixed=*/0, /*flops=*/0, /*bytes=*/0);
  return {getLinkCycles(target, bytes, none, target.host_bytes_per_second),
          llvm::to_vector(tiles.getCycles())};
}

/// An `ipu.host_load` or `ipu.host_store`.
template <typename HostCopyOp>
static StepCostAttr estimateHostCopy(HostCopyOp op,
                                     const StepCostContext &context) {
  const TargetModel &target = context.target;
  MemRefType type = op.getVariable().getType();
  return getTransferCost(op.getContext(), target, getBytesPerTile(target, type),
                         TileCounts(target.getTilesPerReplica()),
                         target.host_bytes_per_second, target.host_latency_ns,
                         getBytes(type));
}

/// The loads and stores of an exchange, as transfers of their own.
static SmallVector<StepPart>
getRemoteExchangeParts(RemoteExchangeOp op, const StepCostContext &context) {
  const TargetModel &target = context.target;
  TileCounts none(target.getTilesPerReplica());
  SmallVector<StepPart> parts;
  for (Operation &copy : op.getBody().front()) {
    auto load = dyn_cast<RemoteLoadOp>(copy);
    MemRefType type =
        (load ? load.getVariable() : cast<RemoteStoreOp>(copy).getVariable())
            .getType();
    TileCounts bytes = getBytesPerTile(target, type);
    StepCostAttr cost = getTransferCost(
        op.getContext(), target, load ? bytes : none, load ? none : bytes,
        target.remote_bytes_per_second, /*latencyNs=*/0, getBytes(type));
    parts.push_back({&copy, llvm::to_vector(cost.getCycles()), /*flops=*/0,
                     cost.getBytes()});
  }
  return parts;
}

static StepCostAttr estimateRemoteExchange(RemoteExchangeOp op,
                                           const StepCostContext &context) {
  const TargetModel &target = context.target;
  TileCounts in(target.getTilesPerReplica()), out(target.getTilesPerReplica());
  Count bytes;
  for (auto load : op.getBody().getOps<RemoteLoadOp>()) {
    in.add(getBytesPerTile(target, load.getVariable().getType()));
    bytes += getBytes(load.getVariable().getType());
  }
  for (auto store : op.getBody().getOps<RemoteStoreOp>()) {
    out.add(getBytesPerTile(target, store.getVariable().getType()));
    bytes += getBytes(store.getVariable().getType());
  }
  return getTransferCost(op.getContext(), target, in, out,
                         target.remote_bytes_per_second,
                         target.remote_latency_ns, bytes);
}

static FailureOr<StepCostAttr>
estimateCodeLoad(CodeLoadOp op, const StepCostContext &context) {
  const TargetModel &target = context.target;
  FailureOr<TileCounts> bytes = context.getCodeBytes(
      op, op.getFunctions().getValue(), op.getDestination());
  if (failed(bytes))
    return failure();
  return getTransferCost(op.getContext(), target, *bytes,
                         TileCounts(target.getTilesPerReplica()),
                         target.remote_bytes_per_second,
                         target.remote_latency_ns, bytes->getSum());
}

static FailureOr<StepCostAttr>
estimateCollective(CollectiveOp op, const StepCostContext &context) {
  FailureOr<ReplicaGroups> groups =
      resolveReplicaGroups(op.getGroupsAttr(), context.target.replicas,
                           [&] { return op.emitOpError(); });
  if (failed(groups))
    return failure();
  return getCollectiveCost(context.target, op, *groups);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy, auto estimate>
struct CostModel
    : StepCostOpInterface::ExternalModel<CostModel<OpTy, estimate>, OpTy> {
  FailureOr<StepCostAttr> estimateCost(Operation *op,
                                       const StepCostContext &context) const {
    return estimate(cast<OpTy>(op), context);
  }
};

/// A step whose parts may have different origins.
template <typename OpTy, auto estimate, auto getPartsOf>
struct CostModelWithParts
    : StepCostOpInterface::ExternalModel<
          CostModelWithParts<OpTy, estimate, getPartsOf>, OpTy> {
  FailureOr<StepCostAttr> estimateCost(Operation *op,
                                       const StepCostContext &context) const {
    return estimate(cast<OpTy>(op), context);
  }
  SmallVector<StepPart> getParts(Operation *op,
                                 const StepCostContext &context) const {
    return getPartsOf(cast<OpTy>(op), context);
  }
};

struct ComputeSetModel
    : StepCostOpInterface::ExternalModel<ComputeSetModel, ComputeSetOp> {
  FailureOr<StepCostAttr> estimateCost(Operation *op,
                                       const StepCostContext &context) const {
    return estimateComputeSet(cast<ComputeSetOp>(op), context);
  }
  SmallVector<StepPart> getParts(Operation *op,
                                 const StepCostContext &context) const {
    return getComputeParts(context.target, cast<ComputeSetOp>(op),
                           context.level);
  }
  FlopUnit getFlopUnit(Operation *op, const TargetModel &target) const {
    return ::getFlopUnit(target, cast<ComputeSetOp>(op));
  }
  std::optional<ContractionMethod>
  getContractionMethod(Operation *op, const TargetModel &target) const {
    return ::getContractionMethod(target, cast<ComputeSetOp>(op));
  }
};
} // namespace

template <typename OpTy, auto estimate>
static void attach(MLIRContext &context) {
  OpTy::template attachInterface<CostModel<OpTy, estimate>>(context);
}

static void attachModels(MLIRContext &context) {
  ComputeSetOp::attachInterface<ComputeSetModel>(context);
  attach<CallOp, estimateCall>(context);
  attach<CodeCopyOp, estimateCodeCopy>(context);
  attach<CodeLoadOp, estimateCodeLoad>(context);
  attach<CollectiveOp, estimateCollective>(context);
  ExchangeOp::attachInterface<
      CostModelWithParts<ExchangeOp, estimateExchange, getPartsOfExchange>>(
      context);
  attach<HostLoadOp, estimateHostCopy<HostLoadOp>>(context);
  attach<HostStoreOp, estimateHostCopy<HostStoreOp>>(context);
  attach<IfOp, estimateBranch>(context);
  RemoteExchangeOp::attachInterface<CostModelWithParts<
      RemoteExchangeOp, estimateRemoteExchange, getRemoteExchangeParts>>(
      context);
  attach<RepeatOp, estimateRepeat>(context);
  attach<ReplicaIndexOp, estimateReplicaIndex>(context);
  attach<SyncOp, estimateSync>(context);
  attach<WhileOp, estimateBranch>(context);
}

void mlir::ipu::registerStepCostModels(DialectRegistry &registry) {
  addExternalModels<IPUDialect, attachModels>(registry);
}
