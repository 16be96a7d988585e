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

/// The greatest number of digits for which a search is done: n digits in r
/// dimensions have n! times the number of ways to split a list into r parts as
/// many arrangements.
inline constexpr size_t kMaxSearchedDigits = 8;
inline constexpr size_t kMaxSearchedArrangements = 20000;
/// The greatest number of additional digits, which are in neither sharding. In
/// tests, more digits did not help.
inline constexpr size_t kMaxFreeDigits = 3;

/// The cheapest steps from digits `in` to digits `out` (among steps of equal
/// cost, those with the fewest exchanges), if they cost less than `bound`. Also
/// none if there are too many arrangements. Steps may also slice along the
/// digits `free`, which are in neither sharding, and gather them again, if this
/// does not lead to too many arrangements.
std::optional<SmallVector<CollectiveStep>>
searchCollectives(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                  ArrayRef<AxisRef> free, ArrayRef<int64_t> shape,
                  bool changesDevices, double bound);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_COLLECTIVESEARCH_H
