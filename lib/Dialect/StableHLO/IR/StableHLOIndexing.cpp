//===- StableHLOIndexing.cpp - gather and scatter -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOChecks.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

/// What gather and scatter have in common: how a tensor's dimensions are taken
/// apart into those of a slice (window), those without (collapsed), batching
/// ones, and those that indices address.
namespace {
struct IndexedDims {
  RankedTensorType indexed;
  RankedTensorType indices;
  ArrayRef<int64_t> collapsed;
  ArrayRef<int64_t> batching;
  ArrayRef<int64_t> indicesBatching;
  ArrayRef<int64_t> indexMap;
  int64_t indexVectorDim;
  std::optional<Location> location;

  LogicalResult check() const;
  /// The shape of the indices without the index vector.
  SmallVector<int64_t> getBatchShape() const;
  /// The dimensions of a slice that the result (the updates) has.
  SmallVector<int64_t> getWindowDims() const;
};
} // namespace

LogicalResult IndexedDims::check() const {
  int64_t rank = indexed.getRank();
  if (indexVectorDim < 0 || indexVectorDim > indices.getRank())
    return emitOptionalError(location, "expects index_vector_dim in [0, ",
                             indices.getRank(), "] but got ", indexVectorDim);
  if (failed(checkSortedDims(location, "collapsed (inserted) dimensions",
                             collapsed, rank)) ||
      failed(
          checkSortedDims(location, "batching dimensions", batching, rank)) ||
      failed(checkDims(location, "batching dimensions of the indices",
                       indicesBatching, indices.getRank())) ||
      failed(checkDims(location, "indexed dimensions", indexMap, rank)))
    return failure();
  auto both = llvm::to_vector(llvm::concat<const int64_t>(collapsed, batching));
  if (failed(checkDims(location, "collapsed (inserted) and batching dimensions",
                       both, rank)))
    return failure();
  auto mapped =
      llvm::to_vector(llvm::concat<const int64_t>(indexMap, batching));
  if (failed(
          checkDims(location, "indexed and batching dimensions", mapped, rank)))
    return failure();
  if (llvm::is_contained(indicesBatching, indexVectorDim))
    return emitOptionalError(location, "expects index_vector_dim ",
                             indexVectorDim, " not to be a batching dimension");
  if (failed(checkCount(location, "batching dimensions of the indices",
                        indicesBatching.size(), batching.size())))
    return failure();
  for (auto [i, j] : llvm::zip(batching, indicesBatching))
    if (!areCompatibleSizes(indexed.getDimSize(i), indices.getDimSize(j)))
      return emitOptionalError(
          location, "expects batching dimensions of one size but got ",
          indexed.getDimSize(i), " and ", indices.getDimSize(j));
  int64_t numIndices = indexVectorDim < indices.getRank()
                           ? indices.getDimSize(indexVectorDim)
                           : 1;
  if (!areCompatibleSizes(numIndices, indexMap.size()))
    return emitOptionalError(location, "expects ", numIndices,
                             " indexed dimensions, one for each element of an "
                             "index vector, but got ",
                             indexMap.size());
  return success();
}

SmallVector<int64_t> IndexedDims::getBatchShape() const {
  SmallVector<int64_t> shape(indices.getShape());
  if (indexVectorDim < indices.getRank())
    shape.erase(shape.begin() + indexVectorDim);
  return shape;
}

SmallVector<int64_t> IndexedDims::getWindowDims() const {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < indexed.getRank(); ++dim)
    if (!llvm::is_contained(collapsed, dim) &&
        !llvm::is_contained(batching, dim))
      dims.push_back(dim);
  return dims;
}

/// A shape with `window` at the positions `windowDims` and `batch` at the
/// others.
static SmallVector<int64_t> placeDims(ArrayRef<int64_t> windowDims,
                                      ArrayRef<int64_t> window,
                                      ArrayRef<int64_t> batch) {
  SmallVector<int64_t> shape;
  for (int64_t i = 0, e = window.size() + batch.size(); i < e; ++i) {
    ArrayRef<int64_t> &from =
        llvm::is_contained(windowDims, i) ? window : batch;
    shape.push_back(from.front());
    from = from.drop_front();
  }
  return shape;
}

LogicalResult
GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  GatherDimensionNumbersAttr dims = adaptor.getDimensionNumbers();
  IndexedDims indexed{
      cast<RankedTensorType>(adaptor.getOperand().getType()),
      cast<RankedTensorType>(adaptor.getStartIndices().getType()),
      dims.getCollapsedSliceDims(),
      dims.getOperandBatchingDims(),
      dims.getStartIndicesBatchingDims(),
      dims.getStartIndexMap(),
      dims.getIndexVectorDim(),
      location};
  if (failed(indexed.check()))
    return failure();
  RankedTensorType type = indexed.indexed;
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (failed(checkCount(location, "slice sizes", sizes.size(), type.getRank())))
    return failure();
  for (auto [i, slice, size] : llvm::enumerate(sizes, type.getShape())) {
    bool isSqueezed = llvm::is_contained(indexed.collapsed, i) ||
                      llvm::is_contained(indexed.batching, i);
    int64_t limit = isSqueezed ? 1 : size;
    if (slice < 0 || (!ShapedType::isDynamic(limit) && slice > limit))
      return emitOptionalError(location, "expects a slice size in [0, ", limit,
                               "] in dimension ", i, " but got ", slice);
  }
  SmallVector<int64_t> window;
  for (int64_t dim : indexed.getWindowDims())
    window.push_back(sizes[dim]);
  SmallVector<int64_t> batch = indexed.getBatchShape();
  ArrayRef<int64_t> offsetDims = dims.getOffsetDims();
  if (failed(checkCount(location, "offset dimensions", offsetDims.size(),
                        window.size())) ||
      failed(checkSortedDims(location, "offset dimensions", offsetDims,
                             window.size() + batch.size())))
    return failure();
  inferred.push_back(RankedTensorType::get(placeDims(offsetDims, window, batch),
                                           type.getElementType()));
  return success();
}

LogicalResult
ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "expects at least one input");
  ScatterDimensionNumbersAttr dims = adaptor.getScatterDimensionNumbers();
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  IndexedDims indexed{
      first,
      cast<RankedTensorType>(adaptor.getScatterIndices().getType()),
      dims.getInsertedWindowDims(),
      dims.getInputBatchingDims(),
      dims.getScatterIndicesBatchingDims(),
      dims.getScatterDimsToOperandDims(),
      dims.getIndexVectorDim(),
      location};
  if (failed(indexed.check()))
    return failure();
  SmallVector<int64_t> windowDims = indexed.getWindowDims();
  SmallVector<int64_t> batch = indexed.getBatchShape();
  ArrayRef<int64_t> updateDims = dims.getUpdateWindowDims();
  int64_t updateRank = windowDims.size() + batch.size();
  if (failed(checkCount(location, "update window dimensions", updateDims.size(),
                        windowDims.size())) ||
      failed(checkSortedDims(location, "update window dimensions", updateDims,
                             updateRank)))
    return failure();
  SmallVector<Type> elementTypes;
  for (auto [input, update] :
       llvm::zip(adaptor.getInputs(), adaptor.getUpdates())) {
    auto inputType = cast<RankedTensorType>(input.getType());
    auto updateType = cast<RankedTensorType>(update.getType());
    if (failed(verifyCompatibleShape(first, inputType)))
      return emitOptionalError(location, "expects inputs of one shape but got ",
                               first, " and ", inputType);
    bool fits = updateType.getRank() == updateRank &&
                updateType.getElementType() == inputType.getElementType();
    if (fits) {
      SmallVector<int64_t> window;
      for (auto [at, dim] : llvm::zip(updateDims, windowDims)) {
        int64_t size = updateType.getDimSize(at);
        fits &= ShapedType::isDynamic(size) ||
                ShapedType::isDynamic(inputType.getDimSize(dim)) ||
                size <= inputType.getDimSize(dim);
        window.push_back(size);
      }
      fits &= succeeded(verifyCompatibleShape(
          placeDims(updateDims, window, batch), updateType.getShape()));
    }
    if (!fits)
      return emitOptionalError(location, "expects updates that fit the input, ",
                               inputType, ", and the indices, ",
                               indexed.indices, ", but got ", updateType);
    elementTypes.push_back(inputType.getElementType());
    inferred.push_back(inputType);
  }
  return checkCombiner(location, "update computation",
                       adaptor.getUpdateComputation(), elementTypes);
}
