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

/// More are not searched: there are as many arrangements of n digits in r
/// dimensions as n! times the ways to split a list into r.
inline constexpr size_t kMaxSearchedDigits = 8;
inline constexpr size_t kMaxSearchedArrangements = 20000;
/// More digits that are in neither have not been seen to help.
inline constexpr size_t kMaxFreeDigits = 3;

/// The steps of least cost (of these, with the fewest exchanges) from digits
/// `in` to digits `out`, if they cost less than `bound`. None too if there are
/// too many arrangements to look at. Steps may also slice along digits `free`,
/// which are in neither, and gather them again, as far as there are not too
/// many arrangements with them.
std::optional<SmallVector<CollectiveStep>>
searchCollectives(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                  ArrayRef<AxisRef> free, ArrayRef<int64_t> shape,
                  bool changesDevices, double bound);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_COLLECTIVESEARCH_H
