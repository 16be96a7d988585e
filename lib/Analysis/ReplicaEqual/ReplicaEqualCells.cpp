//===- ReplicaEqualCells.cpp - Mutable tensors and parts ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualCells.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

/// Views of more elements are compared by their bounds.
static constexpr int64_t kMaxElements = int64_t(1) << 12;

//===----------------------------------------------------------------------===//
// Places and cells
//===----------------------------------------------------------------------===//

PlaceId CellTable::getPlace(const Place &place, ShapedType type) {
  auto [it, isNew] = placeIds.try_emplace(place, places.size());
  if (isNew) {
    PlaceInfo &info = places.emplace_back();
    info.key = place;
    info.type = type;
    addCell(it->second, std::nullopt);
  }
  return it->second;
}

std::optional<PlaceId> CellTable::lookupPlace(const Place &place) const {
  auto known = placeIds.find(place);
  return known == placeIds.end() ? std::nullopt : std::optional(known->second);
}

Cell CellTable::addCell(PlaceId place, std::optional<StridedView> view) {
  Cell cell = cells.size();
  cells.push_back({place, std::move(view)});
  places[place].cells.push_back(cell);
  return cell;
}

static bool isSame(const StridedView &a, const StridedView &b) {
  return a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides;
}

CellRef CellTable::getPart(PlaceId place,
                           const std::optional<StridedView> &view) {
  Cell whole = getWhole(place);
  ShapedType type = places[place].type;
  if (!view || !type || !type.hasStaticShape())
    return {whole, false};
  int64_t size = type.getNumElements();
  if (!showsOnce(*view, size))
    return {whole, false};
  if (view->getNumElements() == size)
    return {whole, true};
  for (Cell cell : getCells(place).drop_front())
    if (isSame(*cells[cell].view, *view))
      return {cell, true};
  if (getCells(place).size() > kMaxParts)
    return {whole, false};
  return {addCell(place, view), true};
}

CellRef CellTable::getCell(const RefOrigin &ref) {
  return getPart(
      getPlace(ref.getPlace(), dyn_cast<ShapedType>(ref.root.getType())),
      ref.view);
}

CellRef CellTable::getCell(const ReplicaState &state) {
  PlaceId place = getPlace(Place::getVariable(state.symbol), {});
  // Nobody has views of state that is no ref: its rows are one element each.
  if (!state.part)
    return {getWhole(place), false};
  auto row = places[place].rows.find(*state.part);
  if (row != places[place].rows.end())
    return {row->second, true};
  if (getCells(place).size() > kMaxRows)
    return {getWhole(place), false};
  Cell cell = addCell(place, StridedView{*state.part, {1}, {1}});
  places[place].rows[*state.part] = cell;
  return {cell, true};
}

CellRef CellTable::getCellThrough(const RefOrigin &operand,
                                  BlockArgument argument, Cell inner) {
  const std::optional<StridedView> &view = cells[inner].view;
  if (!view)
    return getCell(operand);
  auto type = dyn_cast<ShapedType>(argument.getType());
  if (operand.view && type && type.hasStaticShape()) {
    StridedView composed = composeViews(*operand.view, type.getShape(), *view);
    // Without strides for it, it is all that the operand shows.
    if (composed.getNumElements() == view->getNumElements()) {
      RefOrigin part = operand;
      part.view = std::move(composed);
      return getCell(part);
    }
  }
  return {getCell(operand).cell, false};
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

Cover CellTable::computeCover(const StridedView &written,
                              const StridedView &other, int64_t size) const {
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

Cover CellTable::getCover(Cell written, Cell other) {
  if (written == other || !cells[written].view)
    return Cover::All;
  if (!cells[other].view)
    return Cover::Some;
  ShapedType type = places[cells[written].place].type;
  // Rows.
  if (!type)
    return Cover::None;
  auto [it, isNew] = covers.try_emplace({written, other}, Cover::Some);
  if (isNew)
    it->second = computeCover(*cells[written].view, *cells[other].view,
                              type.getNumElements());
  return it->second;
}
