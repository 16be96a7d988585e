//===- TileMemoryTypes.cpp - Parts of problems and plans --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Categories
//===----------------------------------------------------------------------===//

const MemoryCategoryInfo &
mlir::ipu::getMemoryCategoryInfo(MemoryCategory category) {
  static const MemoryCategoryInfo table[kNumMemoryCategories] = {
      {"stack", "stacks and the runtime", true, true},
      {"vertex_code", "each codelet of the tile, once", true, true},
      {"exchange_code", "code of exchanges", true, true},
      {"control_code", "the sequence of steps", true, true},
      {"vertex_state", "vertices and their edges", true, false},
      {"host_exchange", "packets of host copies", true, false},
      {"always_live", "variables with an initial value", false, false},
      {"not_always_live", "other variables, at the peak step", false, false},
      {"gaps", "rounding, element constraints, fragmentation", true, false},
  };
  return table[static_cast<unsigned>(category)];
}

int64_t MemoryBytes::getTotal() const {
  Count total;
  for (int64_t part : bytes)
    total += part;
  return total.get();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

int64_t MemoryCode::get(int64_t tile) const {
  Count sum;
  for (const TileCounts &part : bytes)
    sum += part.get(tile);
  return sum.get();
}

static bool contains(ArrayRef<StepRange> ranges, int64_t step) {
  return llvm::any_of(ranges, [&](StepRange range) {
    return range.first <= step && step < range.second;
  });
}

static bool overlap(ArrayRef<StepRange> ranges, ArrayRef<StepRange> others) {
  const StepRange *a = ranges.begin(), *b = others.begin();
  while (a != ranges.end() && b != others.end()) {
    if (a->first < b->second && b->first < a->second)
      return true;
    ++(a->second < b->second ? a : b);
  }
  return false;
}

bool MemoryCode::isResident(int64_t step) const {
  return contains(steps, step);
}

bool MemoryCode::meets(const MemoryCode &other) const {
  return overlap(steps, other.steps);
}

//===----------------------------------------------------------------------===//
// MemoryVariable
//===----------------------------------------------------------------------===//

SmallVector<StepRange, 1> MemoryVariable::getRanges() const {
  if (!ranges.empty())
    return SmallVector<StepRange, 1>(ranges.begin(), ranges.end());
  if (begin < end)
    return {{begin, end}};
  return {};
}

bool MemoryVariable::isLive(int64_t step) const {
  return begin <= step && step < end &&
         (ranges.empty() || contains(ranges, step));
}

bool MemoryVariable::meets(const MemoryVariable &other) const {
  if (begin >= other.end || other.begin >= end)
    return false;
  if (ranges.empty() && other.ranges.empty())
    return true;
  return overlap(getRanges(), other.getRanges());
}

std::string MemoryVariable::getName() const {
  if (buffer)
    return ("code of @" + SymbolTable::getSymbolName(op).getValue() + " in " +
            stringifyCodeLocation(*buffer))
        .str();
  if (auto variable = dyn_cast<VarOp>(op))
    return variable.getName().str();
  return cast<StorageOp>(op).getSymName().str();
}

MemRefType MemoryVariable::getType() const {
  if (buffer)
    return {};
  if (auto variable = dyn_cast<VarOp>(op))
    return variable.getResult().getType();
  return cast<MemRefType>(cast<StorageOp>(op).getType());
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t TileClass::getNumTiles() const {
  int64_t count = 0;
  for (auto [begin, end] : tiles)
    count += end - begin;
  return count;
}

const TileClass &MemoryPlan::getFullest() const {
  return *llvm::max_element(classes,
                            [](const TileClass &a, const TileClass &b) {
                              return a.highWater < b.highWater;
                            });
}

const TileClass &MemoryPlan::getMostCode() const {
  return *llvm::max_element(classes,
                            [](const TileClass &a, const TileClass &b) {
                              return a.codeBytes < b.codeBytes;
                            });
}

MemoryBytes MemoryPlan::getSum() const {
  MemoryBytes sum;
  for (const TileClass &tileClass : classes)
    for (unsigned i = 0; i < kNumMemoryCategories; ++i)
      sum.bytes[i] =
          (Count(sum.bytes[i]) +
           Count(tileClass.categories.bytes[i]) * tileClass.getNumTiles())
              .get();
  return sum;
}

int64_t mlir::ipu::getMissingBytes(const MemoryProblem &problem,
                                   const MemoryPlan &plan) {
  return std::max({plan.getFullest().highWater - problem.tileMemory,
                   plan.getMostCode().codeBytes - problem.codeMemory,
                   int64_t(0)});
}

bool mlir::ipu::fits(const MemoryProblem &problem, const MemoryPlan &plan) {
  return getMissingBytes(problem, plan) == 0;
}
