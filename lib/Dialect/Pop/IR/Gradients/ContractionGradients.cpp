//===- ContractionGradients.cpp - Gradients of matmul -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of the products are cast to the gradient's element type.
// Products are not rounded before they are summed over broadcast dimensions.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/Serialization.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <array>
#include <numeric>

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildOperand;
using pop::detail::getTypeOf;

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

static Value buildMatrixTranspose(GradientBuilder &b, Value matrices) {
  SmallVector<int64_t> permutation(getTypeOf(matrices).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return b.create<TransposeOp>(matrices, permutation);
}

/// The dimensions of a gradient's product that correspond to the dimensions of
/// the forward product, in the order of SerializeMode: m, k, n.
using DimsOfGradient = std::array<SerializeMode, 3>;

/// dlhs[m, k] sums over n, and drhs[k, n] sums over m.
static constexpr DimsOfGradient kDimsOfLhs = {SerializeMode::InputChannels,
                                              SerializeMode::OutputChannels,
                                              SerializeMode::ReducingDim};
static constexpr DimsOfGradient kDimsOfRhs = {SerializeMode::ReducingDim,
                                              SerializeMode::InputChannels,
                                              SerializeMode::OutputChannels};

/// Marks `product`, a gradient of `op`, so that it is divided along the same
/// dimension as `op`.
static void inheritSerialization(MatmulOp op, MatmulOp product,
                                 const DimsOfGradient &dims) {
  std::optional<Serialization> mark = getSerialization(op);
  if (mark)
    setSerialization(product, {dims[static_cast<size_t>(mark->mode)],
                               mark->factor, /*isLimit=*/true});
}

/// The product of matrices of which one has all batch dimensions, which is not
/// rounded. It is a gradient of `op`.
static Value buildProduct(GradientBuilder &b, MatmulOp op, Value lhs, Value rhs,
                          const DimsOfGradient &dims) {
  ArrayRef<int64_t> lhsShape = getTypeOf(lhs).getShape();
  ArrayRef<int64_t> rhsShape = getTypeOf(rhs).getShape();
  size_t rank = std::max(lhsShape.size(), rhsShape.size());
  SmallVector<int64_t> shape = padShape(lhsShape, rank);
  for (auto [size, other] : llvm::zip_equal(shape, padShape(rhsShape, rank)))
    size = size == 1 ? other : size;
  shape[rank - 2] = lhsShape[lhsShape.size() - 2];
  shape[rank - 1] = rhsShape.back();
  Type type = getComputeType(getTypeOf(lhs).getElementType());
  auto product =
      MatmulOp::create(b, RankedTensorType::get(shape, type), lhs, rhs,
                       /*acc=*/Value(), AccumAttr());
  inheritSerialization(op, product, dims);
  return product;
}

/// `matrices` as one, its rows being those of all.
static Value buildOneMatrix(GradientBuilder &b, Value matrices) {
  ArrayRef<int64_t> shape = getTypeOf(matrices).getShape();
  return b.reshape(matrices, {computeProduct(shape.drop_back()), shape.back()});
}

static Value buildRhsGradient(GradientBuilder &b, MatmulOp op, Value dy) {
  Value lhs = buildOperand(b, op.getLhs(), dy);
  RankedTensorType rhs = op.getRhs().getType();
  if (pop::detail::getBatch(rhs) != 1 ||
      pop::detail::getBatch(getTypeOf(dy)) == 1)
    return buildProduct(b, op, buildMatrixTranspose(b, lhs), dy, kDimsOfRhs);
  // The sum over the batch is a part of the product.
  lhs = buildMatrixTranspose(b, buildOneMatrix(b, lhs));
  return b.reshape(buildProduct(b, op, lhs, buildOneMatrix(b, dy), kDimsOfRhs),
                   rhs.getShape());
}

LogicalResult MatmulOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  if (getAcc())
    b.addGradient(getAcc(), dy);
  if (b.isNeeded(getLhs()))
    b.addGradient(getLhs(), buildProduct(b, *this, dy,
                                         buildMatrixTranspose(
                                             b, buildOperand(b, getRhs(), dy)),
                                         kDimsOfLhs));
  if (b.isNeeded(getRhs()))
    b.addGradient(getRhs(), buildRhsGradient(b, *this, dy));
  return success();
}
