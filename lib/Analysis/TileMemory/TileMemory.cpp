//===- TileMemory.cpp - Allocation of tile memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "TileClasses.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "mlir/IR/Threading.h"

#include <mutex>

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
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// A variable, or code that comes and goes, on the tiles of one class.
struct Piece {
  unsigned number;
  int64_t begin, end;
  int64_t bytes, size, align;
  const MemoryVariable *live;
  int64_t offset = 0;

  int64_t getEnd() const { return (Count(offset) + size).get(); }
  bool meets(const Piece &other) const {
    return begin < other.end && other.begin < end && live->meets(*other.live);
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

/// Adds `piece` to pieces that are ordered by offset.
static void insertByOffset(std::vector<Piece *> &pieces, Piece *piece) {
  auto isBelow = [](const Piece *a, const Piece *b) {
    return a->offset < b->offset;
  };
  pieces.insert(llvm::upper_bound(pieces, piece, isBelow), piece);
}

namespace {
/// Memory of the tiles of one class.
class ClassAllocator {
public:
  ClassAllocator(const MemoryProblem &problem, TileClass &tileClass);

  /// Finds the peak step; returns what is live at each step.
  std::vector<int64_t> findPeak();
  /// First fit in order of the begins of live ranges.
  void allocateInOrderOfBegin();
  /// Best fit in order of decreasing size, or size times life.
  void allocateBySize(bool byArea);
  /// From here on variables lie after the room of code.
  void keepRoomForCode();

private:
  void addCode();
  void allocateCode();
  void addVariables();
  int64_t placeData(int64_t begin);
  int64_t placeAll();
  /// Takes what was found if it is the first or ends lower.
  void keepIfLower();
  void findCategories();

  const MemoryProblem &problem;
  TileClass &tileClass;
  int64_t tile;
  /// The code that is always there, and vertex state and the like.
  int64_t fixedCode = 0, fixedData = 0;
  /// The first address after what is always there; where code comes and goes,
  /// after the code that is always there.
  int64_t base = 0;
  int64_t dataOffset = 0;
  /// Always live; others, in order of their begins; and code that comes and
  /// goes.
  std::vector<Piece> fixed, pieces, code;
  std::vector<MemoryVariable> rangesOfCode;
};
} // namespace

ClassAllocator::ClassAllocator(const MemoryProblem &problem,
                               TileClass &tileClass)
    : problem(problem), tileClass(tileClass), tile(tileClass.getFirstTile()) {
  Count codeBytes, dataBytes;
  for (auto [category, part] : llvm::enumerate(problem.fixed))
    (getMemoryCategoryInfo(static_cast<MemoryCategory>(category)).isCode
         ? codeBytes
         : dataBytes) += part.get(tile);
  fixedCode = codeBytes.get();
  fixedData = dataBytes.get();
  addCode();
  allocateCode();
  addVariables();
  int64_t align = Count::kMax;
  for (const Piece &piece : pieces)
    align = std::min(align, piece.align);
  base = code.empty() ? placeData(fixedCode) : fixedCode;
  if (!pieces.empty())
    base = alignUp(base, align).get();
}

void ClassAllocator::addCode() {
  rangesOfCode.resize(problem.code.size());
  for (auto [number, part] : llvm::enumerate(problem.code)) {
    int64_t bytes = part.get(tile);
    if (bytes == 0 || part.steps.empty())
      continue;
    MemoryVariable &live = rangesOfCode[number];
    live.begin = part.steps.front().first;
    live.end = part.steps.back().second;
    live.ranges.assign(part.steps.begin(), part.steps.end());
    code.push_back({static_cast<unsigned>(number), live.begin, live.end, bytes,
                    bytes, /*align=*/1, &live});
  }
}

void ClassAllocator::addVariables() {
  std::vector<int64_t> bytesOfLayout;
  bytesOfLayout.reserve(problem.layouts.size());
  for (const TileCounts &layout : problem.layouts)
    bytesOfLayout.push_back(layout.get(tile));
  for (auto [number, variable] : llvm::enumerate(problem.variables)) {
    int64_t bytes = bytesOfLayout[variable.layout];
    if (bytes == 0 || variable.begin >= variable.end)
      continue;
    (variable.alwaysLive ? fixed : pieces)
        .push_back({static_cast<unsigned>(number), variable.begin, variable.end,
                    bytes, getFootprint(variable, bytes), variable.align,
                    &variable});
  }
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(a.begin, a.number) < std::tie(b.begin, b.number);
  });
}

/// The largest first, at the first address where no other is that is on the
/// tiles at the same time: instructions are fetched from low addresses only.
void ClassAllocator::allocateCode() {
  std::vector<Piece *> order, placed;
  for (Piece &piece : code)
    order.push_back(&piece);
  llvm::sort(order, [](const Piece *a, const Piece *b) {
    return std::tie(b->size, a->number) < std::tie(a->size, b->number);
  });
  int64_t end = fixedCode;
  for (Piece *piece : order) {
    piece->offset = findRoom(*piece, fixedCode, placed, /*best=*/false);
    insertByOffset(placed, piece);
    end = std::max(end, piece->getEnd());
  }
  tileClass.codePlacements.clear();
  for (const Piece &piece : code)
    tileClass.codePlacements.push_back({piece.number, piece.offset});
  tileClass.codeBytes = end;
}

/// Places vertex state and the like, and what is always live after it; returns
/// the end.
int64_t ClassAllocator::placeData(int64_t begin) {
  dataOffset = begin;
  Count at = Count(begin) + fixedData;
  for (Piece &piece : fixed) {
    at = alignUp(at, piece.align);
    piece.offset = at.get();
    at += piece.size;
  }
  return at.get();
}

/// Places what lies after the rest, if anything does; returns the greatest
/// address in use.
int64_t ClassAllocator::placeAll() {
  int64_t end = code.empty() ? base : tileClass.codeBytes;
  for (const Piece &piece : pieces)
    end = std::max(end, piece.getEnd());
  return code.empty() ? end : placeData(end);
}

void ClassAllocator::keepRoomForCode() {
  for (Piece &piece : code) {
    MemoryVariable &live = rangesOfCode[piece.number];
    live.ranges.clear();
    live.begin = piece.begin = 0;
    live.end = piece.end = problem.numSteps;
  }
}

std::vector<int64_t> ClassAllocator::findPeak() {
  std::vector<Count> begins(problem.numSteps + 1), ends(problem.numSteps + 1);
  for (const std::vector<Piece> *list : {&pieces, &code})
    for (const Piece &piece : *list)
      for (auto [begin, end] : piece.live->getRanges()) {
        begins[begin] += piece.size;
        ends[end] += piece.size;
      }
  Count always = base;
  if (!code.empty()) {
    always = Count(fixedCode) + fixedData;
    for (const Piece &piece : fixed)
      always += piece.size;
  }
  // Both saturate, so that a difference may be too small.
  Count begun, ended;
  std::vector<int64_t> liveBytes(problem.numSteps);
  tileClass.lowerBound = always.get();
  for (int64_t step = 0; step < problem.numSteps; ++step) {
    begun += begins[step];
    ended += ends[step];
    int64_t live =
        (always + std::max<int64_t>(begun.get() - ended.get(), 0)).get();
    liveBytes[step] = live;
    if (live > tileClass.lowerBound) {
      tileClass.lowerBound = live;
      tileClass.peakStep = step;
    }
  }
  findCategories();
  return liveBytes;
}

void ClassAllocator::findCategories() {
  MemoryBytes &categories = tileClass.categories;
  for (auto [bytes, part] : llvm::zip_equal(categories.bytes, problem.fixed))
    bytes = part.get(tile);
  for (const MemoryCode &resident : problem.code)
    if (resident.isResident(tileClass.peakStep))
      for (auto [bytes, part] :
           llvm::zip_equal(categories.bytes, resident.bytes))
        bytes = (Count(bytes) + part.get(tile)).get();
  Count alwaysLive, others;
  for (const Piece &piece : fixed)
    alwaysLive += piece.bytes;
  for (const Piece &piece : pieces)
    if (piece.live->isLive(tileClass.peakStep))
      others += piece.bytes;
  categories[MemoryCategory::AlwaysLive] = alwaysLive.get();
  categories[MemoryCategory::NotAlwaysLive] = others.get();
}

void ClassAllocator::allocateInOrderOfBegin() {
  std::vector<Piece *> live;
  for (Piece &piece : code)
    insertByOffset(live, &piece);
  for (Piece &piece : pieces) {
    llvm::erase_if(
        live, [&](const Piece *other) { return other->end <= piece.begin; });
    piece.offset = findRoom(piece, base, live, /*best=*/false);
    insertByOffset(live, &piece);
  }
  keepIfLower();
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
    return std::make_tuple(-getRank(a), a->begin, a->number) <
           std::make_tuple(-getRank(b), b->begin, b->number);
  });
  std::vector<Piece *> placed;
  for (Piece &piece : code)
    insertByOffset(placed, &piece);
  for (Piece *piece : order) {
    piece->offset = findRoom(*piece, base, placed, /*best=*/true);
    insertByOffset(placed, piece);
  }
  keepIfLower();
}

void ClassAllocator::keepIfLower() {
  int64_t highWater = placeAll();
  if (!tileClass.placements.empty() && highWater >= tileClass.highWater)
    return;
  tileClass.highWater = highWater;
  tileClass.dataOffset = dataOffset;
  MemoryBytes &categories = tileClass.categories;
  categories[MemoryCategory::Gaps] = 0;
  categories[MemoryCategory::Gaps] =
      std::max<int64_t>(tileClass.highWater - categories.getTotal(), 0);
  tileClass.placements.clear();
  tileClass.placements.reserve(fixed.size() + pieces.size());
  for (const std::vector<Piece> *list : {&fixed, &pieces})
    for (const Piece &piece : *list)
      tileClass.placements.push_back({piece.number, piece.offset});
  llvm::sort(tileClass.placements,
             [](const MemoryPlacement &a, const MemoryPlacement &b) {
               return a.variable < b.variable;
             });
}

/// Bounds the time that is spent on second orders, in pairs of variables.
static constexpr int64_t kMaxPairs = 200000000;

MemoryPlan mlir::ipu::allocateMemory(const MemoryProblem &problem,
                                     MLIRContext *context) {
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
  std::mutex mutex;
  auto allocate = [&](TileClass &tileClass) {
    ClassAllocator allocator(problem, tileClass);
    std::vector<int64_t> liveBytes = allocator.findPeak();
    allocator.allocateInOrderOfBegin();
    std::lock_guard<std::mutex> guard(mutex);
    peak = std::max(peak, tileClass.lowerBound);
    for (auto [most, live] : llvm::zip_equal(plan.liveBytes, liveBytes))
      most = std::max(most, live);
  };
  if (context)
    parallelForEach(context, plan.classes, allocate);
  else
    llvm::for_each(plan.classes, allocate);

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
    ClassAllocator allocator(problem, *tileClass);
    for (bool byArea : {false, true})
      allocator.allocateBySize(byArea);
    if (!tileClass->codePlacements.empty() && tileClass->highWater > enough) {
      allocator.keepRoomForCode();
      allocator.allocateInOrderOfBegin();
      allocator.allocateBySize(/*byArea=*/false);
    }
    peak = std::max(peak, tileClass->highWater);
  }
  return plan;
}
