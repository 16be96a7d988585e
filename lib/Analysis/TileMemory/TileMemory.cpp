//===- TileMemory.cpp - Allocation of tile memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"

using namespace mlir;
using namespace mlir::ipu;

static Count alignUp(Count value, int64_t align) {
  return value.divideCeil(align) * align;
}

int64_t mlir::ipu::getFootprint(const MemoryVariable &variable, int64_t bytes) {
  Count gap = (Count(bytes) * variable.gapPermille).divideCeil(1000);
  return alignUp(Count(bytes) + gap, variable.align).get();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Mixes all bits of `x` (the finaliser of splitmix64).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

namespace {
/// A sum of hashes of what tiles have; two tiles with the same sum have the
/// same, but for a chance of 2^-128, and the verifier does not rely on it.
struct Signature {
  uint64_t low = 0, high = 0;

  static Signature get(uint64_t number, int64_t value) {
    uint64_t key = mix(number) ^ static_cast<uint64_t>(value);
    return {mix(key), mix(key + 0x632be59bd9b4e019)};
  }
  Signature &operator+=(Signature other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Signature &operator-=(Signature other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
  std::pair<uint64_t, uint64_t> getKey() const { return {low, high}; }
};
} // namespace

/// Groups tiles on which all of `counts` are the same.
static std::vector<TileClass> makeClasses(int64_t numTiles,
                                          ArrayRef<const TileCounts *> counts) {
  SmallVector<std::pair<int64_t, Signature>, 0> changes;
  for (auto [number, count] : llvm::enumerate(counts))
    for (const TileRun &run : count->getRuns()) {
      if (run.value == 0)
        continue;
      Signature signature = Signature::get(number, run.value), negative;
      negative -= signature;
      changes.emplace_back(run.begin, signature);
      changes.emplace_back(run.end, negative);
    }
  llvm::sort(changes, llvm::less_first());
  std::vector<TileClass> classes;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, unsigned> classOf;
  Signature signature;
  const auto *change = changes.begin();
  for (int64_t begin = 0; begin < numTiles;) {
    for (; change != changes.end() && change->first <= begin; ++change)
      signature += change->second;
    int64_t end = change != changes.end() ? change->first : numTiles;
    auto [it, isNew] = classOf.try_emplace(signature.getKey(), classes.size());
    if (isNew)
      classes.emplace_back();
    auto &tiles = classes[it->second].tiles;
    if (!tiles.empty() && tiles.back().second == begin)
      tiles.back().second = end;
    else
      tiles.emplace_back(begin, end);
    begin = end;
  }
  return classes;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// A variable on the tiles of one class.
struct Piece {
  unsigned variable;
  int64_t begin, end;
  int64_t bytes, size, align;
  const MemoryVariable *memoryVariable;
  int64_t offset = 0;

  int64_t getEnd() const { return (Count(offset) + size).get(); }
  bool meets(const Piece &other) const {
    return begin < other.end && other.begin < end &&
           memoryVariable->meets(*other.memoryVariable);
  }
};
} // namespace

/// Finds room for `piece` from `base` on, between `neighbours` by offset, of
/// which only those that meet it count. The first that is large enough or, with
/// `best`, the smallest.
template <typename Neighbours>
static int64_t findRoom(const Piece &piece, int64_t base,
                        const Neighbours &neighbours, bool best) {
  std::optional<std::pair<int64_t, int64_t>> found; // size of the room, offset
  Count free = base;
  for (const Piece *neighbour : neighbours) {
    if (!neighbour->meets(piece))
      continue;
    Count start = alignUp(free, piece.align);
    int64_t room = neighbour->offset - start.get();
    if (room >= piece.size && (!found || room < found->first)) {
      found = {room, start.get()};
      if (!best)
        break;
    }
    free = std::max(free.get(), neighbour->getEnd());
  }
  return found ? found->second : alignUp(free, piece.align).get();
}

namespace {
/// Memory of the tiles of one class.
class ClassAllocator {
public:
  ClassAllocator(const MemoryProblem &problem, TileClass &tileClass);

  /// Finds the peak step, and puts what is live at each step into `liveBytes`
  /// where it is more than is there.
  void findPeak(std::vector<int64_t> &liveBytes);
  /// First fit in order of births.
  void allocateInOrderOfBegin();
  /// Best fit in order of decreasing size, or size times life, if that ends
  /// lower.
  void allocateBySize(bool byArea);

private:
  void allocateCode();
  int64_t getHighWater() const;
  void setPlacements();

  const MemoryProblem &problem;
  TileClass &tileClass;
  /// Room for code that is not always there.
  int64_t codeRoom = 0;
  /// The first address behind what is always live.
  int64_t base = 0;
  /// Always live, at their places; and others, in order of births.
  std::vector<Piece> fixed, pieces;
};
} // namespace

ClassAllocator::ClassAllocator(const MemoryProblem &problem,
                               TileClass &tileClass)
    : problem(problem), tileClass(tileClass) {
  allocateCode();
  int64_t tile = tileClass.getFirstTile();
  Count at = codeRoom;
  for (const TileCounts &part : problem.fixed)
    at += part.get(tile);
  std::vector<int64_t> bytesOfLayout;
  bytesOfLayout.reserve(problem.layouts.size());
  for (const TileCounts &layout : problem.layouts)
    bytesOfLayout.push_back(layout.get(tile));
  for (auto [number, variable] : llvm::enumerate(problem.variables)) {
    int64_t bytes = bytesOfLayout[variable.layout];
    if (bytes == 0 || variable.begin >= variable.end)
      continue;
    Piece piece{
        static_cast<unsigned>(number), variable.begin, variable.end, bytes,
        getFootprint(variable, bytes), variable.align, &variable};
    if (!variable.alwaysLive) {
      pieces.push_back(piece);
      continue;
    }
    at = alignUp(at, piece.align);
    piece.offset = at.get();
    at += piece.size;
    fixed.push_back(piece);
  }
  int64_t align = Count::kMax;
  for (const Piece &piece : pieces)
    align = std::min(align, piece.align);
  base = (pieces.empty() ? at : alignUp(at, align)).get();
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(a.begin, a.variable) < std::tie(b.begin, b.variable);
  });
}

/// Code of functions, the largest first, at the first place where no other is
/// that is on the tiles at the same time.
void ClassAllocator::allocateCode() {
  int64_t tile = tileClass.getFirstTile();
  Count begin;
  for (auto [category, part] : llvm::enumerate(problem.fixed))
    if (getMemoryCategoryInfo(static_cast<MemoryCategory>(category)).isCode)
      begin += part.get(tile);
  struct Placed {
    unsigned number;
    int64_t offset, bytes;
  };
  SmallVector<Placed> order;
  for (auto [number, code] : llvm::enumerate(problem.code))
    if (int64_t bytes = code.get(tile); bytes > 0 && !code.steps.empty())
      order.push_back({static_cast<unsigned>(number), 0, bytes});
  llvm::sort(order, [](const Placed &a, const Placed &b) {
    return std::tie(b.bytes, a.number) < std::tie(a.bytes, b.number);
  });
  Count end = begin;
  for (auto [index, placed] : llvm::enumerate(order)) {
    SmallVector<Placed> others;
    for (const Placed &other : ArrayRef(order).take_front(index))
      if (problem.code[other.number].meets(problem.code[placed.number]))
        others.push_back(other);
    llvm::sort(others, [](const Placed &a, const Placed &b) {
      return a.offset < b.offset;
    });
    Count free = begin;
    for (const Placed &other : others) {
      if (other.offset - free.get() >= placed.bytes)
        break;
      free = std::max(free, Count(other.offset) + other.bytes);
    }
    placed.offset = free.get();
    end = std::max(end, free + placed.bytes);
  }
  llvm::sort(order, [](const Placed &a, const Placed &b) {
    return a.number < b.number;
  });
  tileClass.codePlacements.clear();
  for (const Placed &placed : order)
    tileClass.codePlacements.push_back({placed.number, placed.offset});
  tileClass.codeBytes = end.get();
  codeRoom = end.get() - begin.get();
}

void ClassAllocator::findPeak(std::vector<int64_t> &liveBytes) {
  std::vector<Count> begins(problem.numSteps + 1), ends(problem.numSteps + 1);
  for (const Piece &piece : pieces)
    for (auto [begin, end] : piece.memoryVariable->getRanges()) {
      begins[begin] += piece.size;
      ends[end] += piece.size;
    }
  int64_t tile = tileClass.getFirstTile();
  for (const MemoryPlacement &placement : tileClass.codePlacements) {
    const MemoryCode &code = problem.code[placement.variable];
    for (auto [begin, end] : code.steps) {
      begins[begin] += code.get(tile);
      ends[end] += code.get(tile);
    }
  }
  // Both saturate, so that a difference may be too small.
  Count begun, ended;
  int64_t always = base - codeRoom;
  tileClass.lowerBound = always;
  for (int64_t step = 0; step < problem.numSteps; ++step) {
    begun += begins[step];
    ended += ends[step];
    int64_t live =
        (Count(always) + std::max<int64_t>(begun.get() - ended.get(), 0)).get();
    liveBytes[step] = std::max(liveBytes[step], live);
    if (live > tileClass.lowerBound) {
      tileClass.lowerBound = live;
      tileClass.peakStep = step;
    }
  }
  MemoryBytes &categories = tileClass.categories;
  for (auto [bytes, part] : llvm::zip_equal(categories.bytes, problem.fixed))
    bytes = part.get(tile);
  for (const MemoryCode &code : problem.code)
    if (code.isResident(tileClass.peakStep))
      for (auto [bytes, part] : llvm::zip_equal(categories.bytes, code.bytes))
        bytes = (Count(bytes) + part.get(tile)).get();
  Count alwaysLive, others;
  for (const Piece &piece : fixed)
    alwaysLive += piece.bytes;
  for (const Piece &piece : pieces)
    if (piece.memoryVariable->isLive(tileClass.peakStep))
      others += piece.bytes;
  categories[MemoryCategory::AlwaysLive] = alwaysLive.get();
  categories[MemoryCategory::NotAlwaysLive] = others.get();
}

int64_t ClassAllocator::getHighWater() const {
  int64_t highWater = base;
  for (const Piece &piece : pieces)
    highWater = std::max(highWater, piece.getEnd());
  return highWater;
}

/// Adds `piece` to pieces that are ordered by offset.
static void insertByOffset(std::vector<Piece *> &pieces, Piece *piece) {
  auto isBelow = [](const Piece *a, const Piece *b) {
    return a->offset < b->offset;
  };
  pieces.insert(llvm::upper_bound(pieces, piece, isBelow), piece);
}

void ClassAllocator::allocateInOrderOfBegin() {
  std::vector<Piece *> live;
  for (Piece &piece : pieces) {
    llvm::erase_if(
        live, [&](const Piece *other) { return other->end <= piece.begin; });
    piece.offset = findRoom(piece, base, live, /*best=*/false);
    insertByOffset(live, &piece);
  }
  setPlacements();
}

void ClassAllocator::allocateBySize(bool byArea) {
  auto getRank = [&](const Piece *piece) {
    return (byArea ? Count(piece->size) * (piece->end - piece->begin)
                   : Count(piece->size))
        .get();
  };
  std::vector<Piece *> order;
  order.reserve(pieces.size());
  for (Piece &piece : pieces)
    order.push_back(&piece);
  llvm::sort(order, [&](const Piece *a, const Piece *b) {
    return std::make_tuple(-getRank(a), a->begin, a->variable) <
           std::make_tuple(-getRank(b), b->begin, b->variable);
  });
  std::vector<Piece *> placed;
  for (Piece *piece : order) {
    piece->offset = findRoom(*piece, base, placed, /*best=*/true);
    insertByOffset(placed, piece);
  }
  if (getHighWater() < tileClass.highWater)
    setPlacements();
}

void ClassAllocator::setPlacements() {
  tileClass.highWater = getHighWater();
  MemoryBytes &categories = tileClass.categories;
  categories[MemoryCategory::Gaps] = 0;
  categories[MemoryCategory::Gaps] =
      std::max<int64_t>(tileClass.highWater - categories.getTotal(), 0);
  tileClass.placements.clear();
  tileClass.placements.reserve(fixed.size() + pieces.size());
  for (const std::vector<Piece> *list : {&fixed, &pieces})
    for (const Piece &piece : *list)
      tileClass.placements.push_back({piece.variable, piece.offset});
  llvm::sort(tileClass.placements,
             [](const MemoryPlacement &a, const MemoryPlacement &b) {
               return a.variable < b.variable;
             });
}

/// Bounds the time that is spent on second orders, in pairs of variables.
static constexpr int64_t kMaxPairs = 200000000;

MemoryPlan mlir::ipu::allocateMemory(const MemoryProblem &problem) {
  SmallVector<const TileCounts *> counts;
  for (const TileCounts &layout : problem.layouts)
    counts.push_back(&layout);
  for (const TileCounts &part : problem.fixed)
    counts.push_back(&part);
  for (const MemoryCode &code : problem.code)
    for (const TileCounts &part : code.bytes)
      counts.push_back(&part);
  MemoryPlan plan;
  plan.classes = makeClasses(problem.numTiles, counts);
  plan.liveBytes.assign(problem.numSteps, 0);
  int64_t peak = 0;
  for (TileClass &tileClass : plan.classes) {
    ClassAllocator allocator(problem, tileClass);
    allocator.findPeak(plan.liveBytes);
    allocator.allocateInOrderOfBegin();
    peak = std::max(peak, tileClass.lowerBound);
  }

  // Fullest first, until no class is left that exceeds what another one needs.
  std::vector<TileClass *> order;
  order.reserve(plan.classes.size());
  for (TileClass &tileClass : plan.classes)
    order.push_back(&tileClass);
  llvm::sort(order, [](const TileClass *a, const TileClass *b) {
    return std::make_pair(-a->highWater, a->getFirstTile()) <
           std::make_pair(-b->highWater, b->getFirstTile());
  });
  int64_t pairs = 0;
  for (TileClass *tileClass : order) {
    int64_t variables = tileClass->placements.size();
    pairs += 2 * variables * variables;
    // Within a thousandth, which rounding may cost, it only has to fit.
    int64_t enough = std::clamp((Count(peak) + peak / 1000).get(), peak,
                                std::max(peak, problem.tileMemory));
    if (tileClass->highWater <= enough || pairs > kMaxPairs)
      break;
    for (bool byArea : {false, true})
      ClassAllocator(problem, *tileClass).allocateBySize(byArea);
    peak = std::max(peak, tileClass->highWater);
  }
  return plan;
}
