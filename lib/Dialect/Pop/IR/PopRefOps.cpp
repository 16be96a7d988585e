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
  return pop::detail::getReshapeView(input, getType().getShape());
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
