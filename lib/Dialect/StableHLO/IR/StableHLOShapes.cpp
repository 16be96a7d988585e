//===- StableHLOShapes.cpp - Constants and shapes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOChecks.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

namespace stablehlo = mlir::ipu::stablehlo;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult stablehlo::checkDims(std::optional<Location> location,
                                   StringRef name, ArrayRef<int64_t> dims,
                                   int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(location, "expects ", name, " in [0, ", rank,
                               ") but got ", dim);
    if (seen.test(dim))
      return emitOptionalError(location, "expects no dimension twice in ", name,
                               " but got ", dim, " twice");
    seen.set(dim);
  }
  return success();
}

LogicalResult stablehlo::checkSortedDims(std::optional<Location> location,
                                         StringRef name, ArrayRef<int64_t> dims,
                                         int64_t rank) {
  if (!llvm::is_sorted(dims))
    return emitOptionalError(location, "expects ", name,
                             " to be sorted but got [", dims, "]");
  return checkDims(location, name, dims, rank);
}

LogicalResult stablehlo::checkCount(std::optional<Location> location,
                                    StringRef name, size_t count,
                                    int64_t rank) {
  if (int64_t(count) != rank)
    return emitOptionalError(location, "expects ", rank, " ", name, " but got ",
                             count);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc location;
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.getCurrentLocation(&location) || parser.parseAttribute(value))
    return failure();
  result.getOrAddProperties<Properties>().value = value;
  Type type = value.getType();
  if (succeeded(parser.parseOptionalColon()) && parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
  if (getType() != getValue().getType())
    printer << " : " << getType();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  int64_t dim = getIotaDimension();
  if (dim < 0 || dim >= type.getRank()) // c1
    return emitOpError("expects iota_dimension in [0, ")
           << type.getRank() << ") but got " << dim;
  return success();
}

//===----------------------------------------------------------------------===//
// Renaming of elements
//===----------------------------------------------------------------------===//

/// Bits of an element; two numbers for a complex one.
static int64_t getBitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t from = getBitWidth(operand.getElementType());
  int64_t to = getBitWidth(result.getElementType());
  auto mismatch = [&] { // c1
    return emitOpError("expects equal shapes, except for a last dimension that "
                       "divides the wider elements into the narrower ones, but "
                       "got ")
           << operand << " and " << result;
  };
  RankedTensorType wide = from >= to ? operand : result;
  RankedTensorType narrow = from >= to ? result : operand;
  ArrayRef<int64_t> shape = narrow.getShape();
  if (from != to) {
    int64_t ratio = std::max(from, to) / std::min(from, to);
    if (shape.empty() || std::max(from, to) % std::min(from, to) != 0 ||
        !areCompatibleSizes(shape.back(), ratio))
      return mismatch();
    shape = shape.drop_back();
  }
  if (failed(verifyCompatibleShape(wide.getShape(), shape)))
    return mismatch();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto result = cast<RankedTensorType>(getType());
  if (operand.getElementType() != result.getElementType()) // c1
    return emitOpError("expects elements of one type but got ")
           << operand << " and " << result;
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      operand.getNumElements() != result.getNumElements()) // c2
    return emitOpError("expects the same number of elements but got ")
           << operand.getNumElements() << " and " << result.getNumElements();
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto result = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (operand.getElementType() != result.getElementType()) // c1
    return emitOpError("expects elements of one type but got ")
           << operand << " and " << result;
  if (failed(checkCount(getLoc(), "broadcast dimensions", dims.size(),
                        operand.getRank())) || // c2
      failed(checkDims(getLoc(), "broadcast dimensions", dims,
                       result.getRank()))) // c3, c4
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(i);
    if (size != 1 && !areCompatibleSizes(size, result.getDimSize(dim))) // c5
      return emitOpError("expects dimension ")
             << i << " of the operand to have size 1 or "
             << result.getDimSize(dim) << " (the size of dimension " << dim
             << " of the result) but got " << size;
  }
  return success();
}

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(checkCount(location, "permuted dimensions", permutation.size(),
                        type.getRank())) ||
      failed(checkDims(location, "permuted dimensions", permutation,
                       type.getRank()))) // c2
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  inferred.push_back(type.clone(shape));
  return success();
}

LogicalResult
ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(checkDims(location, "reversed dimensions", adaptor.getDimensions(),
                       type.getRank()))) // c2, c3
    return failure();
  inferred.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult ConcatenateOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty()) // c3
    return emitOptionalError(location, "expects at least one operand");
  auto first = cast<RankedTensorType>(operands[0].getType());
  int64_t dim = adaptor.getDimension();
  if (dim < 0 || dim >= first.getRank()) // c4
    return emitOptionalError(location, "expects dimension in [0, ",
                             first.getRank(), ") but got ", dim);
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool fits = type.getElementType() == first.getElementType() &&
                type.getRank() == first.getRank(); // c1
    for (int64_t i = 0; fits && i < type.getRank(); ++i) {
      if (i == dim)
        continue;
      fits = areCompatibleSizes(type.getDimSize(i), shape[i]); // c2
      if (ShapedType::isDynamic(shape[i]))
        shape[i] = type.getDimSize(i);
    }
    if (!fits)
      return emitOptionalError(location,
                               "expects operands that differ in dimension ",
                               dim, " only but got ", first, " and ", type);
    int64_t size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim]))
      shape[dim] = ShapedType::kDynamic;
    else
      shape[dim] += size;
  }
  inferred.push_back(first.clone(shape));
  return success();
}

LogicalResult
SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  if (failed(checkCount(location, "start indices", starts.size(),
                        type.getRank())) ||
      failed(checkCount(location, "limit indices", limits.size(),
                        type.getRank())) ||
      failed(checkCount(location, "strides", strides.size(),
                        type.getRank()))) // c2
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, start, limit, stride] :
       llvm::enumerate(starts, limits, strides)) {
    int64_t size = type.getDimSize(i);
    if (start < 0 || start > limit ||
        (!ShapedType::isDynamic(size) && limit > size)) // c3
      return emitOptionalError(
          location, "expects 0 <= start <= limit <= ", size, " in dimension ",
          i, " but got start ", start, " and limit ", limit);
    if (stride <= 0) // c4
      return emitOptionalError(location,
                               "expects a positive stride in "
                               "dimension ",
                               i, " but got ", stride);
    shape.push_back(llvm::divideCeil(limit - start, stride));
  }
  inferred.push_back(type.clone(shape));
  return success();
}

LogicalResult
PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                        ValueRange operands, DictionaryAttr attributes,
                        OpaqueProperties properties, RegionRange regions,
                        SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  Type padding = getElementTypeOrSelf(adaptor.getPaddingValue());
  if (padding != type.getElementType()) // c1
    return emitOptionalError(location, "expects a padding value of type ",
                             type.getElementType(), " but got ", padding);
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> high = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interior = adaptor.getInteriorPadding();
  for (ArrayRef<int64_t> list : {low, high, interior})
    if (failed(checkCount(location, "paddings", list.size(),
                          type.getRank()))) // c2
      return failure();
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (interior[i] < 0) // c3
      return emitOptionalError(location,
                               "expects no negative interior padding "
                               "but got ",
                               interior[i], " in dimension ", i);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    // Two's complement wraps, so that absurd numbers do not crash.
    uint64_t padded = uint64_t(low[i]) + uint64_t(high[i]) + uint64_t(size) +
                      uint64_t(std::max<int64_t>(size - 1, 0)) * interior[i];
    if (int64_t(padded) < 0) // c4
      return emitOptionalError(location,
                               "expects padding that leaves a size of "
                               "at least 0 in dimension ",
                               i, " but got ", int64_t(padded));
    shape.push_back(padded);
  }
  inferred.push_back(type.clone(shape));
  return success();
}

/// Start indices of one type, one for each dimension.
static LogicalResult checkStartIndices(std::optional<Location> location,
                                       ValueRange indices, int64_t rank) {
  if (failed(checkCount(location, "start indices", indices.size(), rank)))
    return failure();
  if (!llvm::all_equal(indices.getTypes()))
    return emitOptionalError(location,
                             "expects start indices of one type but got (",
                             indices.getTypes(), ")");
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (failed(checkStartIndices(location, adaptor.getStartIndices(),
                               type.getRank())) || // c2, c3
      failed(checkCount(location, "slice sizes", sizes.size(),
                        type.getRank()))) // c2
    return failure();
  for (auto [i, slice, size] : llvm::enumerate(sizes, type.getShape()))
    if (slice < 0 || (!ShapedType::isDynamic(size) && slice > size)) // c4
      return emitOptionalError(location, "expects a slice size in [0, ", size,
                               "] in dimension ", i, " but got ", slice);
  inferred.push_back(type.clone(sizes));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto update = cast<RankedTensorType>(adaptor.getUpdate().getType());
  bool fits = update.getElementType() == type.getElementType() && // c2
              update.getRank() == type.getRank();                 // c3
  for (int64_t i = 0; fits && i < type.getRank(); ++i)
    fits = ShapedType::isDynamic(type.getDimSize(i)) ||
           ShapedType::isDynamic(update.getDimSize(i)) ||
           update.getDimSize(i) <= type.getDimSize(i); // c6
  if (!fits)
    return emitOptionalError(location, "expects an update that fits in ", type,
                             " but got ", update);
  if (failed(checkStartIndices(location, adaptor.getStartIndices(),
                               type.getRank()))) // c4, c5
    return failure();
  inferred.push_back(type);
  return success();
}
