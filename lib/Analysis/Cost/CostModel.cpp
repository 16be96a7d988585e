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

SmallVector<Count> mlir::ipu::getCountsOfIPUs(const TargetModel &target,
                                              const TileCounts &counts) {
  SmallVector<Count> sums(target.ipus);
  forEachPart(target, counts, [&](int64_t ipu, int64_t tiles, int64_t value) {
    sums[ipu] += Count(tiles) * value;
  });
  return sums;
}
