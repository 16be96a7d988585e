//===- TileMemoryVerify.cpp - Proof of memory plans -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "mlir/IR/Threading.h"

#include <map>
#include <optional>

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// An error, which is not emitted where only it matters that there is one.
class PlanError {
public:
  PlanError() = default;
  explicit PlanError(InFlightDiagnostic diagnostic)
      : diagnostic(std::move(diagnostic)) {}

  template <typename T>
  PlanError &operator<<(T &&value) {
    if (diagnostic)
      *diagnostic << std::forward<T>(value);
    return *this;
  }
  operator LogicalResult() const { return failure(); }

private:
  std::optional<InFlightDiagnostic> diagnostic;
};

class PlanVerifier {
public:
  PlanVerifier(const MemoryProblem &problem, const MemoryPlan &plan,
               function_ref<InFlightDiagnostic()> emitError)
      : problem(problem), plan(plan), emitError(emitError) {
    for (auto [number, variable] : llvm::enumerate(problem.variables))
      addSteps(number, variable.getRanges());
    for (auto [number, code] : llvm::enumerate(problem.code))
      addSteps(getCodeNumber(number), code.steps);
    addSteps(getDataNumber(), StepRange(0, problem.numSteps));
    llvm::sort(begins);
    llvm::sort(ends);
  }

  LogicalResult verify(MLIRContext *context);

private:
  /// What lies on the tiles of a class: variables, by their numbers, then code,
  /// then vertex state and the like.
  struct AddressRange {
    unsigned number;
    int64_t offset, size;
  };
  unsigned getCodeNumber(unsigned code) const {
    return problem.variables.size() + code;
  }
  unsigned getDataNumber() const { return getCodeNumber(problem.code.size()); }
  void addSteps(unsigned number, ArrayRef<StepRange> steps) {
    for (auto [begin, end] : steps) {
      begins.emplace_back(begin, number);
      ends.emplace_back(end, number);
    }
  }
  std::string describe(unsigned number) const;
  PlanError fail() const {
    return isQuiet ? PlanError() : PlanError(emitError());
  }

  LogicalResult verifyTiles();
  LogicalResult verifyClass(const TileClass &tileClass);
  LogicalResult verifyCode(const TileClass &tileClass, int64_t base,
                           std::vector<AddressRange> &ranges);
  LogicalResult verifyData(const TileClass &tileClass, int64_t base,
                           int64_t bytes, std::vector<AddressRange> &ranges);
  LogicalResult verifyVariables(const TileClass &tileClass, int64_t base,
                                std::vector<AddressRange> &ranges);
  LogicalResult verifyAddressRange(const TileClass &tileClass, int64_t base,
                                   const AddressRange &range);
  LogicalResult verifyDisjoint(const TileClass &tileClass,
                               ArrayRef<AddressRange> ranges);
  bool hasSteps(const MemoryVariable &variable) const {
    return variable.begin < variable.end;
  }

  const MemoryProblem &problem;
  const MemoryPlan &plan;
  function_ref<InFlightDiagnostic()> emitError;
  bool isQuiet = false;
  /// All that has an AddressRange, by number, in the order of begins, and of
  /// ends; what is there more than once has several.
  std::vector<std::pair<int64_t, unsigned>> begins, ends;
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
      return fail() << "expects tile " << std::min(part.begin, next)
                    << " to be in exactly one class of tiles";
    next = part.end;
  }
  if (next != problem.numTiles)
    return fail() << "expects tile " << std::min(next, problem.numTiles)
                  << " to be in exactly one class of tiles";

  auto verifyCounts = [&](const TileCounts &counts) -> LogicalResult {
    std::vector<int64_t> valueOf(plan.classes.size(), -1);
    const TileRun *run = counts.getRuns().begin();
    for (const Part &part : parts)
      for (int64_t tile = part.begin; tile < part.end; tile = run->end) {
        while (run->end <= tile)
          ++run;
        int64_t &value = valueOf[part.tileClass];
        if (value >= 0 && value != run->value)
          return fail()
                 << "expects tile " << tile
                 << " to need the same memory as the other tiles of its class";
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

LogicalResult PlanVerifier::verifyAddressRange(const TileClass &tileClass,
                                               int64_t base,
                                               const AddressRange &range) {
  const MemoryVariable &variable = problem.variables[range.number];
  int64_t end = (Count(range.offset) + range.size).get();
  if (range.offset >= base && end <= tileClass.highWater &&
      (range.offset % variable.align == 0 || end == Count::kMax))
    return success();
  return fail() << "expects variable " << range.number << " on tile "
                << tileClass.getFirstTile() << " to lie in [" << base << ", "
                << tileClass.highWater << ") at a multiple of "
                << variable.align << " but got [" << range.offset << ", " << end
                << ")";
}

std::string PlanVerifier::describe(unsigned number) const {
  if (number < problem.variables.size())
    return ("variable " + Twine(number)).str();
  if (number < getDataNumber())
    return ("code " + Twine(number - getCodeNumber(0))).str();
  return "vertex state";
}

/// Sweeps over begins and ends with what is live by address: a newcomer that
/// does not overlap the one before or the one after overlaps none.
LogicalResult PlanVerifier::verifyDisjoint(const TileClass &tileClass,
                                           ArrayRef<AddressRange> ranges) {
  std::vector<const AddressRange *> rangeOf(getDataNumber() + 1, nullptr);
  for (const AddressRange &range : ranges)
    rangeOf[range.number] = &range;
  std::map<int64_t, const AddressRange *> live;
  const auto *nextEnd = ends.data();
  for (auto [step, number] : begins) {
    const AddressRange *range = rangeOf[number];
    if (!range)
      continue;
    // That of `range` is later, so that the loop ends.
    for (; nextEnd->first <= step; ++nextEnd)
      if (const AddressRange *dead = rangeOf[nextEnd->second])
        live.erase(dead->offset);
    auto next = live.lower_bound(range->offset);
    const AddressRange *other = nullptr;
    if (next != live.end() && next->first < range->offset + range->size)
      other = next->second;
    else if (next != live.begin() &&
             std::prev(next)->second->offset + std::prev(next)->second->size >
                 range->offset)
      other = std::prev(next)->second;
    if (other)
      return fail() << "expects " << describe(other->number) << " and "
                    << describe(number) << ", which are both live at step "
                    << step << ", not to overlap on tile "
                    << tileClass.getFirstTile() << " but got [" << other->offset
                    << ", " << other->offset + other->size << ") and ["
                    << range->offset << ", " << range->offset + range->size
                    << ")";
    live[range->offset] = range;
  }
  return success();
}

/// Code that is not always there lies after the rest of it.
LogicalResult PlanVerifier::verifyCode(const TileClass &tileClass, int64_t base,
                                       std::vector<AddressRange> &ranges) {
  int64_t tile = tileClass.getFirstTile();
  if (tileClass.codeBytes < base)
    return fail() << "expects the code on tile " << tile << " to hold " << base
                  << " bytes that are always live but got "
                  << tileClass.codeBytes;
  const MemoryPlacement *placement = tileClass.codePlacements.data();
  const MemoryPlacement *end = placement + tileClass.codePlacements.size();
  for (auto [number, code] : llvm::enumerate(problem.code)) {
    int64_t bytes = code.get(tile);
    bool needsMemory = bytes > 0 && !code.steps.empty();
    bool hasMemory = placement != end && placement->variable == number;
    if (needsMemory != hasMemory)
      return fail() << "expects code " << number << " to have "
                    << (needsMemory ? "an" : "no") << " address on tile "
                    << tile;
    if (!hasMemory)
      continue;
    AddressRange range{getCodeNumber(number), placement->offset, bytes};
    ++placement;
    int64_t last = (Count(range.offset) + bytes).get();
    if (range.offset < base || last > tileClass.codeBytes)
      return fail() << "expects code " << number << " on tile " << tile
                    << " to lie in [" << base << ", " << tileClass.codeBytes
                    << ") but got [" << range.offset << ", " << last << ")";
    // Where sums saturate there is no address to compare.
    if (last < Count::kMax)
      ranges.push_back(range);
  }
  if (placement != end)
    return fail()
           << "expects each code to have one address on tile " << tile
           << ", in the order of the codes, but got another address of code "
           << placement->variable;
  return success();
}

/// Vertex state and the like lie after the code that is always there.
LogicalResult PlanVerifier::verifyData(const TileClass &tileClass, int64_t base,
                                       int64_t bytes,
                                       std::vector<AddressRange> &ranges) {
  int64_t begin = tileClass.dataOffset;
  int64_t end = (Count(begin) + bytes).get();
  if (begin < base || end > tileClass.highWater)
    return fail() << "expects vertex state on tile " << tileClass.getFirstTile()
                  << " to lie in [" << base << ", " << tileClass.highWater
                  << ") but got [" << begin << ", " << end << ")";
  if (bytes > 0 && end < Count::kMax)
    ranges.push_back({getDataNumber(), begin, bytes});
  return success();
}

LogicalResult PlanVerifier::verifyVariables(const TileClass &tileClass,
                                            int64_t base,
                                            std::vector<AddressRange> &ranges) {
  int64_t tile = tileClass.getFirstTile();
  std::vector<int64_t> bytesOfLayout;
  bytesOfLayout.reserve(problem.layouts.size());
  for (const TileCounts &layout : problem.layouts)
    bytesOfLayout.push_back(layout.get(tile));
  const MemoryPlacement *placement = tileClass.placements.data();
  const MemoryPlacement *end = placement + tileClass.placements.size();
  for (auto [number, variable] : llvm::enumerate(problem.variables)) {
    int64_t bytes = bytesOfLayout[variable.layout];
    bool needsMemory = bytes > 0 && hasSteps(variable);
    bool hasMemory = placement != end && placement->variable == number;
    if (needsMemory != hasMemory)
      return fail() << "expects variable " << number << " to have "
                    << (needsMemory ? "an" : "no") << " address on tile "
                    << tile;
    if (!hasMemory)
      continue;
    AddressRange range{static_cast<unsigned>(number), placement->offset,
                       getFootprint(variable, bytes)};
    ++placement;
    if (failed(verifyAddressRange(tileClass, base, range)))
      return failure();
    if ((Count(range.offset) + range.size).get() < Count::kMax)
      ranges.push_back(range);
  }
  if (placement != end)
    return fail() << "expects each variable to have one address on tile "
                  << tile
                  << ", in the order of the variables, but got another address "
                     "of variable "
                  << placement->variable;
  return success();
}

LogicalResult PlanVerifier::verifyClass(const TileClass &tileClass) {
  int64_t tile = tileClass.getFirstTile();
  Count code, data;
  for (auto [category, part] : llvm::enumerate(problem.fixed))
    (getMemoryCategoryInfo(static_cast<MemoryCategory>(category)).isCode
         ? code
         : data) += part.get(tile);
  std::vector<AddressRange> ranges;
  if (failed(verifyCode(tileClass, code.get(), ranges)) ||
      failed(verifyData(tileClass, code.get(), data.get(), ranges)) ||
      failed(verifyVariables(tileClass, code.get(), ranges)))
    return failure();
  if (tileClass.highWater < tileClass.codeBytes)
    return fail() << "expects the memory in use on tile " << tile << " to hold "
                  << tileClass.codeBytes << " bytes of code but got "
                  << tileClass.highWater;
  return verifyDisjoint(tileClass, ranges);
}

LogicalResult PlanVerifier::verify(MLIRContext *context) {
  if (failed(verifyTiles()))
    return failure();
  if (context) {
    isQuiet = true;
    LogicalResult result = failableParallelForEach(
        context, plan.classes,
        [&](const TileClass &tileClass) { return verifyClass(tileClass); });
    isQuiet = false;
    if (succeeded(result))
      return success();
  }
  // The error is that of the first class that has one.
  for (const TileClass &tileClass : plan.classes)
    if (failed(verifyClass(tileClass)))
      return failure();
  return success();
}

LogicalResult mlir::ipu::verifyMemoryPlan(
    const MemoryProblem &problem, const MemoryPlan &plan,
    function_ref<InFlightDiagnostic()> emitError, MLIRContext *context) {
  return PlanVerifier(problem, plan, emitError).verify(context);
}
