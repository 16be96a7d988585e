//===- LaterOps.cpp - Ops that are executed later ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaterOps.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

bool LaterOps::mustFollow(Operation *op) const {
  WalkResult uses = op->walk([&](Operation *inner) {
    bool isUser = llvm::any_of(inner->getOperands(), [&](Value operand) {
      return ops.contains(operand.getDefiningOp());
    });
    return isUser ? WalkResult::interrupt() : WalkResult::advance();
  });
  return uses.wasInterrupted() || effects.getEffects(op).conflictsWith(summary);
}

void LaterOps::add(Operation *op) {
  ops.insert(op);
  addReadOf(op);
}

void LaterOps::addReadOf(Operation *read) {
  const EffectSummary &added = effects.getEffects(read);
  if (added.isUnknown())
    summary.addUnknown();
  for (const auto &[location, what] : added.getMemoryLocations())
    summary.add(location, what);
}

void LaterOps::moveAfter(Operation *op) {
  Operation *last = op;
  for (Operation *later : ops) {
    if (!later->isBeforeInBlock(op))
      continue;
    later->moveAfter(last);
    last = later;
  }
}
