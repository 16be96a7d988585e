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

/// Views of more elements are compared by their bounds.
static constexpr int64_t kMaxElements = int64_t(1) << 12;

//===----------------------------------------------------------------------===//
// Places and cells
//===----------------------------------------------------------------------===//

MemoryLocationId
MemoryRegionTable::getMemoryLocation(const MemoryLocation &memoryLocation,
                                     ShapedType type) {
  auto [it, isNew] =
      memoryLocationIds.try_emplace(memoryLocation, memoryLocations.size());
  if (isNew) {
    MemoryLocationInfo &info = memoryLocations.emplace_back();
    info.key = memoryLocation;
    info.type = type;
    addMemoryRegion(it->second, std::nullopt);
  }
  return it->second;
}

std::optional<MemoryLocationId> MemoryRegionTable::lookupMemoryLocation(
    const MemoryLocation &memoryLocation) const {
  auto known = memoryLocationIds.find(memoryLocation);
  return known == memoryLocationIds.end() ? std::nullopt
                                          : std::optional(known->second);
}

MemoryRegion
MemoryRegionTable::addMemoryRegion(MemoryLocationId memoryLocation,
                                   std::optional<StridedView> view) {
  MemoryRegion memoryRegion = memoryRegions.size();
  memoryRegions.push_back({memoryLocation, std::move(view)});
  memoryLocations[memoryLocation].memoryRegions.push_back(memoryRegion);
  return memoryRegion;
}

static bool isSame(const StridedView &a, const StridedView &b) {
  return a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides;
}

MemoryRegionRef
MemoryRegionTable::getPart(MemoryLocationId memoryLocation,
                           const std::optional<StridedView> &view) {
  MemoryRegion whole = getWhole(memoryLocation);
  ShapedType type = memoryLocations[memoryLocation].type;
  if (!view || !type || !type.hasStaticShape())
    return {whole, false};
  int64_t size = type.getNumElements();
  if (!showsOnce(*view, size))
    return {whole, false};
  if (view->getNumElements() == size)
    return {whole, true};
  for (MemoryRegion memoryRegion :
       getMemoryRegions(memoryLocation).drop_front())
    if (isSame(*memoryRegions[memoryRegion].view, *view))
      return {memoryRegion, true};
  if (getMemoryRegions(memoryLocation).size() > kMaxParts)
    return {whole, false};
  return {addMemoryRegion(memoryLocation, view), true};
}

MemoryRegionRef MemoryRegionTable::getMemoryRegion(const RefOrigin &ref) {
  return getPart(getMemoryLocation(ref.getMemoryLocation(),
                                   dyn_cast<ShapedType>(ref.root.getType())),
                 ref.view);
}

MemoryRegionRef MemoryRegionTable::getMemoryRegion(const ReplicaState &state) {
  MemoryLocationId memoryLocation =
      getMemoryLocation(MemoryLocation::getVariable(state.symbol), {});
  // Nobody has views of state that is no ref: its rows are one element each.
  if (!state.part)
    return {getWhole(memoryLocation), false};
  auto row = memoryLocations[memoryLocation].rows.find(*state.part);
  if (row != memoryLocations[memoryLocation].rows.end())
    return {row->second, true};
  if (getMemoryRegions(memoryLocation).size() > kMaxRows)
    return {getWhole(memoryLocation), false};
  MemoryRegion memoryRegion =
      addMemoryRegion(memoryLocation, StridedView{*state.part, {1}, {1}});
  memoryLocations[memoryLocation].rows[*state.part] = memoryRegion;
  return {memoryRegion, true};
}

MemoryRegionRef MemoryRegionTable::getMemoryRegionThrough(
    const RefOrigin &operand, BlockArgument argument, MemoryRegion inner) {
  const std::optional<StridedView> &view = memoryRegions[inner].view;
  if (!view)
    return getMemoryRegion(operand);
  auto type = dyn_cast<ShapedType>(argument.getType());
  if (operand.view && type && type.hasStaticShape()) {
    StridedView composed = composeViews(*operand.view, type.getShape(), *view);
    // Without strides for it, it is all that the operand shows.
    if (composed.getNumElements() == view->getNumElements()) {
      RefOrigin part = operand;
      part.view = std::move(composed);
      return getMemoryRegion(part);
    }
  }
  return {getMemoryRegion(operand).memoryRegion, false};
}

//===----------------------------------------------------------------------===//
// Covers
//===----------------------------------------------------------------------===//

/// Calls `visit` with each element that a view shows.
static void visitElements(const StridedView &view,
                          function_ref<void(int64_t)> visit) {
  SmallVector<int64_t> at(view.sizes.size());
  for (int64_t i = 0, e = view.getNumElements(); i < e; ++i) {
    int64_t element = view.offset;
    for (auto [index, stride] : llvm::zip_equal(at, view.strides))
      element += index * stride;
    visit(element);
    for (size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < view.sizes[dim])
        break;
      at[dim] = 0;
    }
  }
}

Cover MemoryRegionTable::computeCover(const StridedView &written,
                                      const StridedView &other,
                                      int64_t size) const {
  if (written.getNumElements() == 0 || other.getNumElements() == 0)
    return Cover::None;
  if (!overlap(written, other, size, kMaxElements))
    return Cover::None;
  if (isSame(written, other))
    return Cover::All;
  if (other.getNumElements() > written.getNumElements())
    return Cover::Some;
  StridedView fromStart = written;
  fromStart.offset = 0;
  auto outer = getRange(written), inner = getRange(other);
  if (fromStart.isContiguous() && outer && inner)
    return outer->first <= inner->first && inner->second <= outer->second
               ? Cover::All
               : Cover::Some;
  if (written.getNumElements() > kMaxElements)
    return Cover::Some;
  llvm::DenseSet<int64_t> elements;
  visitElements(written, [&](int64_t element) { elements.insert(element); });
  bool isAll = true;
  visitElements(other,
                [&](int64_t element) { isAll &= elements.contains(element); });
  return isAll ? Cover::All : Cover::Some;
}

Cover MemoryRegionTable::getCover(MemoryRegion written, MemoryRegion other) {
  if (written == other || !memoryRegions[written].view)
    return Cover::All;
  if (!memoryRegions[other].view)
    return Cover::Some;
  ShapedType type = memoryLocations[memoryRegions[written].memoryLocation].type;
  // Rows.
  if (!type)
    return Cover::None;
  auto [it, isNew] = covers.try_emplace({written, other}, Cover::Some);
  if (isNew)
    it->second =
        computeCover(*memoryRegions[written].view, *memoryRegions[other].view,
                     type.getNumElements());
  return it->second;
}
