//===- CheckedMemoryCode.cpp - Code and variables of one memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks code that is loaded and overwritten, and the variables that use the
// same addresses in the meantime. The contents of memory follow from the
// executed ops, not from the live ranges of the plan.
//
//===----------------------------------------------------------------------===//

#include "CheckedMemory.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;

/// Which of the program's variables, or functions, each op is.
template <typename Range>
static llvm::DenseMap<Operation *, unsigned> getNumbers(const Range &range) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [number, entry] : llvm::enumerate(range))
    numbers[entry.op] = number;
  return numbers;
}

void CheckedMemory::findCodeOverlaps() {
  const MemoryProblem &problem = program.memory;
  auto variableOf = getNumbers(program.variables);
  auto functionOf = getNumbers(program.functions);
  llvm::MapVector<std::pair<unsigned, unsigned>, CodeOverlap> found;
  auto add = [&](const TileClass &tileClass, unsigned code, unsigned variable) {
    auto number = variableOf.find(problem.variables[variable].op);
    if (number == variableOf.end() || problem.variables[variable].buffer)
      return;
    for (Operation *op : problem.code[code].functions) {
      auto function = functionOf.find(op);
      if (function == functionOf.end())
        continue;
      CodeOverlap &overlap = found[{number->second, function->second}];
      overlap.variable = number->second;
      overlap.function = function->second;
      llvm::append_range(overlap.tiles, tileClass.tiles);
    }
  };
  for (const TileClass &tileClass : program.memoryPlan.classes)
    for (const MemoryPlacement &code : tileClass.codePlacements) {
      int64_t tile = tileClass.getFirstTile();
      int64_t codeEnd = code.offset + problem.code[code.variable].get(tile);
      for (const MemoryPlacement &placement : tileClass.placements) {
        const MemoryVariable &variable = problem.variables[placement.variable];
        int64_t bytes = problem.layouts[variable.layout].get(tile);
        if (placement.offset < codeEnd &&
            code.offset < placement.offset + bytes)
          add(tileClass, code.variable, placement.variable);
      }
    }
  for (auto &[key, overlap] : found)
    codeOverlaps.push_back(std::move(overlap));
  llvm::sort(codeOverlaps, [](const CodeOverlap &a, const CodeOverlap &b) {
    return std::tie(a.variable, a.function) < std::tie(b.variable, b.function);
  });
}

/// Calls `visit` with the states of the regions on tiles of `overlap`, on a
/// replica, if the variable is there.
void CheckedMemory::forEachRegion(
    const CodeOverlap &overlap, int64_t replica,
    function_ref<void(int64_t tile, uint8_t *begin, uint8_t *end)> visit)
    const {
  const Variable &variable = variables[overlap.variable];
  if (!variable.states)
    return;
  int64_t first = program.variables[overlap.variable].mapping.getFirst();
  for (auto [begin, end] : overlap.tiles)
    for (int64_t tile = std::max(begin, first),
                 last = std::min(end, first + variable.layout->getNumTiles());
         tile < last; ++tile) {
      uint8_t *states = getStates(overlap.variable, replica) +
                        variable.layout->getStart(tile - first);
      visit(tile, states, states + variable.layout->getSize(tile - first));
    }
}

/// A tile on which the variable of `replica` has a value, or -1.
int64_t CheckedMemory::findValue(const CodeOverlap &overlap,
                                 int64_t replica) const {
  int64_t found = -1;
  forEachRegion(overlap, replica,
                [&](int64_t tile, uint8_t *begin, uint8_t *end) {
                  if (found < 0 && std::find(begin, end, kDefined) != end)
                    found = tile;
                });
  return found;
}

/// `variable` is about to lose its values: what it did to code stays.
void CheckedMemory::takeMemoryOfCode(unsigned variable) {
  const auto *overlap =
      llvm::partition_point(ArrayRef(codeOverlaps), [&](const CodeOverlap &at) {
        return at.variable < variable;
      });
  for (;
       overlap != ArrayRef(codeOverlaps).end() && overlap->variable == variable;
       ++overlap)
    for (int64_t replica : active.get())
      if (int64_t tile = findValue(*overlap, replica); tile >= 0)
        overwritten.try_emplace({overlap->function, replica}, overlap, tile);
}

void CheckedMemory::loadCode(unsigned function) {
  for (int64_t replica : active.get()) {
    overwritten.erase({function, replica});
    for (const CodeOverlap &overlap : codeOverlaps)
      if (overlap.function == function)
        forEachRegion(overlap, replica,
                      [&](int64_t, uint8_t *begin, uint8_t *end) {
                        std::fill(begin, end, kOverwritten);
                      });
  }
}

LogicalResult CheckedMemory::callCode(Operation *call, unsigned function) {
  for (int64_t replica : active.get()) {
    auto taken = overwritten.find({function, replica});
    if (taken != overwritten.end())
      return reportOverwritten(call, *taken->second.first,
                               taken->second.second);
    for (const CodeOverlap &overlap : codeOverlaps)
      if (overlap.function == function)
        if (int64_t tile = findValue(overlap, replica); tile >= 0)
          return reportOverwritten(call, overlap, tile);
  }
  return success();
}

LogicalResult CheckedMemory::reportOverwritten(Operation *call,
                                               const CodeOverlap &overlap,
                                               int64_t tile) {
  const ProgramVariable &variable = program.variables[overlap.variable];
  InFlightDiagnostic diag = call->emitOpError();
  diag << "internal error: the code of '"
       << program.functions[overlap.function].name << "' is overwritten by \""
       << variable.name << "\" on tile " << tile;
  diag.attachNote(variable.op->getLoc()) << "the variable is here";
  return diag;
}
