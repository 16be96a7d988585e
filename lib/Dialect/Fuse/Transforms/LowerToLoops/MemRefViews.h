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

/// Creates the view of the buffer `source` that corresponds to `view`, a slice
/// or a reshape. `scalars` maps to the values of offsets and sizes. Returns
/// null if a memref cannot express the view.
Value createMemRefView(ImplicitLocOpBuilder &b, Operation *view, Value source,
                       const IRMapping &scalars);
/// Creates the view of the buffer `whole` that consists of the elements that
/// `insert` writes.
Value createMemRefPart(ImplicitLocOpBuilder &b, tensor::InsertSliceOp insert,
                       Value whole, const IRMapping &scalars);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_MEMREFVIEWS_H
