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

static constexpr size_t kTop = 10;

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

/// Those that every program has, and those that this one has.
static SmallVector<StepKind> getShownKinds(const Profile &profile) {
  SmallVector<StepKind> kinds;
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    if (kind <= static_cast<unsigned>(StepKind::Host) ||
        profile.totals[kind].steps > 0)
      kinds.push_back(static_cast<StepKind>(kind));
  return kinds;
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
  for (StepKind kind : getShownKinds(profile))
    printLine(stringifyStepKind(kind),
              clock.cyclesOfKind[static_cast<unsigned>(kind)],
              profile.getTotals(kind).steps);
  printLine("sync wait", clock.wait, -1);
  if (clock.ioCycles > 0)
    os << formatv("  I/O tiles, at the same time: {0}\n", clock.ioCycles);
  if (clock.hostHidden != 0)
    os << formatv("  host copies, hidden by buffers: {0}\n", clock.hostHidden);
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
  os << formatv(
      "flops: {0} of the peaks of the units that did them:",
      formatPercent(profile.getUtilisationPpm(profile.flops, profile.cycles) /
                    1000));
  for (unsigned unit = 0; unit < kNumFlopUnits; ++unit)
    if (profile.flops[unit] > 0)
      os << formatv(" {0} {1}", stringifyFlopUnit(static_cast<FlopUnit>(unit)),
                    profile.flops[unit]);
  os << "\n";
}

static void printMemory(const Profile &profile, llvm::raw_ostream &os) {
  const MemoryProfile &memory = profile.memory;
  int64_t limit = profile.target.tile_memory;
  os << formatv("memory: tile {0} needs {1} of {2} bytes ({3}), at step {4}; "
                "mean {5}; {6} kind(s) of tiles\n",
                memory.fullestTile, memory.maxTileBytes, limit,
                formatPercent(getRatio(memory.maxTileBytes, 1000, limit)),
                memory.peakStep, memory.meanTileBytes, memory.classes);
  if (memory.tilesOverMemory > 0)
    os << formatv("memory: {0} tile(s) have too little\n",
                  memory.tilesOverMemory);
  os << formatv("memory: most code on a tile {0} of {1} bytes\n",
                memory.maxCodeBytes, profile.target.code_memory);
  os << formatv("bytes of tile {0}, and of all tiles (~: estimated):\n",
                memory.fullestTile);
  for (const CategoryBytes &category : memory.categories)
    if (category.totalBytes > 0)
      os << formatv("  {0,-16} {1,12} {2,14}  {3}\n",
                    (category.isEstimated ? "~" : " ") + category.name,
                    category.tileBytes, category.totalBytes,
                    formatPercent(getRatio(category.tileBytes, 1000,
                                           memory.maxTileBytes)));
  if (!memory.largest.empty())
    os << formatv("largest variables of tile {0} at step {1}:\n",
                  memory.fullestTile, memory.peakStep);
  for (auto [number, bytes] : memory.largest) {
    const ProfileVariable &variable = profile.variables[number];
    os << formatv("  {0,12}  {1}", bytes, variable.name);
    if (!variable.location.empty())
      os << " (" << variable.location << ")";
    os << "\n";
  }
}

/// Numbers below `size` of those with most cycles, most first.
static std::vector<size_t> getTop(size_t size,
                                  function_ref<int64_t(size_t)> getCycles) {
  std::vector<size_t> order(size);
  for (size_t i = 0; i < size; ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-getCycles(a), a) < std::make_pair(-getCycles(b), b);
  });
  order.resize(std::min(size, kTop));
  return order;
}

static void printOps(const Profile &profile, llvm::raw_ostream &os) {
  SmallVector<StepKind> kinds = getShownKinds(profile);
  os << "ops with most cycles (";
  llvm::interleaveComma(kinds, os,
                        [&](StepKind kind) { os << stringifyStepKind(kind); });
  os << "; of the peak; bytes):\n";
  for (size_t i : getTop(profile.ops.size(),
                         [&](size_t i) { return profile.ops[i].cycles; })) {
    const ProfileOp &op = profile.ops[i];
    os << formatv("  {0,12} {1,8}", op.cycles, formatPercent(op.sharePermille));
    for (StepKind kind : kinds)
      os << formatv(" {0,10}", op.cyclesOfKind[static_cast<unsigned>(kind)]);
    os << formatv(" {0,8} {1,12}  {2}\n",
                  formatPercent(op.utilisationPpm / 1000), op.bytes, op.name);
  }
}

static void printSteps(const Profile &profile, llvm::raw_ostream &os) {
  auto getCycles = [&](size_t i) {
    const ProfileStep &step = profile.steps[i];
    return addSaturating(mulSaturating(step.count, step.maxCycles),
                         -step.hiddenCycles);
  };
  os << "steps with most cycles:\n";
  for (size_t i : getTop(profile.steps.size(), getCycles)) {
    const ProfileStep &step = profile.steps[i];
    os << formatv("  {0,5} {1,-8} {2,12} {3,8} balance {4,8}  {5}", i,
                  stringifyStepKind(step.kind), getCycles(i),
                  formatPercent(getRatio(getCycles(i), 1000, profile.cycles)),
                  formatPercent(step.balancePermille), step.name);
    if (step.method)
      os << " by " << stringifyContractionMethod(*step.method);
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
  printOps(profile, os);
  printSteps(profile, os);
}
