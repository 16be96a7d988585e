//===- RangeSums.h - Sums over ranges of positions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_RANGESUMS_H
#define IPU_MLIR_SUPPORT_RANGESUMS_H

#include <cstdint>
#include <vector>

namespace mlir::ipu {

/// A number for each of several positions: the sum of the values that were
/// added to ranges with this position. Values and sums do not overflow.
class RangeSums {
public:
  explicit RangeSums(size_t numPositions) : changes(numPositions + 1) {}

  /// Adds `value` to the positions from `first` to `last` (inclusive).
  void add(unsigned first, unsigned last, int64_t value) {
    changes[first] += value;
    changes[last + 1] -= value;
  }

  /// Returns the sum of each position, in time linear in their number.
  std::vector<int64_t> get() const {
    std::vector<int64_t> sums;
    int64_t sum = 0;
    for (size_t position = 0; position + 1 < changes.size(); ++position)
      sums.push_back(sum += changes[position]);
    return sums;
  }

private:
  /// The differences between the sums of a position and of the one before it.
  std::vector<int64_t> changes;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_RANGESUMS_H
