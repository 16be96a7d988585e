//===- ProfileOps.cpp - What each op of the source cost ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::ipu;

int64_t Profile::getUtilisationPpm(const FlopCounts &flops,
                                   int64_t cycles) const {
  int64_t sum = 0;
  for (unsigned unit = 0; unit < kNumFlopUnits; ++unit) {
    int64_t peak =
        mulSaturating(getPeakFlops(target, static_cast<FlopUnit>(unit)),
                      target.getTilesPerReplica());
    sum = addSaturating(
        sum, getRatio(flops[unit], 1000000, mulSaturating(cycles, peak)));
  }
  return sum;
}

void mlir::ipu::profileOps(Profile &profile) {
  llvm::StringMap<size_t> numbers;
  const IPUClock &clock = profile.clocks[profile.slowestClock];
  for (auto [index, step] : llvm::enumerate(profile.steps)) {
    auto [it, isNew] = numbers.try_emplace(step.sourceName, profile.ops.size());
    if (isNew)
      profile.ops.emplace_back().name = step.sourceName;
    ProfileOp &op = profile.ops[it->second];
    op.steps.push_back(index);
    // What I/O tiles do takes no time of the others.
    int64_t &cycles = op.cyclesOfKind[static_cast<unsigned>(step.kind)];
    if (step.tiles != StepTiles::IO)
      cycles = addSaturating(
          cycles,
          addSaturating(mulSaturating(step.count, step.cycles[clock.ipu]),
                        -step.hiddenCycles));
    int64_t flops = mulSaturating(step.count, step.flops);
    for (FlopCounts *counts : {&op.flops, &profile.flops}) {
      int64_t &count = (*counts)[static_cast<unsigned>(step.unit)];
      count = addSaturating(count, flops);
    }
    op.bytes = addSaturating(op.bytes, mulSaturating(step.count, step.bytes));
  }
  for (ProfileOp &op : profile.ops) {
    for (int64_t cycles : op.cyclesOfKind)
      op.cycles = addSaturating(op.cycles, cycles);
    op.utilisationPpm = profile.getUtilisationPpm(op.flops, op.cycles);
    op.sharePermille = getRatio(op.cycles, 1000, profile.cycles);
  }
}
