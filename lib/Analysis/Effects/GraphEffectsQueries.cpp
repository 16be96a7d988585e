//===- GraphEffectsQueries.cpp - Queries about ops and calls --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

using namespace mlir;
using namespace mlir::ipu;

bool GraphEffects::mayRead(Operation *op, const RefOrigin &origin) const {
  const EffectSummary &summary = getEffects(op);
  return origin.isKnown()
             ? summary.mayRead(origin.getMemoryLocation(), origin.view)
             : summary.hasRefEffects();
}

bool GraphEffects::mayWrite(Operation *op, const RefOrigin &origin) const {
  const EffectSummary &summary = getEffects(op);
  return origin.isKnown()
             ? summary.mayWrite(origin.getMemoryLocation(), origin.view)
             : summary.hasRefEffects();
}

MemoryLocationEffects GraphEffects::getOperandEffects(CallOpInterface call,
                                                      unsigned operand) const {
  FunctionOpInterface callee = calls.getCallee(call);
  MemoryLocationEffects effects;
  if (!callee || callee.isExternal() || getEffects(callee).isUnknown()) {
    effects.reads.addWhole();
    effects.writes.addWhole();
    return effects;
  }
  return getEffects(callee)
      .lookup(MemoryLocation::getRoot(callee.getArgument(operand)))
      .value_or(effects);
}

//===----------------------------------------------------------------------===//
// Two ways to the same elements
//===----------------------------------------------------------------------===//

/// Whether one of two uses of a tensor modifies what the other one touches.
static bool conflict(const MemoryLocationEffects &a,
                     const MemoryLocationEffects &b) {
  return a.writes.overlaps(b.writes) || a.writes.overlaps(b.reads) ||
         a.reads.overlaps(b.writes);
}

/// Whether `callee` only reads argument `reader`, and that before it modifies
/// argument `writer`: then it does not matter whether they are the same.
static bool readsFirst(const GraphEffects &effects, FunctionOpInterface callee,
                       unsigned reader, unsigned writer) {
  if (!callee.getFunctionBody().hasOneBlock())
    return false;
  MemoryLocation read = MemoryLocation::getRoot(callee.getArgument(reader));
  MemoryLocation written = MemoryLocation::getRoot(callee.getArgument(writer));
  bool isWritten = false;
  for (Operation &op : callee.getFunctionBody().front()) {
    const EffectSummary &summary = effects.getEffects(&op);
    isWritten |= summary.mayWrite(written);
    if (summary.mayWrite(read) || (isWritten && summary.mayRead(read)))
      return false;
  }
  return true;
}

std::optional<AliasConflict>
GraphEffects::findAliasConflict(CallOpInterface call) const {
  FunctionOpInterface callee = calls.getCallee(call);
  if (!callee || callee.isExternal() || !ofFunction.contains(callee))
    return std::nullopt;
  const EffectSummary &inside = getEffects(callee);
  // What earlier operands have the callee do to each location.
  llvm::DenseMap<MemoryLocation,
                 SmallVector<std::pair<unsigned, MemoryLocationEffects>, 1>>
      uses;
  for (auto [i, operand] : llvm::enumerate(call.getArgOperands())) {
    std::optional<MemoryLocationEffects> onArgument =
        inside.lookup(MemoryLocation::getRoot(callee.getArgument(i)));
    const RefOrigin *origin = onArgument ? &getOrigin(operand) : nullptr;
    if (!origin || !origin->isKnown())
      continue;
    MemoryLocation memoryLocation = origin->getMemoryLocation();
    MemoryLocationEffects effects =
        showThrough(*onArgument, *origin, callee.getArgument(i));
    std::optional<MemoryLocationEffects> byName;
    if (origin->variable)
      byName = inside.lookup(memoryLocation);
    if (byName && conflict(effects, *byName))
      return AliasConflict{static_cast<unsigned>(i), std::nullopt,
                           origin->variable};
    auto &others = uses[memoryLocation];
    for (auto &[other, otherEffects] : others)
      if (conflict(effects, otherEffects) &&
          !readsFirst(*this, callee, other, i) &&
          !readsFirst(*this, callee, i, other))
        return AliasConflict{other, static_cast<unsigned>(i), {}};
    others.emplace_back(i, std::move(effects));
  }
  return std::nullopt;
}
