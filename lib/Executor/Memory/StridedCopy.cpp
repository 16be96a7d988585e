//===- StridedCopy.cpp - Copies between strided views ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>

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

template <typename T>
static void copyFrom(const CopyLoops &loops, unsigned loop, const T *source,
                     T *target) {
  int64_t size = loops.sizes[loop];
  int64_t from = loops.fromStrides[loop], to = loops.toStrides[loop];
  if (loop + 1 == loops.sizes.size())
    return copyRun(size, source, from, target, to);
  for (int64_t i = 0; i < size; ++i)
    copyFrom(loops, loop + 1, source + i * from, target + i * to);
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
