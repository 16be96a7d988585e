//===- PopScatterOp.cpp - Rows combined with updates by index ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSplits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileForm;
using mlir::ipu::TileSplit;
using pop::detail::buildRow;
using pop::detail::Chunk;
using pop::detail::GatherSizes;

static GatherSizes getSizes(ScatterOp op) {
  return pop::detail::getGatherSizes(
      op.getInput().getType(), op.getIndices().getType(), op.getBatchDims());
}

LogicalResult ScatterOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType indices = getIndices().getType();
  RankedTensorType updates = getUpdates().getType();
  int64_t numBatch = getBatchDims();
  // c1, c2
  if (failed(pop::detail::checkRowIndices({getLoc(), getOperationName()},
                                          "input", input, indices, numBatch)))
    return failure();
  // c3
  SmallVector<int64_t> shape =
      pop::detail::getRowsShape(input, indices, numBatch);
  if (updates.getShape() != ArrayRef(shape) ||
      updates.getElementType() != input.getElementType())
    return emitOpError() << "expects `updates` of shape [" << shape
                         << "] and element type " << input.getElementType()
                         << " but got " << updates;
  // c4
  return pop::detail::checkScatterKind({getLoc(), getOperationName()},
                                       getKind(), input.getElementType());
}

OpFoldResult ScatterOp::fold(FoldAdaptor) {
  if (getUpdates().getType().getNumElements() == 0)
    return getInput();
  return {};
}

FailureOr<SmallVector<Value>> ScatterOp::decompose(OpBuilder &builder) {
  Type type = getType().getElementType();
  Type computeType = pop::detail::getCombineType(getKind(), type);
  if (type == computeType)
    return failure();
  PopBuilder b(builder, getLoc());
  Value input = b.cast(getInput(), computeType);
  Value updates = b.cast(getUpdates(), computeType);
  Value wide = b.create<ScatterOp>(getKind(), input, getIndices(), updates,
                                   getBatchDims());
  return SmallVector<Value>{b.cast(wide, type)};
}

//===----------------------------------------------------------------------===//
// Codelet
//===----------------------------------------------------------------------===//

/// Returns whether a vertex may have only a part of the rows.
static bool cutsRows(const GatherSizes &sizes) {
  return pop::detail::hasElementNumbers(
      {sizes.batch, sizes.rows, sizes.columns});
}

/// Loops over the batch, the rows and the columns. A vertex has all indices and
/// all updates of its columns, and passes over those that are not for its rows.
FailureOr<TileForm> ScatterOp::getTileForm(ArrayRef<int64_t>) {
  Type type = getType().getElementType();
  if (type != pop::detail::getCombineType(getKind(), type))
    return failure();
  GatherSizes sizes = getSizes(*this);
  bool hasRowLoop = cutsRows(sizes);
  int64_t rowLoop = hasRowLoop ? 1 : -1, columnLoop = hasRowLoop ? 2 : 1;
  TileForm form;
  form.loops = {sizes.batch, sizes.columns};
  if (hasRowLoop)
    form.loops.insert(form.loops.begin() + 1, sizes.rows);
  ipu::TileAccess rows = {{sizes.batch, sizes.rows, sizes.columns},
                          {{0}, {rowLoop}, {columnLoop}}};
  form.inputs = {
      rows,
      {{sizes.batch, sizes.indices}, {{0}, {}}},
      {{sizes.batch, sizes.indices, sizes.columns}, {{0}, {}, {columnLoop}}}};
  form.results = {rows};
  return form;
}

void ScatterOp::buildCodelet(OpBuilder &builder, Location loc,
                             ValueRange buffers, const TileForm &) {
  Value indices = buffers[1], updates = buffers[2], result = buffers[3];
  bool isUnsigned = getIndices().getType().getElementType().isUnsignedInteger();
  linalg::CopyOp::create(builder, loc, buffers[0], result);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  GatherSizes sizes = getSizes(*this);
  Value first = zero;
  if (cutsRows(sizes))
    first = pop::detail::buildFirstPosition(
        builder, loc, result, {sizes.batch, sizes.rows, sizes.columns}, 1);
  Value rows = memref::DimOp::create(builder, loc, result, 1);
  SmallVector<Value> ends;
  for (int64_t i : {0, 1})
    ends.push_back(memref::DimOp::create(builder, loc, indices, i));
  scf::buildLoopNest(
      builder, loc, ValueRange{zero, zero}, ends, ValueRange{one, one},
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        Value row =
            pop::detail::buildRowNumber(b, loc, indices, loops, isUnsigned);
        row = arith::SubIOp::create(b, loc, row, first);
        // As unsigned numbers, negative ones are beyond all rows.
        Value isInside =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, rows);
        scf::IfOp::create(b, loc, isInside, [&](OpBuilder &b, Location loc) {
          Value update = buildRow(b, loc, updates, loops);
          Value to = buildRow(b, loc, result, {loops[0], row});
          pop::detail::buildRowUpdate(b, loc, getKind(),
                                      getType().getElementType(), update, to);
          scf::YieldOp::create(b, loc);
        });
      });
}

CodeletCost ScatterOp::getCodeletCost() {
  return pop::detail::getScatterCost(CodeletCostKind::Scatter, getKind(),
                                     getSizes(*this).rows);
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> pop::detail::getScatterSplits(const GatherSizes &sizes) {
  SmallVector<TileSplit> splits;
  if (llvm::is_contained({sizes.batch, sizes.rows, sizes.columns}, 0))
    return splits;
  addSplit(splits, "indices", sizes.indices);
  addBucketSplit(splits, sizes);
  return splits;
}

SmallVector<TileSplit> ScatterOp::getTileSplits() {
  if (failed(getTileForm({})))
    return {};
  return pop::detail::getScatterSplits(getSizes(*this));
}

namespace {
/// Builds the parts of a scatter, on operands of the shapes [batch, rows,
/// columns], [batch, indices] and [batch, indices, columns].
struct ScatterSplitter {
  /// Applies parts of the updates, one after the other.
  Value applyParts(int64_t parts) {
    Value result = input;
    for (Chunk chunk : pop::detail::getChunks(sizes.indices, parts)) {
      Value rows = b.slice(indices, 1, chunk.start, chunk.size);
      Value part = b.slice(updates, 1, chunk.start, chunk.size);
      result = b.create<ScatterOp>(kind, result, rows, part, /*batch_dims=*/1);
    }
    return result;
  }

  /// Lists the updates of each of at most `parts` blocks of rows.
  Value applyBuckets(int64_t parts) {
    int64_t block = pop::detail::getRowBlock(sizes.rows, parts);
    Value lists = b.create<BucketIndicesOp>(indices, sizes.rows, block,
                                            pop::detail::kBucketChunk);
    return b.create<ScatterBucketsOp>(kind, input, lists, updates, block);
  }

  PopBuilder &b;
  ScatterKind kind;
  GatherSizes sizes;
  Value input, indices, updates;
};
} // namespace

Value pop::detail::buildScatterSplit(PopBuilder &b, ScatterKind kind,
                                     Value input, Value indices, Value updates,
                                     int64_t numBatch, const TileSplit &split,
                                     int64_t parts) {
  auto inputType = cast<RankedTensorType>(input.getType());
  GatherSizes sizes = getGatherSizes(
      inputType, cast<RankedTensorType>(indices.getType()), numBatch);
  ScatterSplitter splitter{
      b,
      kind,
      sizes,
      b.reshape(input, {sizes.batch, sizes.rows, sizes.columns}),
      b.reshape(indices, {sizes.batch, sizes.indices}),
      b.reshape(updates, {sizes.batch, sizes.indices, sizes.columns})};
  Value result = split.name == "indices" ? splitter.applyParts(parts)
                                         : splitter.applyBuckets(parts);
  return b.reshape(result, inputType.getShape());
}

SmallVector<Value> ScatterOp::buildTileSplit(OpBuilder &builder,
                                             const TileSplit &split,
                                             int64_t parts) {
  PopBuilder b(builder, getLoc());
  return {pop::detail::buildScatterSplit(b, getKind(), getInput(), getIndices(),
                                         getUpdates(), getBatchDims(), split,
                                         parts)};
}
