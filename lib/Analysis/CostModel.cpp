//===- CostModel.cpp - Cycles, bytes and operations of steps ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"

#include "ipu-mlir/Analysis/Count.h"

using namespace mlir;
using namespace mlir::ipu;

int64_t mlir::ipu::getStoredBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

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

StepCostAttr mlir::ipu::getHostCopyCost(const TargetModel &target,
                                        Value variable) {
  auto type = cast<MemRefType>(variable.getType());
  int64_t elementBytes = getStoredBytes(type.getElementType());
  TileCounts elements =
      getElementsPerTile(getMap(type), target.getTilesPerReplica());
  TileCounts tileCycles =
      TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
        return (Count(values[0]) * elementBytes)
            .divideCeil(target.exchange_bytes_per_cycle)
            .get();
      });
  SmallVector<Count> ipuBytes(target.ipus);
  forEachPart(target, elements,
              [&](int64_t ipu, int64_t tiles, int64_t ofTile) {
                ipuBytes[ipu] += Count(tiles) * ofTile * elementBytes;
              });
  auto ipuFloor = llvm::map_to_vector(ipuBytes, [&](Count bytes) {
    return target.getTransferCycles(bytes.get(), target.host_bytes_per_second);
  });
  return makeStepCost(variable.getContext(), target, tileCycles, ipuFloor,
                      target.getLatencyCycles(target.host_latency_ns), 0,
                      type.getNumElements() * elementBytes);
}
