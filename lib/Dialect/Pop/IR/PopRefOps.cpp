//===- PopRefOps.cpp - Views of refs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::StridedView;

static RefType getRefType(Value value) {
  return cast<RefType>(value.getType());
}

/// Adds a ref to what was inferred, if that is a type.
static LogicalResult addRef(SmallVectorImpl<Type> &types,
                            FailureOr<RankedTensorType> type) {
  if (failed(type))
    return failure();
  types.push_back(RefType::get(*type));
  return success();
}

//===----------------------------------------------------------------------===//
// ReadOp, CopyOp
//===----------------------------------------------------------------------===//

/// What is read shares the storage of the ref.
FailureOr<StridedView> ReadOp::getTileView(const StridedView &input) {
  return input;
}

SmallVector<ipu::TileMove> CopyOp::getTileMoves() {
  return {{0, SmallVector<int64_t>(getType().getRank(), 0)}};
}

TypedAttr CopyOp::getTileFill() { return {}; }

//===----------------------------------------------------------------------===//
// RefReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult RefReshapeOp::verify() {
  return pop::detail::verifyReshape(*this, getInput().getType(), getType());
}

FailureOr<StridedView> RefReshapeOp::getTileView(const StridedView &input) {
  return input.reshape(getType().getShape());
}

OpFoldResult RefReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto previous = getInput().getDefiningOp<RefReshapeOp>();
  if (!previous)
    return {};
  getInputMutable().assign(previous.getInput());
  return getResult();
}

//===----------------------------------------------------------------------===//
// RefTransposeOp
//===----------------------------------------------------------------------===//

LogicalResult RefTransposeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  return addRef(inferredReturnTypes,
                pop::detail::inferTranspose({location, getOperationName()},
                                            getRefType(adaptor.getInput()),
                                            adaptor.getPermutation()));
}

FailureOr<StridedView> RefTransposeOp::getTileView(const StridedView &input) {
  return pop::detail::getTransposeView(input, getPermutation());
}

OpFoldResult RefTransposeOp::fold(FoldAdaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// RefSliceOp
//===----------------------------------------------------------------------===//

LogicalResult
RefSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             Adaptor adaptor,
                             SmallVectorImpl<Type> &inferredReturnTypes) {
  return addRef(inferredReturnTypes,
                pop::detail::inferSlice({location, getOperationName()},
                                        getRefType(adaptor.getInput()),
                                        adaptor.getStarts(), adaptor.getSizes(),
                                        adaptor.getSteps()));
}

FailureOr<StridedView> RefSliceOp::getTileView(const StridedView &input) {
  return pop::detail::getSliceView(input, getStarts(), getSizes(), getSteps());
}

OpFoldResult RefSliceOp::fold(FoldAdaptor) {
  if (pop::detail::isWholeSlice(getInput().getType(), getSizes(), getSteps()))
    return getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// RefRowOp
//===----------------------------------------------------------------------===//

LogicalResult
RefRowOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  RefType input = getRefType(adaptor.getInput());
  ArrayRef<int64_t> indices = adaptor.getIndices();
  size_t rank = input.getRank();
  // c1
  if (indices.empty() || indices.size() > rank)
    return emitError("expects at least one index, and at most as many as the "
                     "rank of ",
                     input, ", but got ", indices.size());
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (input.getDimSize(dim) == 0)
      return emitError("has index ", index, " into dimension ", dim, " of a ",
                       input, ", which has no elements");
    if (index < 0 || index >= input.getDimSize(dim))
      return emitError("expects an index of at least 0 and below ",
                       input.getDimSize(dim), " into dimension ", dim, " of a ",
                       input, " but got ", index);
  }
  // c2
  return addRef(
      inferredReturnTypes,
      RankedTensorType::get(input.getShape().drop_front(indices.size()),
                            input.getElementType()));
}

FailureOr<StridedView> RefRowOp::getTileView(const StridedView &input) {
  StridedView row = input;
  size_t numIndices = getIndices().size();
  for (auto [index, stride] : llvm::zip(getIndices(), input.strides))
    row.offset += index * stride;
  row.sizes.erase(row.sizes.begin(), row.sizes.begin() + numIndices);
  row.strides.erase(row.strides.begin(), row.strides.begin() + numIndices);
  return row;
}

/// A row of a row is one of the whole.
OpFoldResult RefRowOp::fold(FoldAdaptor) {
  auto outer = getInput().getDefiningOp<RefRowOp>();
  if (!outer)
    return {};
  SmallVector<int64_t> indices = llvm::to_vector(outer.getIndices());
  llvm::append_range(indices, getIndices());
  setIndices(indices);
  getInputMutable().assign(outer.getInput());
  return getResult();
}
