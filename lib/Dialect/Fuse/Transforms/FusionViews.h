//===- FusionViews.h - Views of tensors in a fusion -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices and reshapes are views, which copy no elements. A view of an input
// becomes a view of the input's memory. A view of a computed tensor becomes an
// indexing map. A chain of insertions into a new tensor writes several results
// into one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// Returns whether `op` is a slice or a reshape of a tensor.
bool isView(Operation *op);
inline Value getViewSource(Operation *view) { return view->getOperand(0); }
/// Returns the value of which a value is a view, through any number of views.
Value getViewBase(Value value);
/// Returns the affine map from indices of `view` to indices of its source, or
/// null if some of its coefficients are not constants.
AffineMap getViewMap(Operation *view);

/// Returns the affine map from indices of `value` to indices of `base`. `value`
/// is a view of `base`, through any number of views. Returns null if some of
/// its coefficients are not constants.
AffineMap getViewMap(Value value, Value base);
inline AffineMap getViewBaseMap(Value value) {
  return getViewMap(value, getViewBase(value));
}
/// Returns the affine map from the loops of `op` to indices of the tensor that
/// `operand` reads. If `operand` is a view of a computed tensor, the indices
/// are those of the computed tensor. If it is a view of an input, they are
/// those of the view.
AffineMap getAccessMap(linalg::LinalgOp op, OpOperand &operand);

/// Returns the memref type of `view` if its source has the type `from`. Returns
/// null if `view` collapses dimensions that are not contiguous.
MemRefType getViewMemRefType(Operation *view, MemRefType from);
/// Returns the memref type of `value` if its base is contiguous in memory.
/// `value` is a view of the base, through any number of views. Returns null if
/// a view collapses dimensions that are not contiguous.
MemRefType getViewMemRefType(Value value);
/// Returns the strides of a slice or of an insertion. The stride of a dimension
/// with one element is 1.
SmallVector<OpFoldResult> getSteps(OffsetSizeAndStrideOpInterface slice);

/// Returns whether a fusion can write the source of `insert` directly into the
/// destination of `insert`.
bool canJoin(tensor::InsertSliceOp insert);
/// Returns whether `a` and `b`, whose destinations have equal shapes, write
/// disjoint sets of elements.
bool areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b);
/// Returns the insertions, in order, that combine results of a fusion into
/// `value`. Returns an empty list if `value` is not such a combination.
SmallVector<tensor::InsertSliceOp> getJoin(Value value);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H
