//===- StridedCopy.cpp - Copies between strided views ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace mlir;
using namespace mlir::ipu;

CopyLoops mlir::ipu::getCopyLoops(const StridedView &from,
                                  const StridedView &to) {
  struct Dim {
    int64_t size, from, to;
    unsigned number;
  };
  SmallVector<Dim> dims;
  for (auto [size, fromStride, toStride] :
       llvm::zip_equal(to.sizes, from.strides, to.strides))
    if (size != 1)
      dims.push_back(
          {size, fromStride, toStride, static_cast<unsigned>(dims.size())});
  llvm::sort(dims, [](const Dim &a, const Dim &b) {
    return std::make_pair(-std::abs(a.to), a.number) <
           std::make_pair(-std::abs(b.to), b.number);
  });
  CopyLoops loops;
  loops.fromOffset = from.offset;
  loops.toOffset = to.offset;
  for (const Dim &dim : dims) {
    bool joins = !loops.sizes.empty() &&
                 loops.fromStrides.back() == dim.from * dim.size &&
                 loops.toStrides.back() == dim.to * dim.size;
    if (joins) {
      loops.sizes.back() *= dim.size;
      loops.fromStrides.back() = dim.from;
      loops.toStrides.back() = dim.to;
      continue;
    }
    loops.sizes.push_back(dim.size);
    loops.fromStrides.push_back(dim.from);
    loops.toStrides.push_back(dim.to);
  }
  return loops;
}

template <typename T>
static void copyRun(int64_t size, const T *source, int64_t fromStride,
                    T *target, int64_t toStride) {
  if (fromStride == 1 && toStride == 1) {
    std::memcpy(target, source, size * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    target[i * toStride] = source[i * fromStride];
}

/// Registers of 16 bytes, which all hosts have.
template <typename T>
struct Registers {
  static constexpr int64_t kSize = 16 / sizeof(T);
  using Vector __attribute__((vector_size(16))) = T;

  /// The elements of half `part` of both vectors, in alternation.
  template <int64_t part, size_t... lane>
  static Vector interleave(Vector a, Vector b, std::index_sequence<lane...>) {
    return __builtin_shufflevector(
        a, b, (part * kSize / 2 + lane / 2 + lane % 2 * kSize)...);
  }

  /// target[row][column] = source[column][row], for as many rows and columns as
  /// a vector has elements. Each iteration moves one bit of the number of the
  /// vector to the number of the element, so that all bits change places.
  static void transpose(const T *source, int64_t fromStride, T *target,
                        int64_t toStride) {
    Vector all[kSize], next[kSize];
    for (int64_t i = 0; i < kSize; ++i)
      std::memcpy(&all[i], source + i * fromStride, sizeof(Vector));
    constexpr auto kLanes = std::make_index_sequence<kSize>();
    for (int64_t size = 1; size < kSize; size *= 2) {
      for (int64_t i = 0; i < kSize / 2; ++i) {
        Vector a = all[i], b = all[i + kSize / 2];
        next[2 * i] = interleave<0>(a, b, kLanes);
        next[2 * i + 1] = interleave<1>(a, b, kLanes);
      }
      std::copy_n(next, kSize, all);
    }
    for (int64_t i = 0; i < kSize; ++i)
      std::memcpy(target + i * toStride, &all[i], sizeof(Vector));
  }
};

/// target[row][column] = source[column][row], which both have a stride of one
/// in the last. Lines of the caches are read and written whole, through a
/// buffer: at strides of powers of two few of them fit a cache at once.
template <typename T>
static void transpose(int64_t rows, int64_t columns, const T *source,
                      int64_t fromStride, T *target, int64_t toStride) {
  constexpr int64_t kRows = 64 / sizeof(T), kColumns = 64;
  T buffer[kRows][kColumns];
  for (int64_t column = 0; column < columns; column += kColumns) {
    int64_t numColumns = std::min(kColumns, columns - column);
    for (int64_t row = 0; row < rows; row += kRows) {
      int64_t numRows = std::min(kRows, rows - row);
      const T *from = source + column * fromStride + row;
      // The hardware does not foresee lines of other pages.
      if (row + 2 * kRows < rows)
        for (int64_t i = 0; i < numColumns; ++i)
          __builtin_prefetch(from + i * fromStride + 2 * kRows);
      constexpr int64_t kStep = Registers<T>::kSize;
      int64_t whole = numRows == kRows ? numColumns / kStep * kStep : 0;
      for (int64_t i = 0; i < whole; i += kStep)
        for (int64_t j = 0; j < kRows; j += kStep)
          Registers<T>::transpose(from + i * fromStride + j, fromStride,
                                  &buffer[j][i], kColumns);
      for (int64_t i = whole; i < numColumns; ++i)
        for (int64_t j = 0; j < numRows; ++j)
          buffer[j][i] = from[i * fromStride + j];
      for (int64_t j = 0; j < numRows; ++j)
        std::memcpy(target + (row + j) * toStride + column, buffer[j],
                    numColumns * sizeof(T));
    }
  }
}

/// Whether the last two loops are transpose(), for it to gain something.
static bool isTransposed(const CopyLoops &loops) {
  constexpr int64_t kLeast = 4;
  size_t size = loops.sizes.size();
  return size >= 2 && loops.fromStrides[size - 2] == 1 &&
         loops.toStrides[size - 1] == 1 && loops.fromStrides[size - 1] != 1 &&
         loops.sizes[size - 2] >= kLeast && loops.sizes[size - 1] >= kLeast;
}

/// Brings the loop that moves to the source's next element next to the last.
static void sortForTranspose(CopyLoops &loops) {
  auto *next = llvm::find(loops.fromStrides, 1);
  if (next == loops.fromStrides.end() || loops.sizes.size() < 2)
    return;
  CopyLoops sorted = loops;
  auto rotate = [&](SmallVector<int64_t> &values) {
    auto *at = values.begin() + (next - loops.fromStrides.begin());
    // The last one stays.
    if (at + 1 < values.end())
      std::rotate(at, at + 1, values.end() - 1);
  };
  rotate(sorted.sizes);
  rotate(sorted.toStrides);
  rotate(sorted.fromStrides);
  if (isTransposed(sorted))
    loops = sorted;
}

namespace {
/// Two loops of a copy like the transposition above, whose source has larger
/// strides: positions of `row` share lines of the source, but each position of
/// `column`, a loop inside of it, reads another line. With the loops in that,
/// `column` writes elements that are next to each other.
struct SharedLines {
  unsigned row, column;
};
/// A buffer for such copies has a line of elements for each position of `row`.
constexpr int64_t kRowsOfBuffer = 16, kColumnsOfBuffer = 128;
} // namespace

static std::optional<SharedLines> findSharedLines(const CopyLoops &loops,
                                                  int64_t elementBytes) {
  constexpr int64_t kLine = 64, kLeast = 4;
  std::optional<unsigned> row, column;
  auto getBytes = [&](unsigned loop) {
    return std::abs(loops.fromStrides[loop]) * elementBytes;
  };
  for (unsigned loop = 0; loop < loops.sizes.size(); ++loop) {
    if (loops.sizes[loop] < kLeast)
      continue;
    if (getBytes(loop) >= kLine)
      column = loop;
    else if (!row || getBytes(loop) < getBytes(*row))
      row = loop;
  }
  if (!row || !column || *row > *column)
    return std::nullopt;
  int64_t elements = 1;
  for (size_t loop = loops.sizes.size(); loop-- > *column;) {
    if (loops.toStrides[loop] != elements)
      return std::nullopt;
    elements *= loops.sizes[loop];
  }
  if (loops.toStrides[*column] > kColumnsOfBuffer)
    return std::nullopt;
  return SharedLines{*row, *column};
}

template <typename T>
static void copyFrom(const CopyLoops &loops, unsigned loop, const T *source,
                     T *target) {
  int64_t size = loops.sizes[loop];
  int64_t from = loops.fromStrides[loop], to = loops.toStrides[loop];
  if (loop + 1 == loops.sizes.size())
    return copyRun(size, source, from, target, to);
  if (loop + 2 == loops.sizes.size()) {
    int64_t inner = loops.sizes.back();
    int64_t innerFrom = loops.fromStrides.back();
    int64_t innerTo = loops.toStrides.back();
    if (isTransposed(loops))
      return transpose(size, inner, source, innerFrom, target, to);
    for (int64_t i = 0; i < size; ++i)
      copyRun(inner, source + i * from, innerFrom, target + i * to, innerTo);
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    copyFrom(loops, loop + 1, source + i * from, target + i * to);
}

/// Copies the loops from `lines.column` on, for `numRows` positions of
/// `lines.row`, which are the innermost loop until they are in the buffer.
template <typename T>
static void copyBlock(const CopyLoops &loops, SharedLines lines,
                      int64_t numRows, const T *source, T *target) {
  T buffer[kRowsOfBuffer][kColumnsOfBuffer];
  CopyLoops block;
  for (unsigned loop = lines.column; loop < loops.sizes.size(); ++loop) {
    block.sizes.push_back(loops.sizes[loop]);
    block.fromStrides.push_back(loops.fromStrides[loop]);
    block.toStrides.push_back(loops.toStrides[loop]);
  }
  block.sizes.push_back(numRows);
  block.fromStrides.push_back(loops.fromStrides[lines.row]);
  block.toStrides.push_back(kColumnsOfBuffer);
  int64_t size = block.sizes.front(), from = block.fromStrides.front();
  int64_t to = block.toStrides.front(), step = kColumnsOfBuffer / to;
  for (int64_t i = 0; i < size; i += step) {
    block.sizes.front() = std::min(step, size - i);
    copyFrom(block, 0, source + i * from, &buffer[0][0]);
    for (int64_t row = 0; row < numRows; ++row)
      std::memcpy(target + row * loops.toStrides[lines.row] + i * to,
                  buffer[row], block.sizes.front() * to * sizeof(T));
  }
}

/// Copies the loops from `loop` on, for `numRows` positions of `lines.row`.
template <typename T>
static void copyRows(const CopyLoops &loops, unsigned loop, SharedLines lines,
                     int64_t numRows, const T *source, T *target) {
  if (loop == lines.column)
    return copyBlock(loops, lines, numRows, source, target);
  int64_t size = loop == lines.row ? 1 : loops.sizes[loop];
  for (int64_t i = 0; i < size; ++i)
    copyRows(loops, loop + 1, lines, numRows,
             source + i * loops.fromStrides[loop],
             target + i * loops.toStrides[loop]);
}

template <typename T>
static void copyTyped(const CopyLoops &loops, const char *source, char *target,
                      int64_t begin, int64_t end) {
  const T *first = reinterpret_cast<const T *>(source) + loops.fromOffset;
  T *out = reinterpret_cast<T *>(target) + loops.toOffset;
  if (loops.sizes.empty()) {
    *out = *first;
    return;
  }
  first += begin * loops.fromStrides.front();
  out += begin * loops.toStrides.front();
  CopyLoops part = loops;
  part.sizes.front() = end - begin;
  sortForTranspose(part);
  std::optional<SharedLines> lines = findSharedLines(part, sizeof(T));
  if (lines && !isTransposed(part)) {
    int64_t size = part.sizes[lines->row];
    for (int64_t row = 0; row < size; row += kRowsOfBuffer)
      copyRows(part, 0, *lines, std::min(kRowsOfBuffer, size - row),
               first + row * part.fromStrides[lines->row],
               out + row * part.toStrides[lines->row]);
    return;
  }
  copyFrom(part, 0, first, out);
}

void mlir::ipu::copyElements(const CopyLoops &loops, int64_t elementBytes,
                             const char *source, char *target, int64_t begin,
                             int64_t end) {
  switch (elementBytes) {
  case 1:
    return copyTyped<uint8_t>(loops, source, target, begin, end);
  case 2:
    return copyTyped<uint16_t>(loops, source, target, begin, end);
  case 4:
    return copyTyped<uint32_t>(loops, source, target, begin, end);
  default:
    return copyTyped<uint64_t>(loops, source, target, begin, end);
  }
}
