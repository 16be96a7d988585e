//===- StableHLOContractions.cpp - dot_general and convolution ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOChecks.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// Dimensions that are in none of the lists.
static SmallVector<int64_t> getFreeDims(int64_t rank, ArrayRef<int64_t> a,
                                        ArrayRef<int64_t> b) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(a, dim) && !llvm::is_contained(b, dim))
      dims.push_back(dim);
  return dims;
}

LogicalResult DotGeneralOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  DotDimensionNumbersAttr dims = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = dims.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = dims.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = dims.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = dims.getRhsContractingDimensions();
  if (lhsBatching.size() != rhsBatching.size()) // c1
    return emitOpError("expects as many batching dimensions of lhs as of rhs "
                       "but got ")
           << lhsBatching.size() << " and " << rhsBatching.size();
  if (lhsContracting.size() != rhsContracting.size()) // c2
    return emitOpError(
               "expects as many contracting dimensions of lhs as of rhs "
               "but got ")
           << lhsContracting.size() << " and " << rhsContracting.size();
  auto allLhs =
      llvm::to_vector(llvm::concat<const int64_t>(lhsBatching, lhsContracting));
  auto allRhs =
      llvm::to_vector(llvm::concat<const int64_t>(rhsBatching, rhsContracting));
  if (failed(checkDims(getLoc(), "dimensions of lhs", allLhs, lhs.getRank())) ||
      failed(checkDims(getLoc(), "dimensions of rhs", allRhs,
                       rhs.getRank()))) // c3 to c8
    return failure();
  for (auto [i, j] : llvm::zip(allLhs, allRhs))
    if (!areCompatibleSizes(lhs.getDimSize(i), rhs.getDimSize(j))) // c9, c10
      return emitOpError("expects dimension ")
             << i << " of lhs and dimension " << j
             << " of rhs to have the same size but got " << lhs.getDimSize(i)
             << " and " << rhs.getDimSize(j);
  if (ArrayAttr precision = getPrecisionConfigAttr())
    if (!precision.empty() && precision.size() != 2) // c11
      return emitOpError("expects 2 precisions or none but got ")
             << precision.size();
  SmallVector<int64_t> shape; // c12
  for (int64_t dim : lhsBatching)
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getFreeDims(lhs.getRank(), lhsBatching, lhsContracting))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getFreeDims(rhs.getRank(), rhsBatching, rhsContracting))
    shape.push_back(rhs.getDimSize(dim));
  if (failed(verifyCompatibleShape(shape, result.getShape())))
    return emitOpError("expects a result of shape [")
           << shape << "] but got " << result;
  if (lhs.getElementType() != rhs.getElementType()) // c13
    return emitOpError("expects operands with elements of one type but got ")
           << lhs << " and " << rhs;
  return success();
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

int64_t ConvolutionOp::getWindowStride(unsigned dim) {
  return getWindowStrides() ? (*getWindowStrides())[dim] : 1;
}

int64_t ConvolutionOp::getLhsDilation(unsigned dim) {
  std::optional<ArrayRef<int64_t>> dilation = getLhsDilation();
  return dilation ? (*dilation)[dim] : 1;
}

int64_t ConvolutionOp::getRhsDilation(unsigned dim) {
  std::optional<ArrayRef<int64_t>> dilation = getRhsDilation();
  return dilation ? (*dilation)[dim] : 1;
}

std::pair<int64_t, int64_t> ConvolutionOp::getPadding(unsigned dim) {
  std::optional<DenseIntElementsAttr> padding = getPadding();
  if (!padding)
    return {0, 0};
  return {padding->getValues<int64_t>()[{dim, 0}],
          padding->getValues<int64_t>()[{dim, 1}]};
}

/// The dimension numbers of one tensor: all of its dimensions, once each.
static LogicalResult checkConvDims(Operation *op, StringRef name, int64_t first,
                                   int64_t second, ArrayRef<int64_t> spatial,
                                   int64_t rank) {
  SmallVector<int64_t> dims(spatial);
  dims.append({first, second});
  if (failed(checkCount(op->getLoc(), name, dims.size(), rank)))
    return failure();
  return checkDims(op->getLoc(), name, dims, rank);
}

/// The lists of window attributes have one entry for each spatial dimension,
/// strides and dilations are positive.
static LogicalResult checkWindow(ConvolutionOp op, int64_t rank) {
  auto checkPositive = [&](StringRef name,
                           std::optional<ArrayRef<int64_t>> list) {
    if (!list)
      return success();
    if (failed(checkCount(op.getLoc(), name, list->size(), rank)))
      return failure();
    for (int64_t value : *list)
      if (value <= 0)
        return LogicalResult(op.emitOpError("expects positive ")
                             << name << " but got " << value);
    return success();
  };
  if (failed(checkPositive("window strides", op.getWindowStrides())) ||
      failed(checkPositive("lhs dilations", op.getLhsDilation())) ||
      failed(checkPositive("rhs dilations", op.getRhsDilation())))
    return failure();
  if (std::optional<ArrayRef<bool>> reversal = op.getWindowReversal())
    if (failed(checkCount(op.getLoc(), "window reversals", reversal->size(),
                          rank)))
      return failure();
  if (std::optional<DenseIntElementsAttr> padding = op.getPadding())
    if (padding->getType().getShape() != ArrayRef<int64_t>{rank, 2})
      return op.emitOpError("expects padding of shape [")
             << rank << ", 2] but got " << padding->getType();
  return success();
}

/// The number of windows, or a dynamic size.
static int64_t getNumWindows(ConvolutionOp op, unsigned dim, int64_t size,
                             int64_t window) {
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(window))
    return ShapedType::kDynamic;
  auto dilate = [](int64_t extent, int64_t dilation) {
    return extent == 0 ? 0 : (extent - 1) * dilation + 1;
  };
  auto [low, high] = op.getPadding(dim);
  int64_t padded = low + dilate(size, op.getLhsDilation(dim)) + high;
  int64_t dilated = dilate(window, op.getRhsDilation(dim));
  if (padded == 0 || dilated > padded)
    return 0;
  return (padded - dilated) / op.getWindowStride(dim) + 1;
}

LogicalResult ConvolutionOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  ConvDimensionNumbersAttr dims = getDimensionNumbers();
  int64_t rank = lhs.getRank();
  if (rank < 2 || rhs.getRank() != rank || result.getRank() != rank) // c1
    return emitOpError("expects tensors of one rank, at least 2, but got ")
           << lhs << ", " << rhs << " and " << result;
  if (failed(checkWindow(*this, rank - 2)) || // c2 to c9
      failed(checkConvDims(*this, "input dimensions",
                           dims.getInputBatchDimension(),
                           dims.getInputFeatureDimension(),
                           dims.getInputSpatialDimensions(), rank)) ||
      failed(checkConvDims(*this, "kernel dimensions",
                           dims.getKernelInputFeatureDimension(),
                           dims.getKernelOutputFeatureDimension(),
                           dims.getKernelSpatialDimensions(), rank)) ||
      failed(checkConvDims(*this, "output dimensions",
                           dims.getOutputBatchDimension(),
                           dims.getOutputFeatureDimension(),
                           dims.getOutputSpatialDimensions(), rank)))
    return failure();
  int64_t featureGroups = getFeatureGroupCount();
  int64_t batchGroups = getBatchGroupCount();
  if (featureGroups <= 0 || batchGroups <= 0 ||
      (featureGroups > 1 && batchGroups > 1)) // c21 to c23
    return emitOpError("expects positive group counts, at least one of them 1, "
                       "but got feature_group_count ")
           << featureGroups << " and batch_group_count " << batchGroups;
  int64_t batch = lhs.getDimSize(dims.getInputBatchDimension());
  int64_t feature = lhs.getDimSize(dims.getInputFeatureDimension());
  int64_t kernelIn = rhs.getDimSize(dims.getKernelInputFeatureDimension());
  int64_t kernelOut = rhs.getDimSize(dims.getKernelOutputFeatureDimension());
  auto isMultiple = [](int64_t size, int64_t of) {
    return ShapedType::isDynamic(size) || size % of == 0;
  };
  if (!isMultiple(batch, batchGroups) || !isMultiple(feature, featureGroups) ||
      !isMultiple(kernelOut, batchGroups) ||
      !isMultiple(kernelOut, featureGroups)) { // c10, c11, c15, c16
    auto getText = [](int64_t size) {
      return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
    };
    return emitOpError("expects the number of batch groups to divide the batch "
                       "size, the number of feature groups to divide the input "
                       "features, and both numbers to divide the output "
                       "features but got batch_group_count ")
           << batchGroups << ", feature_group_count " << featureGroups
           << ", batch size " << getText(batch) << ", " << getText(feature)
           << " input features and " << getText(kernelOut)
           << " output features";
  }
  if (!ShapedType::isDynamic(feature) &&
      !areCompatibleSizes(kernelIn, feature / featureGroups)) // c14
    return emitOpError("expects a kernel with ")
           << feature / featureGroups << " input features but got " << kernelIn;
  SmallVector<int64_t> shape(rank);
  shape[dims.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / batchGroups;
  shape[dims.getOutputFeatureDimension()] = kernelOut;
  for (auto [i, in, kernel, out] : llvm::enumerate(
           dims.getInputSpatialDimensions(), dims.getKernelSpatialDimensions(),
           dims.getOutputSpatialDimensions()))
    shape[out] =
        getNumWindows(*this, i, lhs.getDimSize(in), rhs.getDimSize(kernel));
  if (failed(verifyCompatibleShape(shape, result.getShape()))) // c25, c26
    return emitOpError("expects a result of shape [")
           << shape << "] but got " << result;
  return success();
}
