//===- MemRefViews.h - Views of tensors as views of memory ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_MEMREFVIEWS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_MEMREFVIEWS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {

/// What the slice or reshape `view` is of the buffer `source`. `scalars` has
/// the values of offsets and sizes. Null if memory cannot be seen so.
Value createMemRefView(ImplicitLocOpBuilder &b, Operation *view, Value source,
                       const IRMapping &scalars);
/// The part of the buffer `whole` that `insert` writes.
Value createMemRefPart(ImplicitLocOpBuilder &b, tensor::InsertSliceOp insert,
                       Value whole, const IRMapping &scalars);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_MEMREFVIEWS_H
