//===- ExchangeCursor.cpp - Loop over regions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeCursor.h"

#include <limits>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// a / b of numbers that are not negative: quicker where both are small, as
/// most are, and there are many of these.
static int64_t divide(int64_t a, int64_t b) {
  if (((a | b) >> 32) == 0)
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

/// The region of a coordinate in a dimension.
static CoordinateInterval getInterval(const TileMappingDim &dim, int64_t at) {
  if (dim.parts == 1 && dim.extent >= dim.size)
    return {0, 0, 0, dim.size};
  CoordinateInterval interval;
  int64_t part = divide(at, dim.step);
  interval.high = std::min(part, dim.parts - 1);
  interval.low = at < dim.extent ? 0
                 : dim.extent == dim.step
                     ? part
                     : divide(at - dim.extent, dim.step) + 1;
  interval.begin = interval.high * dim.step;
  if (interval.low > 0)
    interval.begin =
        std::max(interval.begin, (interval.low - 1) * dim.step + dim.extent);
  interval.end = std::min(dim.size, interval.low * dim.step + dim.extent);
  if (interval.high + 1 < dim.parts)
    interval.end = std::min(interval.end, (interval.high + 1) * dim.step);
  return interval;
}

void Cursor::locate(size_t dim) {
  CoordinateInterval &interval = intervals[dim];
  const TileMappingDim &d = side.dims[dim];
  int64_t to = at[dim];
  if (to >= interval.begin && to < interval.end)
    return;
  if (to < interval.begin || interval.end == 0 || to - interval.end > d.step) {
    interval = getInterval(d, to);
    return;
  }
  // A near one that follows is found without dividing.
  while (to >= interval.end) {
    interval.begin = interval.end;
    if (interval.low * d.step + d.extent <= interval.begin)
      ++interval.low;
    if (interval.high + 1 < d.parts &&
        (interval.high + 1) * d.step <= interval.begin)
      ++interval.high;
    interval.end = std::min(d.size, interval.low * d.step + d.extent);
    if (interval.high + 1 < d.parts)
      interval.end = std::min(interval.end, (interval.high + 1) * d.step);
  }
}

void Cursor::findRows() {
  rowsAreKnown = true;
  rows.clear();
  SmallVector<int64_t, 4> parts;
  for (const CoordinateInterval &interval : intervals)
    parts.push_back(interval.low);
  while (true) {
    Row &row = rows.emplace_back();
    int64_t *index = &row.inner, stride = 1;
    for (unsigned dim : side.storage) {
      if (dim == moving) {
        row.stride = stride;
        index = &row.outer;
        stride = 1;
        continue;
      }
      const TileMappingDim &d = side.dims[dim];
      row.region += parts[dim] * d.regionStride;
      row.tile += d.getTile(parts[dim]);
      *index += (at[dim] - parts[dim] * d.step) * stride;
      stride *= d.getPartSize(parts[dim]);
    }
    size_t dim = parts.size();
    for (; dim > 0; --dim) {
      if (dim - 1 == moving)
        continue;
      if (++parts[dim - 1] <= intervals[dim - 1].high)
        break;
      parts[dim - 1] = intervals[dim - 1].low;
    }
    if (dim == 0)
      return;
  }
}

void Cursor::start(int64_t first, int64_t step) {
  this->first = first;
  this->step = step;
  moving = side.dims.size();
  perStep = 0;
  int64_t reach = std::abs(step);
  for (size_t dim = 0; dim < side.dims.size(); ++dim) {
    const TileMappingDim &d = side.dims[dim];
    if (d.size == 1 || reach < d.stride)
      continue;
    if (reach % d.stride == 0) {
      moving = dim;
      perStep = step / d.stride;
    }
    break;
  }
  x = -1;
  end = 0;
}

void Cursor::seek(int64_t to) {
  if (x == to || (x >= 0 && step == 0))
    return;
  int64_t next = 0;
  if (x >= 0 && perStep != 0)
    next = at[moving] + (to - x) * perStep;
  if (x >= 0 && perStep != 0 && next >= 0 && next < side.dims[moving].size) {
    at[moving] = next;
    locate(moving);
  } else {
    int64_t rest = first + to * step;
    for (size_t dim = 0; dim < side.dims.size(); ++dim) {
      at[dim] = divide(rest, side.dims[dim].stride);
      rest -= at[dim] * side.dims[dim].stride;
      locate(dim);
    }
    rowsAreKnown = false;
  }
  x = to;
  if (step == 0) {
    end = std::numeric_limits<int64_t>::max();
  } else if (perStep == 0) {
    end = x + 1;
  } else {
    const CoordinateInterval &interval = intervals[moving];
    int64_t left = perStep > 0 ? interval.end - 1 - at[moving]
                               : at[moving] - interval.begin;
    int64_t by = std::abs(perStep);
    end = x + (by == 1 ? left : divide(left, by)) + 1;
  }
}
