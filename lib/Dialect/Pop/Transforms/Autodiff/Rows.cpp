//===- Rows.cpp - Saved values of iterations --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// `row`, 0-d, as the start of a slice along one dimension.
static Value buildStart(OpBuilder &b, Location loc, Value row) {
  auto type = cast<RankedTensorType>(row.getType());
  return ReshapeOp::create(b, loc, type.clone({1}), row);
}

/// The type of `numRows` rows of `value`.
static RankedTensorType getRowsType(Value value, int64_t numRows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape{numRows};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

SmallVector<Value> mlir::pop::buildBuffers(OpBuilder &b,
                                           ArrayRef<RegionScope::Kept> kept,
                                           int64_t numRows) {
  // What takes a row is there, too, if no iteration executes it.
  numRows = std::max<int64_t>(numRows, 1);
  SmallVector<Value> buffers;
  for (RegionScope::Kept entry : kept)
    buffers.push_back(
        buildZeros(b, entry.value.getLoc(), getRowsType(entry.value, numRows)));
  return buffers;
}

SmallVector<Value> mlir::pop::storeRows(OpBuilder &b,
                                        ArrayRef<RegionScope::Kept> kept,
                                        ValueRange buffers, Value row) {
  Value start = buildStart(b, row.getLoc(), row);
  SmallVector<Value> stored;
  for (auto [entry, buffer] : llvm::zip_equal(kept, buffers)) {
    Value value = entry.value;
    Location loc = value.getLoc();
    Value asRow =
        ReshapeOp::create(b, loc, getRowsType(value, /*numRows=*/1), value);
    stored.push_back(DynamicUpdateOp::create(b, loc, buffer, asRow, start,
                                             ArrayRef<int64_t>{0}));
  }
  return stored;
}

void mlir::pop::loadRows(ArrayRef<RegionScope::Kept> kept, ValueRange buffers,
                         Value row, Scope &scope) {
  if (kept.empty())
    return;
  PopBuilder b(row.getDefiningOp());
  b.setInsertionPointAfterValue(row);
  Value start = buildStart(b, row.getLoc(), row);
  for (auto [entry, buffer] : llvm::zip_equal(kept, buffers)) {
    Location loc = entry.value.getLoc();
    Value asRow =
        DynamicSliceOp::create(b, loc, scope.getForward(buffer), start,
                               ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
    RegionScope::replacePlaceholder(
        entry, ReshapeOp::create(b, loc, entry.value.getType(), asRow),
        scope.getContext());
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void mlir::pop::buildCountCheck(OpBuilder &builder, Location loc, Value count,
                                int64_t limit) {
  PopBuilder b(builder, loc);
  Value isAllowed =
      b.create<LessEqualOp>(count, b.splat(b.getI32IntegerAttr(limit)));
  auto type = cast<RankedTensorType>(isAllowed.getType());
  b.create<ExpectEqOp>(isAllowed, DenseElementsAttr::get(type, true));
}

LogicalResult mlir::pop::reportCount(Operation *loop) {
  return loop->emitOpError(
      "cannot be differentiated: expects fewer than 2^31 iterations");
}

scf::ForOp mlir::pop::buildLoop(OpBuilder &b, Location loc, Value count,
                                int64_t limit, ValueRange inits) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  if (!count) {
    Value upper = arith::ConstantIndexOp::create(b, loc, limit);
    return scf::ForOp::create(b, loc, zero, upper, one, inits);
  }
  Value scalar = tensor::ExtractOp::create(b, loc, count, ValueRange());
  Value upper = arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar);
  auto loop = scf::ForOp::create(b, loc, zero, upper, one, inits);
  // So that it can be differentiated itself.
  loop->setAttr(PopDialect::kMaxTripCountAttrName, b.getI64IntegerAttr(limit));
  return loop;
}

void mlir::pop::fillGradients(OpBuilder &b, Location loc, TypeRange types,
                              MutableArrayRef<Value> gradients) {
  for (auto [type, gradient] : llvm::zip_equal(types, gradients))
    if (!gradient)
      gradient = buildZeros(b, loc, getGradientType(type));
}
