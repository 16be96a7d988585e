//===- ProfileMemory.cpp - Memory of tiles over a program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

static constexpr size_t kFullestTiles = 16;
static constexpr int64_t kBins = 16;

/// Elements of a variable on each tile that its grid has, by the product of
/// what the blocks hold.
static std::vector<int64_t> getElementsOfTiles(MapAttr map) {
  int64_t whole = 1;
  SmallVector<SmallVector<int64_t>> sizesOfAxis(map.getGrid().size());
  for (auto [extent, sizes] : llvm::zip_equal(map.getGrid(), sizesOfAxis))
    sizes.assign(extent, 1);
  for (auto [size, block] : llvm::zip_equal(map.getDomain(), map.getBlocks())) {
    if (block.isAll()) {
      whole *= size;
      continue;
    }
    for (auto [p, part] : llvm::enumerate(sizesOfAxis[block.axis])) {
      int64_t begin = std::min<int64_t>(p * block.step, size);
      part = std::min(block.extent, size - begin);
    }
  }
  std::vector<int64_t> elements = {whole};
  for (ArrayRef<int64_t> sizes : sizesOfAxis) {
    std::vector<int64_t> next;
    next.reserve(elements.size() * sizes.size());
    for (int64_t outer : elements)
      for (int64_t size : sizes)
        next.push_back(outer * size);
    elements = std::move(next);
  }
  return elements;
}

namespace {
/// When the memory of tiles changes: steps [0, step) have run.
struct LifeEvent {
  unsigned variable = 0;
  int64_t step = 0;
  bool isBirth = false;
};

class MemoryMeter {
public:
  MemoryMeter(const Program &program, Profile &profile)
      : program(program), profile(profile),
        bytesOfTile(program.target.getTilesPerReplica(), 0) {}
  void run();

private:
  void collect();
  void collectEvents(const ProgramSequence &sequence, int64_t &step);
  void addVariable(unsigned variable, bool isBirth);
  void describePeak();

  const Program &program;
  Profile &profile;
  std::vector<int64_t> bytesOfTile;
  std::vector<std::vector<int64_t>> bytesOfVariable;
  std::vector<LifeEvent> events;
  /// Of the tiles that the last event changed.
  int64_t fullest = 0;
};
} // namespace

/// The step after a node, if it is one.
static int64_t getNextStep(const ProgramNode &node, int64_t step) {
  return std::visit(
      [&](const auto &inner) -> int64_t {
        if constexpr (std::is_same_v<decltype(inner), const ComputeNode &> ||
                      std::is_same_v<decltype(inner), const ExchangeNode &> ||
                      std::is_same_v<decltype(inner), const SyncNode &> ||
                      std::is_same_v<decltype(inner), const HostCopyNode &>)
          return inner.step + 1;
        return step;
      },
      node);
}

void MemoryMeter::collect() {
  for (ProgramVariable variable : program.variables) {
    std::vector<int64_t> bytes = getElementsOfTiles(variable.map);
    ProfileVariable result;
    result.name = variable.op.getName().str();
    llvm::raw_string_ostream(result.map) << variable.map;
    result.alwaysLive = static_cast<bool>(variable.init);
    result.lastStep = static_cast<int64_t>(program.steps.size()) - 1;
    for (int64_t &size : bytes) {
      size = llvm::alignTo(size * variable.elementBytes, 8);
      result.bytes = addSaturating(result.bytes, size);
      result.maxTileBytes = std::max(result.maxTileBytes, size);
    }
    profile.variables.push_back(std::move(result));
    bytesOfVariable.push_back(std::move(bytes));
  }
  int64_t step = 0;
  collectEvents(program.body, step);
}

void MemoryMeter::collectEvents(const ProgramSequence &sequence,
                                int64_t &step) {
  for (const ProgramNode &node : sequence.nodes) {
    if (const auto *repeat = std::get_if<std::unique_ptr<RepeatNode>>(&node)) {
      collectEvents((*repeat)->body, step);
      step = (*repeat)->step + 1;
      continue;
    }
    const auto *birth = std::get_if<BirthNode>(&node);
    const auto *death = std::get_if<DeathNode>(&node);
    if (birth && !program.variables[birth->variable].init) {
      profile.variables[birth->variable].firstStep = step;
      events.push_back({birth->variable, step, true});
    } else if (death) {
      profile.variables[death->variable].lastStep = step - 1;
      events.push_back({death->variable, step, false});
    }
    step = getNextStep(node, step);
  }
}

void MemoryMeter::addVariable(unsigned variable, bool isBirth) {
  int64_t tile = program.variables[variable].map.getFirst();
  for (int64_t bytes : bytesOfVariable[variable]) {
    int64_t &held = bytesOfTile[tile++];
    held = isBirth ? addSaturating(held, bytes) : held - bytes;
    fullest = std::max(fullest, held);
  }
}

void MemoryMeter::run() {
  collect();
  MemoryProfile &memory = profile.memory;
  for (auto [number, variable] : llvm::enumerate(profile.variables)) {
    if (!variable.alwaysLive)
      continue;
    addVariable(number, /*isBirth=*/true);
    memory.alwaysLiveBytes =
        addSaturating(memory.alwaysLiveBytes, variable.bytes);
  }
  memory.alwaysLiveMaxTileBytes = fullest;

  // Twice: once to find the peak, once to stop there.
  std::vector<int64_t> atStart = bytesOfTile;
  int64_t peak = fullest;
  size_t peakEvents = 0;
  for (auto [number, event] : llvm::enumerate(events)) {
    fullest = 0;
    addVariable(event.variable, event.isBirth);
    if (event.isBirth && fullest > peak) {
      peak = fullest;
      peakEvents = number + 1;
      memory.peakStep = event.step;
    }
  }
  bytesOfTile = std::move(atStart);
  for (const LifeEvent &event : ArrayRef(events).take_front(peakEvents))
    addVariable(event.variable, event.isBirth);
  describePeak();
}

void MemoryMeter::describePeak() {
  MemoryProfile &memory = profile.memory;
  int64_t limit = profile.target.tile_memory;
  std::vector<TileBytes> tiles;
  int64_t sum = 0;
  for (auto [tile, bytes] : llvm::enumerate(bytesOfTile)) {
    tiles.push_back({static_cast<int64_t>(tile), bytes});
    sum = addSaturating(sum, bytes);
    memory.maxTileBytes = std::max(memory.maxTileBytes, bytes);
    memory.tilesOverMemory += bytes > limit;
  }
  memory.meanTileBytes = sum / static_cast<int64_t>(bytesOfTile.size());
  memory.binBytes = std::max(limit, memory.maxTileBytes) / kBins + 1;
  memory.histogram.assign(kBins, 0);
  for (int64_t bytes : bytesOfTile)
    ++memory.histogram[bytes / memory.binBytes];
  llvm::sort(tiles, [](const TileBytes &a, const TileBytes &b) {
    return std::make_pair(-a.bytes, a.tile) < std::make_pair(-b.bytes, b.tile);
  });
  tiles.resize(std::min(tiles.size(), kFullestTiles));
  memory.fullest = std::move(tiles);
}

void mlir::ipu::profileMemory(const Program &program, Profile &profile) {
  MemoryMeter(program, profile).run();
}
