//===- PopArgReduceOp.cpp - Extreme values and indices ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileForm;
using mlir::ipu::TileSplit;

LogicalResult
ArgReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              Adaptor adaptor,
                              SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto values = cast<RankedTensorType>(adaptor.getValues().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  // c1
  ReduceKind kind = adaptor.getKind();
  if (kind != ReduceKind::Max && kind != ReduceKind::Min)
    return emitError("expects `kind` to be `max` or `min` but got `",
                     stringifyReduceKind(kind), "`");
  // c2
  if (indices.getShape() != values.getShape())
    return emitError("expects `indices` of shape [", values.getShape(),
                     "] but got ", indices);
  // c3
  if (failed(pop::detail::checkAxes(emitError, adaptor.getAxes(),
                                    values.getRank())))
    return failure();
  // c4
  SmallVector<int64_t> shape = pop::detail::getReducedShape(
      values.getShape(), adaptor.getAxes(), adaptor.getKeepDims());
  for (int64_t axis : adaptor.getAxes())
    if (values.getDimSize(axis) == 0 && computeProduct(shape) != 0)
      return emitError("expects at least one element along axis ", axis,
                       " but got ", values);
  // c5
  inferredReturnTypes.push_back(values.clone(shape));
  inferredReturnTypes.push_back(indices.clone(shape));
  return success();
}

/// Returns whether each result is selected from one pair.
static bool selectsOnlyPair(ArgReduceOp op) {
  RankedTensorType type = op.getValues().getType();
  return llvm::all_of(op.getAxes(),
                      [&](int64_t axis) { return type.getDimSize(axis) == 1; });
}

LogicalResult ArgReduceOp::fold(FoldAdaptor,
                                SmallVectorImpl<OpFoldResult> &results) {
  if (!selectsOnlyPair(*this) || getValues().getType() != getValue().getType())
    return failure();
  results.assign({getValues(), getIndices()});
  return success();
}

/// Reduces one axis after the other. The last one is first, so that the first
/// of equal pairs is selected.
FailureOr<SmallVector<Value>> ArgReduceOp::decompose(OpBuilder &builder) {
  Type type = getValues().getType().getElementType();
  if (getAxes().size() == 1 && !selectsOnlyPair(*this) && !type.isBF16())
    return failure();
  PopBuilder b(builder, getLoc());
  // Code for hosts may move elements of bf16 through registers that do not keep
  // denormal numbers.
  Value value = type.isBF16() ? b.widen(getValues()) : getValues();
  Value index = getIndices();
  for (int64_t axis : llvm::reverse(getAxes())) {
    if (getValues().getType().getDimSize(axis) == 1)
      continue;
    auto part = b.create<ArgReduceOp>(getKind(), value, index, axis,
                                      /*keep_dims=*/true, getHighestIndex());
    value = part.getValue();
    index = part.getIndex();
  }
  ArrayRef<int64_t> shape = getValue().getType().getShape();
  return SmallVector<Value>{b.cast(b.reshape(value, shape), type),
                            b.reshape(index, shape)};
}

//===----------------------------------------------------------------------===//
// Codelet
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of the dimensions before the axis, of the axis, and of the
/// dimensions after it.
struct ArgReduceSizes {
  int64_t outer, rows, inner;

  explicit ArgReduceSizes(ArgReduceOp op) {
    ArrayRef<int64_t> shape = op.getValues().getType().getShape();
    int64_t axis = op.getAxes().front();
    outer = computeProduct(shape.take_front(axis));
    rows = shape[axis];
    inner = computeProduct(shape.drop_front(axis + 1));
  }
};
} // namespace

FailureOr<TileForm> ArgReduceOp::getTileForm(ArrayRef<int64_t>) {
  if (getAxes().size() != 1 || getValues().getType().getElementType().isBF16())
    return failure();
  ArgReduceSizes sizes(*this);
  TileForm form;
  form.loops = {sizes.outer, sizes.inner};
  form.inputs.assign(
      2, {{sizes.outer, sizes.rows, sizes.inner}, {{0}, {-1}, {1}}});
  form.results.assign(2, {form.loops, {{0}, {1}}});
  return form;
}

/// Builds the condition that the pair `x` is selected instead of `best`, an
/// earlier pair.
static Value buildIsBetter(OpBuilder &b, Location loc, ArgReduceOp op,
                           ValueRange x, ValueRange best) {
  auto isMoreExtreme = [&](Value value, Value other) {
    return pop::detail::buildIsMoreExtreme(
        b, loc, op.getKind(), op.getValues().getType().getElementType(), value,
        other);
  };
  Value hasBetterIndex = pop::detail::buildIsMoreExtreme(
      b, loc, op.getHighestIndex() ? ReduceKind::Max : ReduceKind::Min,
      op.getIndices().getType().getElementType(), x[1], best[1]);
  Value yes =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI1Type(), 1));
  Value isAtLeast =
      arith::XOrIOp::create(b, loc, isMoreExtreme(best[0], x[0]), yes);
  Value byIndex = arith::AndIOp::create(b, loc, isAtLeast, hasBetterIndex);
  return arith::OrIOp::create(b, loc, isMoreExtreme(x[0], best[0]), byIndex);
}

void ArgReduceOp::buildCodelet(OpBuilder &builder, Location loc,
                               ValueRange buffers, const TileForm &) {
  ValueRange inputs = buffers.take_front(2), results = buffers.drop_front(2);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value rows = memref::DimOp::create(builder, loc, inputs.front(), 1);
  SmallVector<Value> ends;
  for (int64_t i : {0, 1})
    ends.push_back(memref::DimOp::create(builder, loc, results.front(), i));
  scf::buildLoopNest(
      builder, loc, ValueRange{zero, zero}, ends, ValueRange{one, one},
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        auto load = [&](OpBuilder &b, Value row) {
          return llvm::map_to_vector(inputs, [&](Value input) -> Value {
            return memref::LoadOp::create(b, loc, input,
                                          ValueRange{loops[0], row, loops[1]});
          });
        };
        // Rows are selected instead of pairs, so that pairs are only loaded and
        // stored.
        auto loop = scf::ForOp::create(
            b, loc, one, rows, one, zero,
            [&](OpBuilder &b, Location loc, Value row, ValueRange best) {
              SmallVector<Value> own = load(b, row);
              Value isBetter =
                  buildIsBetter(b, loc, *this, own, load(b, best.front()));
              Value selected =
                  arith::SelectOp::create(b, loc, isBetter, row, best.front());
              scf::YieldOp::create(b, loc, selected);
            });
        for (auto [selected, result] :
             llvm::zip_equal(load(b, loop.getResult(0)), results))
          memref::StoreOp::create(b, loc, selected, result, loops);
      });
}

/// A vertex reads and compares both elements of a pair.
CodeletCost ArgReduceOp::getCodeletCost() {
  CodeletCost cost = pop::detail::getCost(*this, CodeletCostKind::Reduce);
  cost.combined = 2 * (getAxes().empty() ? 1 : ArgReduceSizes(*this).rows);
  return cost;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> ArgReduceOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getValues().getType().getNumElements() == 0)
    return splits;
  ArgReduceSizes sizes(*this);
  if (sizes.rows > 3)
    splits.push_back(
        {"blocks", sizes.rows / 2, /*isSerial=*/false, /*isBatched=*/true});
  return splits;
}

/// Returns the number of rows of a block for about `parts` blocks. Blocks of
/// equal size are preferred, because the op then reads one view of its operand.
/// Blocks of unequal size need an exchange, which is worth its time only if
/// there are few results.
static int64_t getBlock(const ArgReduceSizes &sizes, int64_t parts) {
  constexpr int64_t kFewResults = 1024;
  int64_t least = llvm::divideCeilSigned(sizes.rows, parts);
  bool hasFewResults = sizes.outer * sizes.inner <= kFewResults;
  int64_t most = hasFewResults ? 2 * least : sizes.rows;
  for (int64_t block = least; block <= most; ++block)
    if (sizes.rows % block == 0)
      return block;
  return least;
}

/// Selects a pair of each block, and then one of these pairs. The last block
/// may have fewer rows than the others.
SmallVector<Value> ArgReduceOp::buildTileSplit(OpBuilder &builder,
                                               const TileSplit &,
                                               int64_t parts) {
  PopBuilder b(builder, getLoc());
  ArgReduceSizes sizes(*this);
  int64_t block = getBlock(sizes, parts);
  int64_t blocks = sizes.rows / block, last = sizes.rows % block;
  std::array<Value, 2> pairs = {getValues(), getIndices()};
  auto select = [&](ArrayRef<Value> pairs, int64_t axis, bool keepDims) {
    auto op = b.create<ArgReduceOp>(getKind(), pairs[0], pairs[1], axis,
                                    keepDims, getHighestIndex());
    return std::array<Value, 2>{op.getValue(), op.getIndex()};
  };
  auto getRows = [&](int64_t start, int64_t size, ArrayRef<int64_t> shape) {
    std::array<Value, 2> rows;
    for (auto [value, tensor] : llvm::zip_equal(rows, pairs)) {
      value = b.reshape(tensor, {sizes.outer, sizes.rows, sizes.inner});
      value = b.slice(value, /*axis=*/1, start, size);
      value = b.reshape(value, shape);
    }
    return rows;
  };
  std::array<Value, 2> ofBlocks = select(
      getRows(0, blocks * block, {sizes.outer, blocks, block, sizes.inner}),
      /*axis=*/2, /*keepDims=*/false);
  if (last > 0) {
    std::array<Value, 2> ofLast =
        select(getRows(blocks * block, last, {sizes.outer, last, sizes.inner}),
               /*axis=*/1, /*keepDims=*/true);
    for (auto [pairs, pair] : llvm::zip_equal(ofBlocks, ofLast))
      pairs = b.concat({pairs, pair}, /*axis=*/1);
  }
  std::array<Value, 2> result =
      select(ofBlocks, /*axis=*/1, /*keepDims=*/false);
  ArrayRef<int64_t> shape = getValue().getType().getShape();
  return {b.reshape(result[0], shape), b.reshape(result[1], shape)};
}
