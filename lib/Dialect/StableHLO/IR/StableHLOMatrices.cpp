//===- StableHLOMatrices.cpp - Factors of matrices ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHLOChecks.h"

using namespace mlir;
using namespace mlir::ipu::stablehlo;

/// Whether the type has square matrices in its last two dimensions.
static bool hasSquareMatrices(RankedTensorType type) {
  int64_t rank = type.getRank();
  return rank >= 2 && areCompatibleSizes(type.getDimSize(rank - 2),
                                         type.getDimSize(rank - 1));
}

LogicalResult
CholeskyOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = cast<RankedTensorType>(adaptor.getA().getType());
  if (!hasSquareMatrices(type)) // c2, c3
    return emitOptionalError(location, "expects square matrices but got ",
                             type);
  inferred.push_back(type); // c1
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  if (a.getElementType() != b.getElementType() || // c1
      a.getRank() != b.getRank())                 // c2
    return emitOptionalError(
        location, "expects operands of the same rank and element type but got ",
        a, " and ", b);
  if (!hasSquareMatrices(a)) // c2, c3
    return emitOptionalError(location, "expects square matrices but got ", a);
  int64_t numBatch = a.getRank() - 2;
  int64_t inner = adaptor.getLeftSide() ? numBatch : numBatch + 1;
  for (int64_t dim = 0; dim < numBatch; ++dim)
    if (!areCompatibleSizes(a.getDimSize(dim), b.getDimSize(dim))) // c3
      return emitOptionalError(location, "expects batch dimension ", dim,
                               " of a and b to have the same size but got ", a,
                               " and ", b);
  if (!areCompatibleSizes(a.getDimSize(inner), b.getDimSize(inner))) // c3
    return emitOptionalError(
        location, "with left_side = ", adaptor.getLeftSide() ? "true" : "false",
        " expects dimension ", inner,
        " of a and b to have the same size but got ", a, " and ", b);
  inferred.push_back(b); // c4
  return success();
}
