//===- MemRefViews.cpp - Views of tensors as views of memory --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemRefViews.h"

#include "../FusionViews.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<OpFoldResult> lookup(ArrayRef<OpFoldResult> values,
                                        const IRMapping &scalars) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto scalar = dyn_cast<Value>(value))
      return scalars.lookupOrDefault(scalar);
    return value;
  });
}

static Value createSubView(ImplicitLocOpBuilder &b,
                           OffsetSizeAndStrideOpInterface slice,
                           RankedTensorType part, Value source,
                           const IRMapping &scalars) {
  SmallVector<OpFoldResult> offsets = lookup(slice.getMixedOffsets(), scalars);
  SmallVector<OpFoldResult> sizes = lookup(slice.getMixedSizes(), scalars);
  SmallVector<OpFoldResult> strides = lookup(getSteps(slice), scalars);
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      part.getShape(), cast<MemRefType>(source.getType()), offsets, sizes,
      strides);
  return memref::SubViewOp::create(b, type, source, offsets, sizes, strides);
}

Value fuse::createMemRefView(ImplicitLocOpBuilder &b, Operation *view,
                             Value source, const IRMapping &scalars) {
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return createSubView(b, slice, type, source, scalars);
  MemRefType to = getViewMemRefType(view, cast<MemRefType>(source.getType()));
  if (!to)
    return {};
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return memref::ExpandShapeOp::create(
        b, to, source, expand.getReassociationIndices(),
        lookup(expand.getMixedOutputShape(), scalars));
  return memref::CollapseShapeOp::create(
      b, to, source,
      cast<tensor::CollapseShapeOp>(view).getReassociationIndices());
}

Value fuse::createMemRefPart(ImplicitLocOpBuilder &b,
                             tensor::InsertSliceOp insert, Value whole,
                             const IRMapping &scalars) {
  return createSubView(b, insert, insert.getSourceType(), whole, scalars);
}
