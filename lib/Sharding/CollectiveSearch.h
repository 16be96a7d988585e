//===- CollectiveSearch.h - Search for the cheapest plan of a reshard -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_SHARDING_COLLECTIVESEARCH_H
#define IPU_MLIR_LIB_SHARDING_COLLECTIVESEARCH_H

#include "CollectiveDigits.h"
#include "ipu-mlir/Sharding/CollectivePlan.h"

namespace mlir::ipu::sharding {

/// The greatest number of digits for which a search is done. The number of
/// arrangements of n digits in r dimensions is n! times the number of ways to
/// split a list of n elements into r parts.
inline constexpr size_t kMaxSearchedDigits = 8;
inline constexpr size_t kMaxSearchedArrangements = 20000;
/// The greatest number of additional digits, which are in neither sharding. In
/// tests, more digits did not help.
inline constexpr size_t kMaxFreeDigits = 3;

/// Returns the cheapest steps from digits `in` to digits `out`. Of steps with
/// equal costs, returns the steps with the fewest exchanges. Returns
/// std::nullopt if no steps cost less than `bound`, or if there are too many
/// arrangements. Steps may also slice along the digits `free`, which are in
/// neither sharding, and gather them again, if this does not result in too many
/// arrangements.
std::optional<SmallVector<CollectiveStep>>
searchCollectives(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                  ArrayRef<AxisRef> free, ArrayRef<int64_t> shape,
                  bool changesDevices, double bound);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_COLLECTIVESEARCH_H
