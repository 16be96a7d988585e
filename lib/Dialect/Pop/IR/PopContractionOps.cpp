//===- PopContractionOps.cpp - pop matmul and convolution -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

LogicalResult pop::detail::checkContractionAccum(InferError emitError,
                                                 AccumAttr accum, int64_t depth,
                                                 bool hasAcc) {
  if (!accum || accum.getOrder() == AccumOrder::Chain)
    return success();
  if (hasAcc || accum.getLanes() != 1)
    return emitError("expects `accum` to be `chain` or, without `acc`, "
                     "`blocked` with one lane but got ",
                     accum);
  if (llvm::divideCeil(static_cast<uint64_t>(depth), accum.getBlock()) >
      AccumAttr::kMaxBlock)
    return emitError("expects at most ", AccumAttr::kMaxBlock,
                     " blocks of terms but got ", depth, " terms in ", accum);
  return success();
}

bool pop::detail::isSimpleChain(RankedTensorType operand,
                                RankedTensorType result, AccumAttr accum) {
  return getComputeType(operand.getElementType()) == result.getElementType() &&
         accum.getOrder() == AccumOrder::Chain;
}

/// Infers the type of a result of `shape`: that of `acc`, which must not need
/// rounding, if there is one, else one of the operands' element type.
static FailureOr<RankedTensorType> inferResult(InferError emitError,
                                               ArrayRef<int64_t> shape,
                                               Type elementType, Value acc) {
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, shape, elementType);
  if (failed(type) || !acc)
    return type;
  RankedTensorType wide = type->clone(getComputeType(elementType));
  if (acc.getType() != wide)
    return emitError("expects `acc` of type ", wide, " but got ",
                     acc.getType());
  return wide;
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult
MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  // c1
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitError("expects operands of rank 2 or more but got ", lhs,
                     " and ", rhs);
  if (lhs.getElementType() != rhs.getElementType())
    return emitError("expects operands of one element type but got ",
                     lhs.getElementType(), " and ", rhs.getElementType());
  // c2
  ArrayRef<int64_t> lhsShape = lhs.getShape(), rhsShape = rhs.getShape();
  int64_t rows = rhsShape[rhsShape.size() - 2];
  if (lhsShape.back() != rows)
    return emitError("expects the last dimension of `lhs` to be ", rows,
                     ", the second-last of `rhs`, but got ", lhsShape.back());
  // c3
  FailureOr<SmallVector<int64_t>> shape =
      broadcastShapes(emitError, lhsShape.drop_back(2), rhsShape.drop_back(2));
  if (failed(shape))
    return failure();
  // c4, c5
  shape->push_back(lhsShape[lhsShape.size() - 2]);
  shape->push_back(rhsShape.back());
  FailureOr<RankedTensorType> type =
      inferResult(emitError, *shape, lhs.getElementType(), adaptor.getAcc());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  // c6
  return pop::detail::checkContractionAccum(emitError, adaptor.getAccumAttr(),
                                            rows, !!adaptor.getAcc());
}

bool MatmulOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

static LogicalResult checkConvChannels(InferError emitError,
                                       ArrayRef<int64_t> input,
                                       ArrayRef<int64_t> weights,
                                       int64_t groups) {
  if (groups < 1)
    return emitError("expects `groups` to be positive but got ", groups);
  if (input[1] % groups != 0 || weights[0] % groups != 0)
    return emitError("expects `groups` to divide ", input[1],
                     " input channels and ", weights[0],
                     " output channels but got ", groups);
  if (weights[1] != input[1] / groups)
    return emitError("expects ", input[1] / groups,
                     " input channels for each group of `weights` but got ",
                     weights[1]);
  return success();
}

LogicalResult
ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  // c1
  if (input.getRank() < 3 || input.getRank() > 5)
    return emitError("expects `input` of rank 3, 4 or 5 but got ", input);
  if (weights.getRank() != input.getRank() ||
      weights.getElementType() != input.getElementType())
    return emitError("expects `weights` with the rank and element type of ",
                     input, " but got ", weights);
  // c2, c4
  ArrayRef<int64_t> inputShape = input.getShape(),
                    weightsShape = weights.getShape();
  FailureOr<SmallVector<WindowDim>> dims =
      getWindowDims(emitError, inputShape.drop_front(2),
                    {weightsShape.drop_front(2), adaptor.getStrides(),
                     adaptor.getDilations(), adaptor.getPads()});
  if (failed(dims))
    return failure();
  // c3
  if (failed(checkConvChannels(emitError, inputShape, weightsShape,
                               adaptor.getGroups())))
    return failure();
  // c5, c6
  SmallVector<int64_t> shape = {inputShape[0], weightsShape[0]};
  for (const WindowDim &dim : *dims)
    shape.push_back(dim.getNumWindows());
  FailureOr<RankedTensorType> type =
      inferResult(emitError, shape, input.getElementType(), adaptor.getAcc());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  // c7
  AccumAttr accum = adaptor.getAccumAttr();
  int64_t positions = computeProduct(weightsShape.drop_front(2));
  if (accum && accum.getOrder() == AccumOrder::Blocked &&
      positions > kMaxBlockedPositions)
    return emitError("expects at most ", kMaxBlockedPositions,
                     " kernel positions for ", accum, " but got ", positions);
  return pop::detail::checkContractionAccum(
      emitError, accum, computeProduct(weightsShape.drop_front()),
      !!adaptor.getAcc());
}

bool ConvOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}
