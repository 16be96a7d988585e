//===- EffectSummary.cpp - Summaries of effects ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// `outer` under `inner` if every dimension of `inner` goes along one dimension
/// of the tensor; fails otherwise.
static FailureOr<StridedView> composeByDims(const StridedView &outer,
                                            ArrayRef<int64_t> shape,
                                            const StridedView &inner) {
  StridedView rows = StridedView::identity(shape);
  if (outer.sizes != rows.sizes)
    return failure();
  StridedView result;
  result.offset = outer.offset;
  // Where `inner` starts, and how far it goes along each dimension.
  SmallVector<int64_t> low(shape.size()), high;
  int64_t rest = inner.offset;
  for (auto [dim, stride] : llvm::enumerate(rows.strides)) {
    low[dim] = rest / stride;
    rest %= stride;
    result.offset += low[dim] * outer.strides[dim];
  }
  high = low;
  for (auto [size, stride] : llvm::zip_equal(inner.sizes, inner.strides)) {
    int64_t outerStride = 0;
    if (size > 1 && stride != 0) {
      auto *dim = llvm::find_if(rows.strides, [&, stride = stride](int64_t of) {
        return stride % of == 0;
      });
      if (dim == rows.strides.end())
        return failure();
      size_t at = dim - rows.strides.begin();
      int64_t step = stride / *dim;
      (step < 0 ? low : high)[at] += step * (size - 1);
      outerStride = step * outer.strides[at];
    }
    result.sizes.push_back(size);
    result.strides.push_back(outerStride);
  }
  for (auto [least, greatest, size] : llvm::zip_equal(low, high, shape))
    if (least < 0 || greatest >= size)
      return failure();
  return result;
}

StridedView mlir::ipu::composeViews(const StridedView &outer,
                                    ArrayRef<int64_t> shape,
                                    const StridedView &inner) {
  if (llvm::is_contained(shape, 0) || llvm::is_contained(inner.sizes, 0))
    return outer;
  StridedView contiguous = outer;
  contiguous.offset = 0;
  if (contiguous.isContiguous()) {
    StridedView result = inner;
    result.offset += outer.offset;
    return result;
  }
  FailureOr<StridedView> result = composeByDims(outer, shape, inner);
  return succeeded(result) ? *result : outer;
}

//===----------------------------------------------------------------------===//
// ElementRegions
//===----------------------------------------------------------------------===//

/// Views of more elements that are no regions are taken to overlap.
static constexpr int64_t kMaxElements = int64_t(1) << 14;

void ElementRegions::addWhole() {
  whole = true;
  views.clear();
}

static bool isSame(const StridedView &a, const StridedView &b) {
  return a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides;
}

void ElementRegions::add(const std::optional<StridedView> &view) {
  if (whole)
    return;
  if (!view)
    return addWhole();
  if (llvm::is_contained(view->sizes, 0) ||
      llvm::any_of(views, [&](const StridedView &other) {
        return isSame(other, *view);
      }))
    return;
  if (views.size() == kMaxViews)
    return addWhole();
  views.push_back(*view);
}

void ElementRegions::add(const ElementRegions &other) {
  if (other.whole)
    return addWhole();
  for (const StridedView &view : other.views)
    add(view);
}

bool ElementRegions::overlaps(const std::optional<StridedView> &view) const {
  if (isEmpty() || (view && llvm::is_contained(view->sizes, 0)))
    return false;
  if (whole || !view)
    return true;
  return llvm::any_of(views, [&](const StridedView &own) {
    auto range = getRange(own), other = getRange(*view);
    // Views of what has no bounds known here end where the last element is.
    int64_t size = range && other ? std::max(range->second, other->second) + 1
                                  : kMaxElements + 1;
    return overlap(own, *view, size, kMaxElements);
  });
}

bool ElementRegions::overlaps(const ElementRegions &other) const {
  if (isEmpty() || other.isEmpty())
    return false;
  if (other.whole)
    return true;
  return llvm::any_of(other.views,
                      [&](const StridedView &view) { return overlaps(view); });
}

//===----------------------------------------------------------------------===//
// Place
//===----------------------------------------------------------------------===//

MemoryLocation MemoryLocation::getRoot(Value root) {
  MemoryLocation memoryLocation;
  memoryLocation.root = root;
  return memoryLocation;
}

MemoryLocation MemoryLocation::getVariable(SymbolRefAttr symbol) {
  MemoryLocation memoryLocation;
  memoryLocation.symbol = symbol;
  return memoryLocation;
}

MemoryLocation MemoryLocation::getResource(SideEffects::Resource *resource,
                                           SymbolRefAttr symbol) {
  MemoryLocation memoryLocation;
  memoryLocation.resource = resource;
  memoryLocation.symbol = symbol;
  return memoryLocation;
}

//===----------------------------------------------------------------------===//
// EffectSummary
//===----------------------------------------------------------------------===//

MemoryLocationEffects &
EffectSummary::get(const MemoryLocation &memoryLocation) {
  (memoryLocation.getResource() ? hasResources : hasRefs) = true;
  return memoryLocations[memoryLocation];
}

void EffectSummary::inherit(const EffectSummary &other) {
  unknown |= other.unknown;
  hasRefs |= other.hasRefs;
  hasResources |= other.hasResources;
  inherited.insert(&other);
}

void EffectSummary::inheritFrom(const EffectSummary &other) {
  for (const EffectSummary *summary : other.inherited)
    inherit(*summary);
}

bool EffectSummary::visitAll(
    function_ref<bool(const EffectSummary &)> visit) const {
  if (visit(*this))
    return true;
  llvm::SmallSetVector<const EffectSummary *, 8> found;
  found.insert_range(inherited);
  for (size_t i = 0; i < found.size(); ++i) {
    const EffectSummary &other = *found[i];
    if (visit(other))
      return true;
    found.insert_range(other.inherited);
  }
  return false;
}

EffectSummary::EntryList::EntryList(const EffectSummary &summary) {
  summary.visitAll([&](const EffectSummary &part) {
    for (const Entry &entry : part.getOwnMemoryLocations())
      entries.push_back(&entry);
    return false;
  });
}

void EffectSummary::add(const MemoryLocation &memoryLocation,
                        const MemoryLocationEffects &effects) {
  MemoryLocationEffects &own = get(memoryLocation);
  own.reads.add(effects.reads);
  own.writes.add(effects.writes);
  if (SideEffects::Resource *resource = memoryLocation.getResource()) {
    MemoryLocationEffects &all = ofResource[resource];
    // Rows of different buffers have nothing in common.
    if (!effects.reads.isEmpty())
      all.reads.addWhole();
    if (!effects.writes.isEmpty())
      all.writes.addWhole();
  }
}

void EffectSummary::addRead(const MemoryLocation &memoryLocation,
                            const std::optional<StridedView> &view) {
  MemoryLocationEffects effects;
  effects.reads.add(view);
  add(memoryLocation, effects);
}

void EffectSummary::addWrite(const MemoryLocation &memoryLocation,
                             const std::optional<StridedView> &view) {
  MemoryLocationEffects effects;
  effects.writes.add(view);
  add(memoryLocation, effects);
}

std::optional<MemoryLocationEffects>
EffectSummary::lookup(const MemoryLocation &memoryLocation) const {
  std::optional<MemoryLocationEffects> result;
  visitAll([&](const EffectSummary &part) {
    const auto *it = part.memoryLocations.find(memoryLocation);
    if (it == part.memoryLocations.end())
      return false;
    if (!result)
      result.emplace();
    result->reads.add(it->second.reads);
    result->writes.add(it->second.writes);
    return false;
  });
  return result;
}

bool EffectSummary::mayTouchOwn(
    const MemoryLocation &memoryLocation,
    const std::optional<StridedView> &view,
    ElementRegions MemoryLocationEffects::*regions) const {
  SideEffects::Resource *resource = memoryLocation.getResource();
  if (resource && !memoryLocation.getSymbol()) {
    auto it = ofResource.find(resource);
    return it != ofResource.end() && !(it->second.*regions).isEmpty();
  }
  const auto *own = memoryLocations.find(memoryLocation);
  if (own != memoryLocations.end() && (own->second.*regions).overlaps(view))
    return true;
  if (!resource)
    return false;
  const auto *all = memoryLocations.find(MemoryLocation::getResource(resource));
  return all != memoryLocations.end() && !(all->second.*regions).isEmpty();
}

bool EffectSummary::mayRead(const MemoryLocation &memoryLocation,
                            const std::optional<StridedView> &view) const {
  return unknown || visitAll([&](const EffectSummary &part) {
           return part.mayTouchOwn(memoryLocation, view,
                                   &MemoryLocationEffects::reads);
         });
}

bool EffectSummary::mayWrite(const MemoryLocation &memoryLocation,
                             const std::optional<StridedView> &view) const {
  return unknown || visitAll([&](const EffectSummary &part) {
           return part.mayTouchOwn(memoryLocation, view,
                                   &MemoryLocationEffects::writes);
         });
}

bool EffectSummary::conflictsWith(const EffectSummary &other) const {
  auto hasAny = [](const EffectSummary &summary) {
    return summary.hasRefEffects() || summary.hasResourceEffects();
  };
  if (isUnknown() || other.isUnknown())
    return hasAny(*this) && hasAny(other);
  return llvm::any_of(getMemoryLocations(), [&](const auto &entry) {
    const auto &[location, effects] = entry;
    return other.mayWrite(location) ||
           (!effects.writes.isEmpty() && other.mayRead(location));
  });
}

//===----------------------------------------------------------------------===//
// Through calls
//===----------------------------------------------------------------------===//

MemoryLocationEffects
mlir::ipu::showThrough(const MemoryLocationEffects &effects,
                       const RefOrigin &operand, Value argument) {
  auto type = dyn_cast<ShapedType>(argument.getType());
  MemoryLocationEffects result;
  auto show = [&](const ElementRegions &from, ElementRegions &to) {
    if (from.isEmpty())
      return;
    if (from.isWhole() || !operand.view || !type || !type.hasStaticShape())
      return to.add(operand.view);
    for (const StridedView &view : from.getViews())
      to.add(composeViews(*operand.view, type.getShape(), view));
  };
  show(effects.reads, result.reads);
  show(effects.writes, result.writes);
  return result;
}
