//===- LinearAlgebra.cpp - ONNX operators on matrices ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of rows of a matrix whose determinant is computed. Each
/// row has its own ops.
static constexpr int64_t kMaxRows = 256;

namespace {
/// An elimination of the columns of matrices [B, rows, columns], from the first
/// to the last one. Rows are not exchanged: a row that was a pivot row is not
/// `isFree` any more.
struct Elimination {
  Node &node;
  Value matrix;
  /// 1 or 0 for each row, [B, rows].
  Value isFree;
  /// The product of the pivots, with its sign, [B, 1].
  Value determinant;

  Elimination(Node &node, Value matrix);
  void eliminateColumn();
};
} // namespace

Elimination::Elimination(Node &node, Value matrix)
    : node(node), matrix(matrix),
      isFree(node.splat(1, getElement(matrix),
                        {getDim(matrix, 0), getDim(matrix, 1)})),
      determinant(node.splat(1, getElement(matrix), {getDim(matrix, 0), 1})) {}

/// Removes the first column. The free row with the greatest element of this
/// column is the pivot row.
void Elimination::eliminateColumn() {
  int64_t batch = getDim(matrix, 0), rows = getDim(matrix, 1);
  int64_t columns = getDim(matrix, 2);
  Value column = node.reshape(node.slice(matrix, 2, 0, 1), {batch, rows});
  // Rows that are not free have the lowest magnitude, -1.
  Value magnitude = node.select(node.greater(isFree, node.splatLike(0, isFree)),
                                node.abs(column), node.splatLike(-1, column));
  Value pivotRow = getExtremePair(node, magnitude, /*axis=*/1, /*isMax=*/true,
                                  /*selectLast=*/false)
                       .index;
  Value positions = getPositions(node, column, /*axis=*/1);
  Value isPivot = node.equal(positions, pivotRow);
  Value pivot = node.sum(node.mask(isPivot, column), {1}, /*keepDims=*/true);

  // An expansion along the first column: the sign is that of the position of
  // the pivot row among the free rows.
  Value above = node.sum(node.mask(node.less(positions, pivotRow), isFree), {1},
                         /*keepDims=*/true);
  Value half = node.mul(above, node.splatLike(0.5, above));
  Value isEven = node.equal(half, node.create<pop::FloorOp>({half}));
  determinant =
      node.mul(determinant, node.select(isEven, pivot, node.neg(pivot)));
  if (columns == 1)
    return;

  // If the pivot is 0, so is the determinant, and the factors do not matter.
  Value isZero = node.equal(pivot, node.splatLike(0, pivot));
  Value divisor = node.select(isZero, node.splatLike(1, pivot), pivot);
  isFree = node.select(isPivot, node.splatLike(0, isFree), isFree);
  Value factors = node.mul(node.div(column, divisor), isFree);
  matrix = node.slice(matrix, 2, 1, columns - 1);
  Value row = node.sum(
      node.mask(node.reshape(isPivot, {batch, rows, 1}), matrix), {1}, true);
  matrix =
      node.sub(matrix, node.mul(node.reshape(factors, {batch, rows, 1}), row));
}

static void importDet(Node &node) {
  Value x = node.getInput(0);
  int64_t rank = getRank(x);
  node.require(rank >= 2 && getDim(x, rank - 1) == getDim(x, rank - 2),
               "expects square matrices but got " + quote(x.getType()));
  int64_t rows = getDim(x, rank - 1);
  if (rows > kMaxRows)
    node.unsupported("matrices of more than " + Twine(kMaxRows) + " rows");
  SmallVector<int64_t> shape(getShape(x).drop_back(2));
  node.setResult(buildWide(node, x, [&](Value wide) {
    Elimination elimination(
        node, node.reshape(wide, {getProduct(shape), rows, rows}));
    for (int64_t i = 0; i < rows; ++i)
      elimination.eliminateColumn();
    return node.reshape(elimination.determinant, shape);
  }));
}

ArrayRef<OpEntry> ipu::onnx::getLinearAlgebraOps() {
  static const OpEntry kOps[] = {
      {"Det", 11, 1, 1, 1, importDet,
       "by an elimination with pivots, of up to 256 rows; in f32 for narrower "
       "floats"},
  };
  return kOps;
}
