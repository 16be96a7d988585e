//===- EffectDependences.cpp - Dependences by effects ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/EffectDependences.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;

/// If there are more accesses to parts of a location, a write counts as a write
/// of the whole location. This bounds the number of comparisons.
static constexpr size_t kMaxAccesses = 16;

static bool overlap(const ElementRegions &elements,
                    const MemoryLocationEffects &effects) {
  return elements.overlaps(effects.reads) || elements.overlaps(effects.writes);
}

static bool isSame(const ElementRegions &a, const ElementRegions &b) {
  return a.isWhole() == b.isWhole() &&
         llvm::equal(a.getViews(), b.getViews(),
                     [](const StridedView &a, const StridedView &b) {
                       return std::tie(a.offset, a.sizes, a.strides) ==
                              std::tie(b.offset, b.sizes, b.strides);
                     });
}

void EffectDependences::addTo(History &history, unsigned op,
                              const MemoryLocationEffects &effects,
                              NotifyFn notify) {
  if (effects.writes.isEmpty()) {
    for (const Access &write : history.writes)
      if (write.op != op && write.elements.overlaps(effects.reads))
        notify(write.op);
    history.reads.push_back({op, effects.reads});
    return;
  }
  ElementRegions written = effects.writes;
  if (std::max(history.reads.size(), history.writes.size()) >= kMaxAccesses)
    written.addWhole();
  // Later ops need no dependences on accesses to the elements that are written.
  auto isCovered = [&](const Access &access) {
    return written.isWhole() || isSame(access.elements, written);
  };
  for (const Access &write : history.writes)
    if (write.op != op &&
        (isCovered(write) || overlap(write.elements, effects)))
      notify(write.op);
  for (const Access &read : history.reads)
    if (read.op != op &&
        (isCovered(read) || read.elements.overlaps(effects.writes)))
      notify(read.op);
  llvm::erase_if(history.writes, isCovered);
  llvm::erase_if(history.reads, isCovered);
  history.writes.push_back({op, written});
  if (!isCovered({op, effects.reads}) && !effects.reads.isEmpty())
    history.reads.push_back({op, effects.reads});
}

void EffectDependences::addAccess(unsigned op, const MemoryLocation &location,
                                  const MemoryLocationEffects &effects,
                                  NotifyFn notify) {
  if (effects.reads.isEmpty() && effects.writes.isEmpty())
    return;
  addTo(histories[location], op, effects, notify);
  SideEffects::Resource *resource = location.getResource();
  if (!resource)
    return;
  // Symbols name parts of the resource, which overlap the whole resource.
  MemoryLocationEffects whole;
  if (!effects.reads.isEmpty())
    whole.reads.addWhole();
  if (!effects.writes.isEmpty())
    whole.writes.addWhole();
  if (!location.getSymbol()) {
    for (const MemoryLocation &part : symbolsOf[resource])
      addTo(histories[part], op, whole, notify);
    return;
  }
  // The first access to the part comes after accesses to the whole resource.
  if (!symbolsOf[resource].insert(location))
    return;
  auto known = histories.find(MemoryLocation::getResource(resource));
  if (known == histories.end())
    return;
  History ofWhole = known->second;
  addTo(ofWhole, op, whole, notify);
  History &ofPart = histories[location];
  ofPart.reads.insert(ofPart.reads.begin(), known->second.reads.begin(),
                      known->second.reads.end());
  ofPart.writes.insert(ofPart.writes.begin(), known->second.writes.begin(),
                       known->second.writes.end());
}

void EffectDependences::add(unsigned op, const EffectSummary &effects,
                            NotifyFn notify) {
  if (!effects.hasRefEffects() && !effects.hasResourceEffects())
    return;
  if (lastUnknown && *lastUnknown != op)
    notify(*lastUnknown);
  if (effects.isUnknown()) {
    for (unsigned before : sinceUnknown)
      if (before != op)
        notify(before);
    histories.clear();
    symbolsOf.clear();
    sinceUnknown.clear();
    lastUnknown = op;
    return;
  }
  for (const auto &[location, ofLocation] : effects.getMemoryLocations())
    addAccess(op, location, ofLocation, notify);
  sinceUnknown.push_back(op);
}

void EffectDependences::addRead(unsigned op, const MemoryLocation &location,
                                const std::optional<StridedView> &view,
                                NotifyFn notify) {
  MemoryLocationEffects effects;
  effects.reads.add(view);
  if (lastUnknown && *lastUnknown != op)
    notify(*lastUnknown);
  addAccess(op, location, effects, notify);
  sinceUnknown.push_back(op);
}
