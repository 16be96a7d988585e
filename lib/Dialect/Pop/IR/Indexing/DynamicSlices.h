//===- DynamicSlices.h - Regions with a computed start ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_DYNAMICSLICES_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_DYNAMICSLICES_H

#include "../PopDetail.h"

namespace mlir::pop::detail {

/// A region that has only a part of a tensor's positions along one dimension.
/// The tensor has `outer` * `extent` * `inner` elements, and the region has
/// `outer` * `size` * `inner` of them. `number` is the number of the start of
/// this dimension.
struct DynamicRegion {
  int64_t number = 0;
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t size = 1;
  int64_t inner = 1;
};

/// Return the region that the op extracts or replaces, or std::nullopt if it
/// does not have all positions of the input along several dimensions or along
/// none.
std::optional<DynamicRegion> getDynamicRegion(DynamicSliceOp op);
std::optional<DynamicRegion> getDynamicRegion(DynamicUpdateOp op);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_DYNAMICSLICES_H
