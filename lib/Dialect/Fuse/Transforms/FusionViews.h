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

/// Returns whether `op` is a slice or a reshape of a tensor.
bool isView(Operation *op);
inline Value getViewSource(Operation *view) { return view->getOperand(0); }
/// Returns the value of which a value is a view, through any number of views.
Value getViewBase(Value value);
/// Maps indices of the view to indices of its source. Returns null if this
/// requires numbers that are not constants.
AffineMap getViewMap(Operation *view);

/// Maps indices of the value to indices of `base`, of which it is a view
/// through any number of views. Null as above.
AffineMap getViewMap(Value value, Value base);
inline AffineMap getViewBaseMap(Value value) {
  return getViewMap(value, getViewBase(value));
}
/// Maps the loops of `op` to indices of the tensor that `operand` reads. A view
/// of an input is itself a tensor; a view of another value is not.
AffineMap getAccessMap(linalg::LinalgOp op, OpOperand &operand);

/// Returns the type of a view of memory of type `from`. Returns null if
/// dimensions that are not contiguous collapse.
MemRefType getViewMemRefType(Operation *view, MemRefType from);
/// The same for a value, through all views of its base, which has no gaps.
MemRefType getViewMemRefType(Value value);
/// Returns the steps of a slice or of an insertion. A dimension with one
/// element has step 1.
SmallVector<OpFoldResult> getSteps(OffsetSizeAndStrideOpInterface slice);

/// Returns whether a fusion can write the operand of `insert` directly to its
/// position.
bool canJoin(tensor::InsertSliceOp insert);
/// Returns whether no element is written by both ops, which insert into equal
/// shapes.
bool areDisjoint(tensor::InsertSliceOp a, tensor::InsertSliceOp b);
/// Returns the insertions by which `value` joins the results of a fusion, in
/// order. Empty if `value` is not such a join.
SmallVector<tensor::InsertSliceOp> getJoin(Value value);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONVIEWS_H
