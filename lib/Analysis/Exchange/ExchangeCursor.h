//===- ExchangeCursor.h - Loop over regions ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cursor follows a loop over the elements of one side of a move. For each
// element, it knows the regions that contain the element, and the element's
// offsets in these regions. ExchangeDetail.h describes regions and parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGECURSOR_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGECURSOR_H

#include "ExchangeDetail.h"

namespace mlir::ipu::exchange {

/// An interval of coordinates of a dimension that all have the same parts: each
/// of parts [low, high] contains all coordinates [begin, end). If low > high,
/// no part contains these coordinates.
struct CoordinateInterval {
  int64_t low = 0, high = 0, begin = 0, end = 0;
};

/// The current position of a loop on one side of a move.
class Cursor {
public:
  explicit Cursor(const TileMappingSide &side)
      : at(side.dims.size()), intervals(side.dims.size()), side(side) {}

  /// Starts a loop whose first element is number `first` of the variable, and
  /// whose consecutive elements have the distance `step` in the variable.
  void start(int64_t first, int64_t step);
  /// Moves to iteration `x`. `x` must not be less than the current iteration.
  void seek(int64_t x);
  /// Returns the first iteration after the current one at which the element may
  /// be in another region.
  int64_t getEnd() const { return end; }
  /// isHeld() returns whether at least one tile holds the current element.
  /// isOneRegion() returns whether the element is in exactly one region.
  bool isHeld() const {
    return llvm::all_of(
        intervals, [](const CoordinateInterval &c) { return c.low <= c.high; });
  }
  bool isOneRegion() const {
    return llvm::all_of(
        intervals, [](const CoordinateInterval &c) { return c.low == c.high; });
  }
  /// The position of the current element in a region: the number and the first
  /// tile of the region, the index of the element in the region, and the
  /// distance from this index to the index of the next element.
  struct BlockPosition {
    int64_t region, tile, index, step;
  };
  /// Returns the position of the current element in the region that consists of
  /// part `getPart(dim)` of each dimension.
  template <typename Fn>
  BlockPosition getBlockPosition(Fn getPart) const {
    BlockPosition position = {0, 0, 0, 0};
    int64_t stride = 1;
    for (unsigned dim : side.storage) {
      const TileMappingDim &d = side.dims[dim];
      int64_t part = getPart(dim);
      position.region += part * d.regionStride;
      position.tile += d.getTile(part);
      position.index += (at[dim] - part * d.step) * stride;
      if (dim == moving)
        position.step = perStep * stride;
      stride *= d.getPartSize(part);
    }
    return position;
  }
  /// Calls `visit` with the position of the current element in each region that
  /// contains it. The regions are visited in ascending order.
  template <typename Fn>
  void forEachBlockPosition(Fn visit);
  BlockPosition getFirstBlockPosition() {
    if (!rowsAreKnown)
      findRows();
    return getBlockPosition(rows.front(), low());
  }

  SmallVector<int64_t, 4> at;
  SmallVector<CoordinateInterval, 4> intervals;

private:
  /// Describes regions that differ only in their part of the dimension along
  /// which the loop runs. The index of an element in such a region is (outer *
  /// (size of the part) + (index in the part)) * stride + inner.
  struct Row {
    int64_t region = 0, tile = 0, outer = 0, stride = 1, inner = 0;
  };
  void locate(size_t dim);
  void findRows();
  int64_t low() const { return moving < at.size() ? intervals[moving].low : 0; }
  LLVM_ATTRIBUTE_ALWAYS_INLINE BlockPosition
  getBlockPosition(const Row &row, int64_t part) const {
    if (moving == at.size())
      return {row.region, row.tile, row.inner, 0};
    const TileMappingDim &d = side.dims[moving];
    int64_t index =
        row.outer * d.getPartSize(part) + at[moving] - part * d.step;
    return {row.region + part * d.regionStride, row.tile + d.getTile(part),
            index * row.stride + row.inner, perStep * row.stride};
  }

  const TileMappingSide &side;
  SmallVector<Row, 4> rows;
  bool rowsAreKnown = false;
  /// The dimension along which the loop runs, and the distance between
  /// consecutive iterations in this dimension. If the loop stays at one
  /// element, or runs along several dimensions, there is no such dimension, and
  /// `moving` is `side.dims.size()`.
  size_t moving = 0;
  int64_t perStep = 0;
  int64_t first = 0, step = 0, x = 0, end = 0;
};

template <typename Fn>
void Cursor::forEachBlockPosition(Fn visit) {
  if (!rowsAreKnown)
    findRows();
  int64_t first = low(), last = moving < at.size() ? intervals[moving].high : 0;
  for (const Row &row : rows)
    for (int64_t part = first; part <= last; ++part)
      visit(getBlockPosition(row, part));
}

/// Divides the elements of nested `loops` into sequences, and calls
/// `visit(count, begin, step)` for each sequence. The loops start at element
/// `fromFirst` of the source and element `toFirst` of the target. During a
/// call, both cursors are at the first element of the sequence. All `count`
/// elements of a sequence are in the same regions, both at the source and at
/// the target. The elements of the source are `begin`, `begin + step`, and so
/// on.
template <typename Fn>
void forEachPiece(ArrayRef<MoveLoop> loops, int64_t fromFirst, int64_t toFirst,
                  Cursor &from, Cursor &to, Fn visit) {
  MoveLoop inner = {1, 0, 0};
  if (!loops.empty()) {
    inner = loops.back();
    loops = loops.drop_back();
  }
  SmallVector<int64_t, 4> at(loops.size(), 0);
  while (true) {
    from.start(fromFirst, inner.from);
    to.start(toFirst, inner.to);
    for (int64_t x = 0; x < inner.size;) {
      from.seek(x);
      to.seek(x);
      int64_t end = std::min({inner.size, from.getEnd(), to.getEnd()});
      if (from.isHeld() && to.isHeld())
        visit(end - x, fromFirst + x * inner.from, inner.from);
      x = end;
    }
    size_t dim = loops.size();
    for (; dim > 0; --dim) {
      const MoveLoop &loop = loops[dim - 1];
      fromFirst += loop.from;
      toFirst += loop.to;
      if (++at[dim - 1] < loop.size)
        break;
      fromFirst -= loop.size * loop.from;
      toFirst -= loop.size * loop.to;
      at[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGECURSOR_H
