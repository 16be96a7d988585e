//===- Count.h - Numbers of cycles, bytes and operations --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILECOUNTS_COUNT_H
#define IPU_MLIR_ANALYSIS_TILECOUNTS_COUNT_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace mlir::ipu {

/// A non-negative number of cycles, bytes or operations. Results that exceed
/// `kMax` become `kMax`. This limit is so far below 2^63 that the costs of a
/// program can be added up without overflow. JSON numbers represent all counts
/// up to the limit exactly.
class Count {
public:
  static constexpr int64_t kMax = int64_t(1) << 53;

  Count(int64_t value = 0) : value(std::min(value, kMax)) {}
  int64_t get() const { return value; }

  friend Count operator+(Count a, Count b) { return a.value + b.value; }
  friend Count operator*(Count a, Count b) {
    int64_t product;
    bool overflows = llvm::MulOverflow(a.value, b.value, product);
    return overflows ? kMax : product;
  }
  Count &operator+=(Count other) { return *this = *this + other; }
  friend bool operator<(Count a, Count b) { return a.value < b.value; }
  Count divideCeil(Count by) const {
    return static_cast<int64_t>(llvm::divideCeil(value, by.value));
  }

private:
  int64_t value;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_TILECOUNTS_COUNT_H
