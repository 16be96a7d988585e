//===- Addends.cpp - Addends of sums ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addends.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

using namespace mlir;
using namespace mlir::pop;

Operation *mlir::pop::getLater(Operation *a, Operation *b) {
  if (!a || !b)
    return a ? a : b;
  return a->isBeforeInBlock(b) ? b : a;
}

/// Whether `a` is available before `b`. An attribute that is not set is less
/// than any value.
static bool isBefore(Operation *a, Operation *b) {
  if (!a || !b)
    return !a && b;
  auto getPhases = [](Operation *op) {
    return std::tuple(getStage(op), getPhase(op), getBatchPhase(op));
  };
  auto phasesOfA = getPhases(a), phasesOfB = getPhases(b);
  if (phasesOfA != phasesOfB)
    return phasesOfA < phasesOfB;
  return a != b && a->isBeforeInBlock(b);
}

SmallVector<Addend> mlir::pop::orderAddends(ValueRange values, Block &block) {
  SmallVector<Addend> addends;
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    Addend addend{value, op ? block.findAncestorOpInBlock(*op) : nullptr};
    addends.insert(llvm::upper_bound(addends, addend,
                                     [](const Addend &a, const Addend &b) {
                                       return isBefore(a.after, b.after);
                                     }),
                   addend);
  }
  Operation *last = nullptr;
  for (Addend &addend : addends)
    addend.after = last = getLater(last, addend.after);
  return addends;
}
