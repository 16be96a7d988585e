//===- ReplicaEqualMemory.cpp - Mutable tensors and parts -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualMemory.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

/// Views that no region describes are compared element by element up to here.
static constexpr int64_t kMaxCompared = int64_t(1) << 12;

//===----------------------------------------------------------------------===//
// Places and regions
//===----------------------------------------------------------------------===//

MemoryLocationId
MemoryRegionTable::getMemoryLocation(const MemoryLocation &memoryLocation,
                                     ShapedType type) {
  auto [it, isNew] =
      memoryLocationIds.try_emplace(memoryLocation, memoryLocations.size());
  if (isNew) {
    MemoryLocationInfo &info = memoryLocations.emplace_back();
    info.key = memoryLocation;
    if (type && type.hasStaticShape())
      info.numElements = type.getNumElements();
    MemoryRegion whole = addMemoryRegion(it->second);
    memoryRegions[whole].atoms = {{0, 1}};
  }
  return it->second;
}

std::optional<MemoryLocationId> MemoryRegionTable::lookupMemoryLocation(
    const MemoryLocation &memoryLocation) const {
  auto found = memoryLocationIds.find(memoryLocation);
  return found == memoryLocationIds.end() ? std::nullopt
                                          : std::optional(found->second);
}

MemoryRegion
MemoryRegionTable::addMemoryRegion(MemoryLocationId memoryLocation,
                                   std::unique_ptr<StridedView> view) {
  MemoryRegion memoryRegion = memoryRegions.size();
  memoryRegions.push_back({memoryLocation, std::move(view), true, {}});
  memoryLocations[memoryLocation].memoryRegions.push_back(memoryRegion);
  return memoryRegion;
}

static bool showsAll(const StridedView &view,
                     std::optional<int64_t> numElements) {
  if (!numElements || view.offset != 0 || view.getNumElements() != *numElements)
    return false;
  return view.sizes.empty() ||
         (view.sizes.size() == 1 && view.strides.front() == 1);
}

MemoryRegionRef
MemoryRegionTable::getPart(MemoryLocationId memoryLocation,
                           const std::optional<StridedView> &view) {
  MemoryRegionRef whole{getWhole(memoryLocation), false};
  std::optional<StridedView> own = view ? normalizeView(*view) : std::nullopt;
  if (!own)
    return whole;
  // With a stride of 0 an element is shown several times.
  bool isExact = own->getNumElements() == view->getNumElements();
  if (showsAll(*own, memoryLocations[memoryLocation].numElements))
    return {whole.memoryRegion, isExact};
  auto key =
      std::make_tuple(memoryLocation, own->offset, own->sizes, own->strides);
  auto found = known.find(key);
  if (found != known.end())
    return {found->second, isExact && memoryRegions[found->second].isExact};
  if (isSplit)
    return whole;
  MemoryRegion added = addMemoryRegion(
      memoryLocation, std::make_unique<StridedView>(std::move(*own)));
  known.emplace(std::move(key), added);
  return {added, isExact};
}

MemoryRegionRef MemoryRegionTable::getMemoryRegion(const RefOrigin &ref) {
  return getPart(getMemoryLocation(ref.getMemoryLocation(),
                                   dyn_cast<ShapedType>(ref.root.getType())),
                 ref.view);
}

MemoryRegionRef
MemoryRegionTable::getMemoryRegion(const ReplicaState &state,
                                   const std::optional<StridedView> &parts) {
  MemoryLocationId memoryLocation =
      getMemoryLocation(MemoryLocation::getVariable(state.symbol), {});
  // State that is no ref has no views: its rows are one element each.
  if (state.part)
    return getPart(memoryLocation, StridedView{*state.part, {}, {}});
  return {getPart(memoryLocation, parts).memoryRegion, false};
}

MemoryRegionRef MemoryRegionTable::getMemoryRegionThrough(
    const RefOrigin &operand, BlockArgument argument, MemoryRegion inner) {
  const StridedView *view = memoryRegions[inner].view.get();
  if (!view)
    return getMemoryRegion(operand);
  auto type = dyn_cast<ShapedType>(argument.getType());
  if (operand.view && type && type.hasStaticShape()) {
    StridedView composed =
        view->getNumElements() == 0
            ? *view
            : composeViews(*operand.view, type.getShape(), *view);
    // Without strides for it, it is all that the operand shows.
    if (composed.getNumElements() == view->getNumElements()) {
      RefOrigin part = operand;
      part.view = std::move(composed);
      return getMemoryRegion(part);
    }
  }
  return {getMemoryRegion(operand).memoryRegion, false};
}

bool MemoryRegionTable::mayOverlap(MemoryRegion a, MemoryRegion b) const {
  const MemoryRegionInfo &first = memoryRegions[a], &second = memoryRegions[b];
  if (!first.view || !second.view)
    return true;
  // Of refs, whose number of elements is known if they have views.
  return overlap(*first.view, *second.view,
                 memoryLocations[first.memoryLocation].numElements.value_or(
                     kMaxCompared + 1),
                 kMaxCompared);
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

void MemoryRegionTable::splitIntoAtoms(MemoryLocationInfo &info) {
  if (info.memoryRegions.size() == 1)
    return;
  std::vector<ElementRanges> views;
  int64_t numRanges = 0;
  for (MemoryRegion part : llvm::drop_begin(info.memoryRegions)) {
    MemoryRegionInfo &region = memoryRegions[part];
    auto ranges = getElementRanges(
        *region.view, std::min(kMaxRangesOfView, kMaxRanges - numRanges));
    if (!ranges) {
      auto [first, last] = *getRange(*region.view);
      ranges = ElementRanges{{first, last + 1}};
    }
    numRanges += ranges->size();
    int64_t numElements = 0;
    for (const ElementRange &range : *ranges)
      numElements += range.end - range.begin;
    region.isExact = numElements == region.view->getNumElements();
    views.push_back(std::move(*ranges));
  }
  Atoms atoms = replica_equal::splitIntoAtoms(views, info.numElements);
  info.numAtoms = atoms.count;
  memoryRegions[info.memoryRegions.front()].atoms = {{0, atoms.count}};
  for (auto [part, own] :
       llvm::zip_equal(llvm::drop_begin(info.memoryRegions), atoms.ofViews))
    memoryRegions[part].atoms = std::move(own);
}

void MemoryRegionTable::splitIntoAtoms() {
  for (MemoryLocationInfo &info : memoryLocations)
    splitIntoAtoms(info);
  isSplit = true;
}

std::optional<std::vector<AtomRanges>>
MemoryRegionTable::computeMatch(const RefOrigin &origin,
                                BlockArgument argument) {
  MemoryRegionRef outer = getMemoryRegion(origin);
  if (!outer.isExact)
    return std::nullopt;
  MemoryLocationId inner = getMemoryLocation(argument);
  SmallVector<ArrayRef<AtomRange>> innerViews, outerViews;
  for (MemoryRegion part : llvm::drop_begin(getMemoryRegions(inner))) {
    MemoryRegionRef same = getMemoryRegionThrough(origin, argument, part);
    if (!memoryRegions[part].isExact || !same.isExact)
      return std::nullopt;
    innerViews.push_back(getAtoms(part));
    outerViews.push_back(getAtoms(same.memoryRegion));
  }
  return replica_equal::matchAtoms(innerViews, getNumAtoms(inner), outerViews,
                                   getAtoms(outer.memoryRegion));
}

const std::vector<AtomRanges> *
MemoryRegionTable::matchAtoms(Value operand, const RefOrigin &origin,
                              BlockArgument argument) {
  auto [it, isNew] = matches.try_emplace({operand, argument});
  if (isNew)
    it->second = computeMatch(origin, argument);
  return it->second ? &*it->second : nullptr;
}
