//===- PopContractionOps.cpp - pop matmul and convolution -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

/// Checks what is common to the orders of matmuls and convolutions of operands
/// of `elementType`; a null `accum` is not chosen yet.
static LogicalResult checkOrder(InferError emitError, AccumAttr accum,
                                Type elementType) {
  if (!accum || accum.isChain())
    return success();
  if (accum.getLanes() != 1)
    return emitError("expects `accum` to be `chain` or `blocked` with one lane "
                     "but got ",
                     accum);
  if (accum.getPartials() && getComputeType(elementType) == elementType)
    return emitError("expects `partials` only for elements narrower than f32 "
                     "but got ",
                     accum, " for ", elementType);
  return success();
}

static LogicalResult checkNumParts(InferError emitError, AccumAttr accum,
                                   int64_t parts) {
  if (parts <= AccumAttr::kMaxParts)
    return success();
  return emitError("expects at most ", AccumAttr::kMaxParts,
                   " blocks of addends but got ", parts, " for ", accum);
}

bool pop::detail::isSimpleChain(RankedTensorType operand,
                                RankedTensorType result, AccumAttr accum) {
  return getComputeType(operand.getElementType()) == result.getElementType() &&
         accum && accum.isChain();
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

/// The shape of the product of two batches of matrices.
static FailureOr<SmallVector<int64_t>>
inferProduct(InferError emitError, RankedTensorType lhs, RankedTensorType rhs) {
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
  shape->push_back(lhsShape[lhsShape.size() - 2]);
  shape->push_back(rhsShape.back());
  return shape;
}

LogicalResult
MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  // c1, c2, c3
  FailureOr<SmallVector<int64_t>> shape = inferProduct(emitError, lhs, rhs);
  if (failed(shape))
    return failure();
  // c4, c5
  FailureOr<RankedTensorType> type =
      inferResult(emitError, *shape, lhs.getElementType(), adaptor.getAcc());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  // c6, c7
  AccumAttr accum = adaptor.getAccumAttr();
  if (failed(checkOrder(emitError, accum, lhs.getElementType())))
    return failure();
  if (!accum || accum.isChain())
    return success();
  if (accum.getKernel())
    return emitError("expects `accum` without `kernel` but got ", accum);
  return checkNumParts(
      emitError, accum,
      llvm::divideCeilSigned(lhs.getShape().back(), accum.getBlock()));
}

bool MatmulOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}

LogicalResult MatmulPartialsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  // c1, c2, c3
  FailureOr<SmallVector<int64_t>> shape = inferProduct(emitError, lhs, rhs);
  if (failed(shape))
    return failure();
  // c4
  int64_t block = adaptor.getBlock(), depth = lhs.getShape().back();
  if (block < 1)
    return emitError("expects `block` to be positive but got ", block);
  // c5
  shape->insert(shape->begin(), llvm::divideCeilSigned(depth, block));
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, *shape, getComputeType(lhs.getElementType()));
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}

//===----------------------------------------------------------------------===//
// ConvBlocks
//===----------------------------------------------------------------------===//

pop::detail::ConvBlocks::ConvBlocks(ArrayRef<int64_t> weights, AccumAttr accum)
    : channels(weights[1]), block(std::max<int64_t>(channels, 1)),
      kernel(weights.drop_front(2)), region(kernel) {
  if (!accum || accum.isChain())
    return;
  block = std::max<int64_t>(std::min(accum.getBlock(), channels), 1);
  if (DenseI64ArrayAttr positions = accum.getKernel())
    region.assign(positions.asArrayRef().begin(), positions.asArrayRef().end());
}

SmallVector<int64_t> pop::detail::ConvBlocks::getNumKernelBlocks() const {
  SmallVector<int64_t> counts;
  for (auto [size, part] : llvm::zip_equal(kernel, region))
    counts.push_back(size / part);
  return counts;
}

int64_t pop::detail::ConvBlocks::getNumBlocks() const {
  return computeProduct(getNumKernelBlocks()) * getNumChannelBlocks();
}

/// Checks that regions of `region` positions cover a kernel. Diagnostics call
/// the regions `name`.
static LogicalResult checkRegionSizes(InferError emitError, StringRef name,
                                      ArrayRef<int64_t> kernel,
                                      ArrayRef<int64_t> region) {
  bool divides = region.size() == kernel.size() &&
                 llvm::all_of(llvm::zip_equal(kernel, region), [](auto sizes) {
                   auto [size, part] = sizes;
                   return part > 0 && size % part == 0;
                 });
  if (divides)
    return success();
  return emitError("expects ", name, " to divide the spatial shape [", kernel,
                   "] of `weights` but got [", region, "]");
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

/// The windows of a convolution, and the shape of its result.
static FailureOr<SmallVector<int64_t>>
inferConv(InferError emitError, RankedTensorType input,
          RankedTensorType weights, const WindowAttrs &attrs, int64_t groups) {
  // c1
  if (input.getRank() < 3 || input.getRank() > 5)
    return emitError("expects `input` of rank 3, 4 or 5 but got ", input);
  if (weights.getRank() != input.getRank() ||
      weights.getElementType() != input.getElementType())
    return emitError("expects `weights` with the rank and element type of ",
                     input, " but got ", weights);
  // c2, c4
  for (int64_t size : attrs.kernel)
    if (size < 1)
      return emitError("expects the spatial dimensions of `weights` to be "
                       "positive but got ",
                       size);
  FailureOr<SmallVector<WindowDim>> dims =
      getWindowDims(emitError, input.getShape().drop_front(2), attrs);
  if (failed(dims))
    return failure();
  // c3
  if (failed(checkConvChannels(emitError, input.getShape(), weights.getShape(),
                               groups)))
    return failure();
  SmallVector<int64_t> shape = {input.getDimSize(0), weights.getDimSize(0)};
  for (const WindowDim &dim : *dims)
    shape.push_back(dim.getNumWindows());
  return shape;
}

LogicalResult
ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         Adaptor adaptor,
                         SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  // c1 to c4
  FailureOr<SmallVector<int64_t>> shape =
      inferConv(emitError, input, weights,
                {weights.getShape().drop_front(2), adaptor.getStrides(),
                 adaptor.getDilations(), adaptor.getPads(), /*ceilMode=*/false,
                 adaptor.getInputDilations()},
                adaptor.getGroups());
  if (failed(shape))
    return failure();
  // c5, c6
  FailureOr<RankedTensorType> type =
      inferResult(emitError, *shape, input.getElementType(), adaptor.getAcc());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  // c7, c8
  AccumAttr accum = adaptor.getAccumAttr();
  if (failed(checkOrder(emitError, accum, input.getElementType())))
    return failure();
  if (!accum || accum.isChain())
    return success();
  if (accum.getKernel() &&
      failed(checkRegionSizes(emitError, "`kernel` of `accum`",
                              weights.getShape().drop_front(2),
                              accum.getKernel())))
    return failure();
  pop::detail::ConvBlocks blocks(weights.getShape(), accum);
  return checkNumParts(emitError, accum, blocks.getNumBlocks());
}

bool ConvOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return pop::detail::isRoundedOrNot(inferred, actual);
}

LogicalResult ConvPartialsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  // c1 to c4
  FailureOr<SmallVector<int64_t>> shape =
      inferConv(emitError, input, weights,
                {weights.getShape().drop_front(2),
                 adaptor.getStrides(),
                 adaptor.getDilations(),
                 {}},
                adaptor.getGroups());
  if (failed(shape))
    return failure();
  // c5
  int64_t block = adaptor.getChannels(), channels = weights.getDimSize(1);
  if (block < 1)
    return emitError("expects `channels` to be positive but got ", block);
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (failed(
          checkRegionSizes(emitError, "`kernel`", kernel, adaptor.getKernel())))
    return failure();
  // c6
  SmallVector<int64_t> blocks;
  for (auto [size, part] : llvm::zip_equal(kernel, adaptor.getKernel()))
    blocks.push_back(size / part);
  blocks.push_back(llvm::divideCeilSigned(channels, block));
  shape->insert(shape->begin(), blocks.begin(), blocks.end());
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, *shape, getComputeType(input.getElementType()));
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}
