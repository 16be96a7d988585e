//===- FusionViews.h - Views of tensors in a fusion -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice or a reshape has no elements of its own. A view of an input is a view
// of the input's memory; a view of a computed tensor is an indexing map. A
// chain of insertions into a new tensor joins results into one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// Whether `op` is a slice or a reshape of a tensor.
bool isView(Operation *op);
inline Value getViewSource(Operation *view) { return view->getOperand(0); }
/// What a value is a view of, through any number of views.
Value getViewBase(Value value);
/// From indices of the view to those of its source; null if that takes numbers
/// that are not constants.
AffineMap getViewMap(Operation *view);

/// From indices of the value to those of `base`, which it is a view of through
/// any number of views; null as above.
AffineMap getViewMap(Value value, Value base);
inline AffineMap getViewBaseMap(Value value) {
  return getViewMap(value, getViewBase(value));
}
/// From the loops of `op` to indices of the tensor that `operand` reads. A view
/// of an input is a tensor; what is a view of else is not.
AffineMap getAccessMap(linalg::LinalgOp op, OpOperand &operand);

/// How a view of memory of type `from` is addressed; null if dimensions
/// collapse that are not contiguous there.
MemRefType getViewMemRefType(Operation *view, MemRefType from);
/// The same of a value through all views of its base, which has no gaps.
MemRefType getViewMemRefType(Value value);
/// The steps of a slice, or of an insertion: 1 where there is one element.
SmallVector<OpFoldResult> getSteps(OffsetSizeAndStrideOpInterface slice);

/// Whether a fusion can write what `insert` inserts where it goes.
bool canJoin(tensor::InsertSliceOp insert);
/// Whether no element is written by both, which insert into equal shapes.
bool areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b);
/// The insertions, first one first, that `value` joins the results of a fusion
/// by. None if `value` is no such join.
SmallVector<tensor::InsertSliceOp> getJoin(Value value);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H
