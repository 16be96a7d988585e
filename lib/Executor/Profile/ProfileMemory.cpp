//===- ProfileMemory.cpp - Memory of tiles over a program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "ipu-mlir/Analysis/StreamingMemory/StreamingMemory.h"

using namespace mlir;
using namespace mlir::ipu;

static constexpr size_t kFullestTiles = 16;
static constexpr size_t kLargest = 5;
static constexpr int64_t kBins = 16;

static ProfileVariable describeVariable(const MemoryProblem &problem,
                                        const MemoryVariable &variable,
                                        int64_t fullestTile) {
  const TileCounts &layout = problem.layouts[variable.layout];
  ProfileVariable result;
  result.name = toUTF8(variable.getName());
  result.location = describeLocation(variable.op->getLoc());
  if (result.name.empty())
    result.name = ("variable " + result.location);
  MemRefType type = variable.getType();
  if (type) {
    llvm::raw_string_ostream(result.type) << type.getElementType();
    llvm::raw_string_ostream(result.mapping) << getTileMapping(type);
  }
  result.bytes = layout.getSum();
  result.maxTileBytes = layout.getMax().second;
  result.fullestTileBytes = layout.get(fullestTile);
  result.uniqueBytes =
      type ? mulSaturating(type.getNumElements(),
                           getStoredBytes(type.getElementType()))
           : result.bytes;
  result.firstStep = variable.begin;
  result.lastStep = variable.end - 1;
  for (auto [begin, end] : variable.getRanges())
    if (begin < end)
      result.ranges.emplace_back(begin, end - 1);
  result.alwaysLive = variable.alwaysLive;
  return result;
}

/// The bytes of each step, given their changes from step to step.
static BytesOverSteps sumChanges(ArrayRef<int64_t> changes, int64_t numSteps) {
  BytesOverSteps result;
  int64_t bytes = 0;
  for (int64_t step = 0; step < numSteps; ++step) {
    bytes = addSaturating(bytes, changes[step]);
    if (result.empty() || changes[step] != 0)
      result.emplace_back(step, bytes);
  }
  return result;
}

/// The sum of `get` of the variables that are live, but not always.
static BytesOverSteps
sumNotAlwaysLive(ArrayRef<ProfileVariable> variables, int64_t numSteps,
                 function_ref<int64_t(const ProfileVariable &)> get) {
  std::vector<int64_t> changes(numSteps + 1);
  for (const ProfileVariable &variable : variables) {
    if (variable.alwaysLive)
      continue;
    for (auto [first, last] : variable.ranges) {
      changes[first] = addSaturating(changes[first], get(variable));
      changes[last + 1] = addSaturating(changes[last + 1], -get(variable));
    }
  }
  return sumChanges(changes, numSteps);
}

/// Live bytes on the fullest tile, for each category.
static std::vector<BytesOverSteps>
describeLiveOfFullest(const MemoryProblem &problem, const Profile &profile) {
  std::vector<BytesOverSteps> result;
  int64_t tile = profile.memory.fullestTile, alwaysLive = 0;
  for (const ProfileVariable &variable : profile.variables)
    if (variable.alwaysLive && !variable.ranges.empty())
      alwaysLive = addSaturating(alwaysLive, variable.fullestTileBytes);
  for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
    auto category = static_cast<MemoryCategory>(i);
    std::vector<int64_t> changes(problem.numSteps + 1);
    changes[0] = category == MemoryCategory::AlwaysLive
                     ? alwaysLive
                     : problem.fixed[i].get(tile);
    for (const MemoryCode &code : problem.code)
      for (auto [begin, end] : code.steps) {
        int64_t bytes = code.bytes[i].get(tile);
        changes[begin] = addSaturating(changes[begin], bytes);
        changes[end] = addSaturating(changes[end], -bytes);
      }
    result.push_back(category == MemoryCategory::NotAlwaysLive
                         ? profile.memory.notAlwaysLiveOfFullest
                         : sumChanges(changes, problem.numSteps));
  }
  return result;
}

/// The fullest tiles, and how many tiles are how full.
static void describeTiles(const MemoryPlan &plan, int64_t limit,
                          MemoryProfile &memory) {
  memory.binBytes = std::max(limit, memory.maxTileBytes) / kBins + 1;
  memory.histogram.assign(kBins, 0);
  for (const TileClass &tileClass : plan.classes) {
    int64_t tiles = tileClass.getNumTiles(), bytes = tileClass.highWater;
    memory.histogram[bytes / memory.binBytes] += tiles;
    if (bytes > limit)
      memory.tilesOverMemory += tiles;
    size_t added = 0;
    for (auto [begin, end] : tileClass.tiles)
      for (int64_t tile = begin; tile < end && added < kFullestTiles;
           ++tile, ++added)
        memory.fullest.push_back({tile, bytes});
  }
  llvm::sort(memory.fullest, [](const TileBytes &a, const TileBytes &b) {
    return std::make_pair(-a.bytes, a.tile) < std::make_pair(-b.bytes, b.tile);
  });
  memory.fullest.resize(std::min(memory.fullest.size(), kFullestTiles));
}

/// Returns the memory of each IPU of a replica.
static std::vector<IPUMemory> describeIPUs(const MemoryPlan &plan,
                                           const TargetModel &target) {
  std::vector<IPUMemory> ipus(target.ipus);
  // The first tile of an IPU is its fullest until another one is fuller.
  for (auto [number, ipu] : llvm::enumerate(ipus))
    ipu.fullestTile = number * target.tiles;
  for (const TileClass &tileClass : plan.classes) {
    int64_t bytes = tileClass.highWater;
    for (auto [begin, end] : tileClass.tiles)
      for (int64_t first = begin; first < end;) {
        int64_t number = first / target.tiles;
        int64_t last = std::min(end, (number + 1) * target.tiles);
        IPUMemory &ipu = ipus[number];
        ipu.totalBytes =
            addSaturating(ipu.totalBytes, mulSaturating(bytes, last - first));
        if (bytes > target.tile_memory)
          ipu.tilesOverMemory += last - first;
        if (std::make_pair(-bytes, first) <
            std::make_pair(-ipu.maxTileBytes, ipu.fullestTile)) {
          ipu.maxTileBytes = bytes;
          ipu.fullestTile = first;
        }
        first = last;
      }
  }
  return ipus;
}

static StreamingMemoryProfile describeStreamingMemory(ModuleOp module) {
  StreamingMemory memory = getStreamingMemory(module);
  StreamingMemoryProfile result;
  result.capacity = memory.capacity;
  result.bytes = memory.bytes;
  for (StreamingBuffer buffer : memory.buffers)
    result.buffers.push_back(
        {toUTF8(buffer.op.getSymName()), describeLocation(buffer.op.getLoc()),
         int64_t(buffer.op.getRows()), buffer.rowBytes, buffer.bytes});
  return result;
}

void mlir::ipu::profileMemory(const Program &program, Profile &profile) {
  const MemoryProblem &problem = program.memory;
  const MemoryPlan &plan = program.memoryPlan;
  MemoryProfile &memory = profile.memory;
  const TileClass &fullest = plan.getFullest();
  for (const MemoryVariable &variable : problem.variables)
    profile.variables.push_back(
        describeVariable(problem, variable, fullest.getFirstTile()));

  MemoryBytes sum = plan.getSum();
  memory.fullestTile = fullest.getFirstTile();
  memory.peakStep = fullest.peakStep;
  memory.maxTileBytes = fullest.highWater;
  memory.leastTileBytes = fullest.lowerBound;
  memory.meanTileBytes = sum.getTotal() / problem.numTiles;
  memory.maxCodeBytes = plan.getMostCode().codeBytes;
  for (const TileClass &tileClass : plan.classes)
    memory.classes.push_back({{tileClass.tiles.begin(), tileClass.tiles.end()},
                              tileClass.highWater,
                              tileClass.peakStep,
                              {tileClass.categories.bytes.begin(),
                               tileClass.categories.bytes.end()}});
  memory.ipus = describeIPUs(plan, profile.target);
  for (unsigned i = 0; i < kNumMemoryCategories; ++i) {
    const MemoryCategoryInfo &info =
        getMemoryCategoryInfo(static_cast<MemoryCategory>(i));
    memory.categories.push_back({info.name.str(), info.isEstimated,
                                 fullest.categories.bytes[i], sum.bytes[i]});
  }
  for (auto [variable, bytes] : getLargestAtPeak(problem, fullest, kLargest))
    memory.largest.emplace_back(variable, bytes);
  for (auto [step, bytes] : llvm::enumerate(plan.liveBytes))
    if (memory.live.empty() || memory.live.back().second != bytes)
      memory.live.emplace_back(step, bytes);
  memory.notAlwaysLive = sumNotAlwaysLive(
      profile.variables, problem.numSteps,
      [](const ProfileVariable &variable) { return variable.bytes; });
  memory.notAlwaysLiveOfFullest = sumNotAlwaysLive(
      profile.variables, problem.numSteps, [](const ProfileVariable &variable) {
        return variable.fullestTileBytes;
      });
  memory.liveOfFullest = describeLiveOfFullest(problem, profile);
  describeTiles(plan, problem.tileMemory, memory);
  func::FuncOp function = program.function;
  profile.streamingMemory =
      describeStreamingMemory(function->getParentOfType<ModuleOp>());
}
