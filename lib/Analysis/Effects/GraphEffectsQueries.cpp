//===- GraphEffectsQueries.cpp - Questions about ops and calls ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

using namespace mlir;
using namespace mlir::ipu;

bool GraphEffects::mayRead(Operation *op, const RefOrigin &origin) const {
  const EffectSummary &summary = getEffects(op);
  return origin.isKnown() ? summary.mayRead(origin.getPlace(), origin.view)
                          : summary.hasRefEffects();
}

bool GraphEffects::mayWrite(Operation *op, const RefOrigin &origin) const {
  const EffectSummary &summary = getEffects(op);
  return origin.isKnown() ? summary.mayWrite(origin.getPlace(), origin.view)
                          : summary.hasRefEffects();
}

PlaceEffects GraphEffects::getOperandEffects(CallOpInterface call,
                                             unsigned operand) const {
  FunctionOpInterface callee = calls.getCallee(call);
  PlaceEffects effects;
  if (!callee || callee.isExternal() || getEffects(callee).isUnknown()) {
    effects.reads.addWhole();
    effects.writes.addWhole();
    return effects;
  }
  const PlaceEffects *known =
      getEffects(callee).lookup(Place::getRoot(callee.getArgument(operand)));
  return known ? *known : effects;
}

//===----------------------------------------------------------------------===//
// Two ways to the same elements
//===----------------------------------------------------------------------===//

/// Whether one of two uses of a tensor modifies what the other one touches.
static bool conflict(const PlaceEffects &a, const PlaceEffects &b) {
  return a.writes.overlaps(b.writes) || a.writes.overlaps(b.reads) ||
         a.reads.overlaps(b.writes);
}

std::optional<AliasConflict>
GraphEffects::findAliasConflict(CallOpInterface call) const {
  FunctionOpInterface callee = calls.getCallee(call);
  if (!callee || callee.isExternal() || !ofFunction.contains(callee))
    return std::nullopt;
  const EffectSummary &inside = getEffects(callee);
  // What earlier operands have the callee do to each place.
  llvm::DenseMap<Place, SmallVector<std::pair<unsigned, PlaceEffects>, 1>> uses;
  for (auto [i, operand] : llvm::enumerate(call.getArgOperands())) {
    const PlaceEffects *onArgument =
        inside.lookup(Place::getRoot(callee.getArgument(i)));
    const RefOrigin *origin = onArgument ? &getOrigin(operand) : nullptr;
    if (!origin || !origin->isKnown())
      continue;
    Place place = origin->getPlace();
    PlaceEffects effects =
        showThrough(*onArgument, *origin, callee.getArgument(i));
    const PlaceEffects *byName =
        origin->variable ? inside.lookup(place) : nullptr;
    if (byName && conflict(effects, *byName))
      return AliasConflict{static_cast<unsigned>(i), std::nullopt,
                           origin->variable};
    auto &others = uses[place];
    for (auto &[other, otherEffects] : others)
      if (conflict(effects, otherEffects))
        return AliasConflict{other, static_cast<unsigned>(i), {}};
    others.emplace_back(i, std::move(effects));
  }
  return std::nullopt;
}
