//===- CostModel.cpp - Cycles, bytes and operations of steps ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/CostModel.h"

#include "CostDetail.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"

using namespace mlir;
using namespace mlir::ipu;

/// Calls `callback` for the part of each run that is on one IPU.
static void forEachPart(
    const TargetModel &target, const TileCounts &counts,
    function_ref<void(int64_t ipu, int64_t tiles, int64_t value)> callback) {
  for (const TileRun &run : counts.getRuns())
    for (int64_t tile = run.begin; tile < run.end;) {
      int64_t ipu = tile / target.tiles;
      int64_t end = std::min(run.end, (ipu + 1) * target.tiles);
      callback(ipu, end - tile, run.value);
      tile = end;
    }
}

StepCostAttr mlir::ipu::makeStepCost(MLIRContext *context,
                                     const TargetModel &target,
                                     const TileCounts &tileCycles,
                                     ArrayRef<int64_t> ipuFloor, int64_t fixed,
                                     int64_t flops, int64_t bytes) {
  SmallVector<int64_t> cycles(ipuFloor);
  cycles.resize(target.ipus, 0);
  forEachPart(target, tileCycles, [&](int64_t ipu, int64_t, int64_t tileCycle) {
    cycles[ipu] = std::max(cycles[ipu], tileCycle);
  });
  for (int64_t &ipu : cycles)
    if (ipu > 0)
      ipu = (Count(ipu) + fixed).get();
  return StepCostAttr::get(context, cycles, tileCycles.getSum(),
                           tileCycles.getMax().first, Count(flops).get(),
                           Count(bytes).get());
}

/// A step that takes every tile the same time.
static StepCostAttr getUniformCost(const TargetModel &target, Operation *op,
                                   Count cycles) {
  Count total = cycles * target.getTilesPerReplica();
  return StepCostAttr::get(op->getContext(),
                           SmallVector<int64_t>(target.ipus, cycles.get()),
                           total.get(), 0, 0, 0);
}

StepCostAttr mlir::ipu::getSyncCost(const TargetModel &target, SyncOp op) {
  return getUniformCost(target, op,
                        op.getKind() == SyncKind::Internal
                            ? target.sync_internal_cycles
                            : target.sync_ipus_cycles);
}

StepCostAttr mlir::ipu::getRepeatCost(const TargetModel &target, RepeatOp op) {
  return getUniformCost(target, op, target.repeat_cycles);
}

StepCostAttr mlir::ipu::getCallCost(const TargetModel &target, CallOp op) {
  return getUniformCost(target, op, target.call_cycles);
}

StepCostAttr mlir::ipu::getConditionCost(const TargetModel &target,
                                         Operation *op) {
  // All tiles receive one word, and branch as it says.
  Count cycles = Count(target.exchange_setup_cycles) +
                 target.exchange_run_cycles + 1 + target.repeat_cycles;
  if (target.ipus > 1)
    cycles += Count(target.sync_ipus_cycles) +
              target.getLatencyCycles(target.link_latency_ns);
  else
    cycles += target.sync_internal_cycles;
  return getUniformCost(target, op, cycles);
}

//===----------------------------------------------------------------------===//
// What leaves the chip
//===----------------------------------------------------------------------===//

SmallVector<Count> mlir::ipu::getCountsOfIPUs(const TargetModel &target,
                                              const TileCounts &counts) {
  SmallVector<Count> sums(target.ipus);
  forEachPart(target, counts, [&](int64_t ipu, int64_t tiles, int64_t value) {
    sums[ipu] += Count(tiles) * value;
  });
  return sums;
}

/// Bytes of a variable on each tile.
static TileCounts getBytesPerTile(const TargetModel &target, MemRefType type) {
  int64_t elementBytes = getStoredBytes(type.getElementType());
  TileCounts elements =
      getElementsPerTile(getMap(type), target.getTilesPerReplica());
  return TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
    return (Count(values[0]) * elementBytes).get();
  });
}

/// Bytes of a variable, each element once.
static Count getBytes(MemRefType type) {
  return Count(type.getNumElements()) * getStoredBytes(type.getElementType());
}

/// Cost of bringing `in` to tiles and `out` from them, both at once, over a way
/// of `bytesPerSecond` in each direction for each IPU.
static StepCostAttr getTransferCost(MLIRContext *context,
                                    const TargetModel &target,
                                    const TileCounts &in, const TileCounts &out,
                                    int64_t bytesPerSecond, int64_t latencyNs,
                                    Count bytes) {
  TileCounts tileCycles =
      TileCounts::combine({&in, &out}, [&](ArrayRef<int64_t> values) {
        return Count(std::max(values[0], values[1]))
            .divideCeil(target.exchange_bytes_per_cycle)
            .get();
      });
  SmallVector<int64_t> ipuFloor;
  for (auto [bytesIn, bytesOut] : llvm::zip_equal(getCountsOfIPUs(target, in),
                                                  getCountsOfIPUs(target, out)))
    ipuFloor.push_back(target.getTransferCycles(
        std::max(bytesIn.get(), bytesOut.get()), bytesPerSecond));
  return makeStepCost(context, target, tileCycles, ipuFloor,
                      target.getLatencyCycles(latencyNs), /*flops=*/0,
                      bytes.get());
}

StepCostAttr mlir::ipu::getHostCopyCost(const TargetModel &target,
                                        Value variable) {
  auto type = cast<MemRefType>(variable.getType());
  return getTransferCost(
      variable.getContext(), target, getBytesPerTile(target, type),
      TileCounts(target.getTilesPerReplica()), target.host_bytes_per_second,
      target.host_latency_ns, getBytes(type));
}

StepCostAttr mlir::ipu::getRemoteExchangeCost(const TargetModel &target,
                                              RemoteExchangeOp op) {
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

StepCostAttr mlir::ipu::getCodeLoadCost(const TargetModel &target,
                                        CodeLoadOp op,
                                        const TileCounts &codeBytes) {
  return getTransferCost(op.getContext(), target, codeBytes,
                         TileCounts(target.getTilesPerReplica()),
                         target.remote_bytes_per_second,
                         target.remote_latency_ns, codeBytes.getSum());
}

StepCostAttr mlir::ipu::getCodeCopyCost(const TargetModel &target,
                                        CodeCopyOp op, const TileCounts &from,
                                        const TileCounts &to) {
  TileCounts tileCycles =
      TileCounts::combine({&from, &to}, [&](ArrayRef<int64_t> values) {
        return Count(std::max(values[0], values[1]))
            .divideCeil(target.exchange_bytes_per_cycle)
            .get();
      });
  return makeStepCost(op.getContext(), target, tileCycles, /*ipuFloor=*/{},
                      target.exchange_setup_cycles, /*flops=*/0, from.getSum());
}

StepCostAttr mlir::ipu::getReplicaIndexCost(const TargetModel &target,
                                            ReplicaIndexOp op) {
  TileCounts elements = getElementsPerTile(getMap(op.getVariable().getType()),
                                           target.getTilesPerReplica());
  TileCounts tileCycles =
      TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
        return values[0] > 0 ? target.compute_set_cycles : 0;
      });
  return makeStepCost(op.getContext(), target, tileCycles, /*ipuFloor=*/{},
                      /*fixed=*/0, /*flops=*/0, /*bytes=*/0);
}
