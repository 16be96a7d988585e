//===- ProfileSummary.cpp - Prints profiles for people --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

static constexpr size_t kTopSteps = 10;

/// `permille` as a percentage.
static std::string formatPercent(int64_t permille) {
  return formatv("{0}.{1} %", permille / 10, permille % 10).str();
}

static void printTarget(const Profile &profile, llvm::raw_ostream &os) {
  const TargetModel &target = profile.target;
  os << formatv("target: {0}, {1} replica(s) x {2} IPU(s) x {3} tiles, {4} "
                "bytes each, {5}.{6,0+3} GHz\n",
                profile.preset, target.replicas, target.ipus, target.tiles,
                target.tile_memory, target.clock_hz / 1000000000,
                target.clock_hz / 1000000 % 1000);
  os << formatv("time: {0} cycles, {1}.{2,0+3} us\n", profile.cycles,
                profile.nanoseconds / 1000, profile.nanoseconds % 1000);
}

static void printKinds(const Profile &profile, llvm::raw_ostream &os) {
  const IPUClock &clock = profile.clocks[profile.slowestClock];
  os << formatv("cycles of replica {0}, IPU {1}:\n", clock.replica, clock.ipu);
  auto printLine = [&](StringRef name, int64_t cycles, int64_t steps) {
    os << formatv("  {0,-10} {1,14} {2,8}", name, cycles,
                  formatPercent(getRatio(cycles, 1000, clock.now)));
    if (steps >= 0)
      os << formatv("  in {0} step(s)", steps);
    os << "\n";
  };
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    printLine(stringifyStepKind(static_cast<StepKind>(kind)),
              clock.cyclesOfKind[kind], profile.totals[kind].steps);
  printLine("sync wait", clock.wait, -1);
}

static void printCompute(const Profile &profile, llvm::raw_ostream &os) {
  int64_t busiest = 0, flops = 0;
  for (const ProfileStep &step : profile.steps)
    if (step.kind == StepKind::Compute)
      busiest =
          addSaturating(busiest, mulSaturating(step.count, step.maxCycles));
  for (const KindTotals &totals : profile.totals)
    flops = addSaturating(flops, totals.flops);
  int64_t total = profile.getTotals(StepKind::Compute).totalCycles;
  int64_t tiles = profile.target.getTilesPerReplica();
  os << formatv(
      "compute: busiest tile {0} cycles, mean {1}, balance {2}\n", busiest,
      total / tiles,
      formatPercent(getRatio(total, 1000, mulSaturating(busiest, tiles))));
  os << formatv("flops: {0} per replica, {1} of the f16 peak ({2} per cycle)\n",
                flops, formatPercent(profile.getUtilisationPpm() / 1000),
                profile.getPeakFlopsPerCycle());
}

static void printMemory(const Profile &profile, llvm::raw_ostream &os) {
  const MemoryProfile &memory = profile.memory;
  os << formatv("memory: fullest tile {0} of {1} bytes ({2}) at step {3}, mean "
                "{4}; always live {5} on one tile\n",
                memory.maxTileBytes, profile.target.tile_memory,
                formatPercent(getRatio(memory.maxTileBytes, 1000,
                                       profile.target.tile_memory)),
                memory.peakStep, memory.meanTileBytes,
                memory.alwaysLiveMaxTileBytes);
  if (memory.tilesOverMemory > 0)
    os << formatv("memory: {0} tile(s) have too little\n",
                  memory.tilesOverMemory);
}

static void printSteps(const Profile &profile, llvm::raw_ostream &os) {
  std::vector<size_t> order(profile.steps.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto getCycles = [&](size_t i) {
    return mulSaturating(profile.steps[i].count, profile.steps[i].maxCycles);
  };
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-getCycles(a), a) < std::make_pair(-getCycles(b), b);
  });
  order.resize(std::min(order.size(), kTopSteps));
  os << "steps with most cycles:\n";
  for (size_t i : order) {
    const ProfileStep &step = profile.steps[i];
    os << formatv("  {0,5} {1,-8} {2,12} {3,8} balance {4,8}  {5}", i,
                  stringifyStepKind(step.kind), getCycles(i),
                  formatPercent(getRatio(getCycles(i), 1000, profile.cycles)),
                  formatPercent(step.balancePermille), step.name);
    if (!step.location.empty())
      os << " (" << step.location << ")";
    os << "\n";
  }
}

void mlir::ipu::printSummary(const Profile &profile, llvm::raw_ostream &os) {
  printTarget(profile, os);
  printKinds(profile, os);
  printCompute(profile, os);
  printMemory(profile, os);
  printSteps(profile, os);
}
