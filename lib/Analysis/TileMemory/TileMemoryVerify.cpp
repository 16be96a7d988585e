//===- TileMemoryVerify.cpp - Proof of memory plans -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

namespace {
class PlanVerifier {
public:
  PlanVerifier(const MemoryProblem &problem, const MemoryPlan &plan,
               function_ref<InFlightDiagnostic()> emitError)
      : problem(problem), plan(plan), emitError(emitError) {
    for (auto [number, variable] : llvm::enumerate(problem.variables))
      for (auto [begin, end] : variable.getRanges()) {
        births.emplace_back(begin, number);
        deaths.emplace_back(end, number);
      }
    llvm::sort(births);
    llvm::sort(deaths);
  }

  LogicalResult verify();

private:
  /// A variable's memory on the tiles of a class.
  struct Place {
    unsigned variable;
    int64_t offset, size;
  };

  LogicalResult verifyTiles();
  LogicalResult verifyClass(const TileClass &tileClass);
  LogicalResult verifyCode(const TileClass &tileClass, int64_t base);
  LogicalResult verifyPlace(const TileClass &tileClass, int64_t base,
                            const Place &place);
  LogicalResult verifyDisjoint(const TileClass &tileClass,
                               ArrayRef<Place> places);
  bool hasSteps(const MemoryVariable &variable) const {
    return variable.begin < variable.end;
  }

  const MemoryProblem &problem;
  const MemoryPlan &plan;
  function_ref<InFlightDiagnostic()> emitError;
  /// All variables, by number, in the order of their births, and of their
  /// deaths; those that are live more than once have several.
  std::vector<std::pair<int64_t, unsigned>> births, deaths;
};
} // namespace

/// Each tile is in one class, and tiles of a class have the same.
LogicalResult PlanVerifier::verifyTiles() {
  struct Part {
    int64_t begin, end;
    unsigned tileClass;
  };
  std::vector<Part> parts;
  for (auto [number, tileClass] : llvm::enumerate(plan.classes))
    for (auto [begin, end] : tileClass.tiles)
      parts.push_back({begin, end, static_cast<unsigned>(number)});
  llvm::sort(parts,
             [](const Part &a, const Part &b) { return a.begin < b.begin; });
  int64_t next = 0;
  for (const Part &part : parts) {
    if (part.begin != next || part.end <= part.begin)
      return emitError() << "expects tile " << std::min(part.begin, next)
                         << " to be in one class";
    next = part.end;
  }
  if (next != problem.numTiles)
    return emitError() << "expects tile " << std::min(next, problem.numTiles)
                       << " to be in one class";

  auto verifyCounts = [&](const TileCounts &counts) -> LogicalResult {
    std::vector<int64_t> valueOf(plan.classes.size(), -1);
    const TileRun *run = counts.getRuns().begin();
    for (const Part &part : parts)
      for (int64_t tile = part.begin; tile < part.end; tile = run->end) {
        while (run->end <= tile)
          ++run;
        int64_t &value = valueOf[part.tileClass];
        if (value >= 0 && value != run->value)
          return emitError() << "expects tile " << tile
                             << " to need what others of its class need";
        value = run->value;
      }
    return success();
  };
  for (const TileCounts &layout : problem.layouts)
    if (failed(verifyCounts(layout)))
      return failure();
  for (const TileCounts &part : problem.fixed)
    if (failed(verifyCounts(part)))
      return failure();
  for (const MemoryCode &code : problem.code)
    for (const TileCounts &part : code.bytes)
      if (failed(verifyCounts(part)))
        return failure();
  return success();
}

LogicalResult PlanVerifier::verifyPlace(const TileClass &tileClass,
                                        int64_t base, const Place &place) {
  const MemoryVariable &variable = problem.variables[place.variable];
  int64_t end = (Count(place.offset) + place.size).get();
  if (place.offset >= base && end <= tileClass.highWater &&
      (place.offset % variable.align == 0 || end == Count::kMax))
    return success();
  return emitError() << "expects variable " << place.variable << " on tile "
                     << tileClass.getFirstTile() << " to lie in [" << base
                     << ", " << tileClass.highWater << ") at a multiple of "
                     << variable.align << " but got [" << place.offset << ", "
                     << end << ")";
}

/// Sweeps over births and deaths with what is live by address: a newcomer that
/// does not overlap the one before or the one behind overlaps none.
LogicalResult PlanVerifier::verifyDisjoint(const TileClass &tileClass,
                                           ArrayRef<Place> places) {
  std::vector<const Place *> placeOf(problem.variables.size(), nullptr);
  for (const Place &place : places)
    placeOf[place.variable] = &place;
  std::map<int64_t, const Place *> live;
  const auto *nextDeath = deaths.data();
  for (auto [step, number] : births) {
    const Place *place = placeOf[number];
    if (!place)
      continue;
    // That of `place` is later, so that the loop ends.
    for (; nextDeath->first <= step; ++nextDeath)
      if (const Place *dead = placeOf[nextDeath->second])
        live.erase(dead->offset);
    auto next = live.lower_bound(place->offset);
    const Place *other = nullptr;
    if (next != live.end() && next->first < place->offset + place->size)
      other = next->second;
    else if (next != live.begin() &&
             std::prev(next)->second->offset + std::prev(next)->second->size >
                 place->offset)
      other = std::prev(next)->second;
    if (other)
      return emitError() << "expects variables " << other->variable << " and "
                         << place->variable << ", which are both live at step "
                         << step << ", not to overlap on tile "
                         << tileClass.getFirstTile() << " but got ["
                         << other->offset << ", " << other->offset + other->size
                         << ") and [" << place->offset << ", "
                         << place->offset + place->size << ")";
    live[place->offset] = place;
  }
  return success();
}

/// Code that is not always there lies behind the rest, and where both are on
/// the tile it does not overlap other.
LogicalResult PlanVerifier::verifyCode(const TileClass &tileClass,
                                       int64_t base) {
  int64_t tile = tileClass.getFirstTile();
  if (tileClass.codeBytes < base)
    return emitError() << "expects the code on tile " << tile << " to hold "
                       << base << " bytes that are always there but got "
                       << tileClass.codeBytes;
  SmallVector<Place> places;
  const MemoryPlacement *placement = tileClass.codePlacements.data();
  const MemoryPlacement *end = placement + tileClass.codePlacements.size();
  for (auto [number, code] : llvm::enumerate(problem.code)) {
    int64_t bytes = code.get(tile);
    bool needsPlace = bytes > 0 && !code.steps.empty();
    bool hasPlace = placement != end && placement->variable == number;
    if (needsPlace != hasPlace)
      return emitError() << "expects code " << number << " to have "
                         << (needsPlace ? "a" : "no") << " place on tile "
                         << tile;
    if (!hasPlace)
      continue;
    Place place{static_cast<unsigned>(number), placement->offset, bytes};
    ++placement;
    int64_t last = (Count(place.offset) + bytes).get();
    if (place.offset < base || last > tileClass.codeBytes)
      return emitError() << "expects code " << number << " on tile " << tile
                         << " to lie in [" << base << ", "
                         << tileClass.codeBytes << ") but got [" << place.offset
                         << ", " << last << ")";
    for (const Place &other : places)
      if (other.offset < place.offset + place.size &&
          place.offset < other.offset + other.size &&
          code.meets(problem.code[other.variable]))
        return emitError() << "expects code " << other.variable << " and "
                           << number
                           << ", which are both there in some step, not to "
                              "overlap on tile "
                           << tile;
    if (last < Count::kMax)
      places.push_back(place);
  }
  if (placement != end)
    return emitError() << "expects each code to have one place on tile " << tile
                       << ", in their order, but got another of "
                       << placement->variable;
  return success();
}

LogicalResult PlanVerifier::verifyClass(const TileClass &tileClass) {
  int64_t tile = tileClass.getFirstTile();
  Count base, code;
  for (auto [category, part] : llvm::enumerate(problem.fixed)) {
    base += part.get(tile);
    if (getMemoryCategoryInfo(static_cast<MemoryCategory>(category)).isCode)
      code += part.get(tile);
  }
  if (failed(verifyCode(tileClass, code.get())))
    return failure();
  base += tileClass.codeBytes - code.get();
  if (tileClass.highWater < base.get())
    return emitError() << "expects the memory in use on tile " << tile
                       << " to hold " << base.get() << " fixed bytes but got "
                       << tileClass.highWater;
  std::vector<int64_t> bytesOfLayout;
  bytesOfLayout.reserve(problem.layouts.size());
  for (const TileCounts &layout : problem.layouts)
    bytesOfLayout.push_back(layout.get(tile));
  std::vector<Place> places;
  const MemoryPlacement *placement = tileClass.placements.data();
  const MemoryPlacement *end = placement + tileClass.placements.size();
  for (auto [number, variable] : llvm::enumerate(problem.variables)) {
    int64_t bytes = bytesOfLayout[variable.layout];
    bool needsPlace = bytes > 0 && hasSteps(variable);
    bool hasPlace = placement != end && placement->variable == number;
    if (needsPlace != hasPlace)
      return emitError() << "expects variable " << number << " to have "
                         << (needsPlace ? "a" : "no") << " place on tile "
                         << tile;
    if (!hasPlace)
      continue;
    Place place{static_cast<unsigned>(number), placement->offset,
                getFootprint(variable, bytes)};
    ++placement;
    if (failed(verifyPlace(tileClass, base.get(), place)))
      return failure();
    // Where sums saturate there is no address to compare.
    if ((Count(place.offset) + place.size).get() < Count::kMax)
      places.push_back(place);
  }
  if (placement != end)
    return emitError() << "expects each variable to have one place on tile "
                       << tile << ", in their order, but got another of "
                       << placement->variable;
  return verifyDisjoint(tileClass, places);
}

LogicalResult PlanVerifier::verify() {
  if (failed(verifyTiles()))
    return failure();
  for (const TileClass &tileClass : plan.classes)
    if (failed(verifyClass(tileClass)))
      return failure();
  return success();
}

LogicalResult
mlir::ipu::verifyMemoryPlan(const MemoryProblem &problem,
                            const MemoryPlan &plan,
                            function_ref<InFlightDiagnostic()> emitError) {
  return PlanVerifier(problem, plan, emitError).verify();
}
