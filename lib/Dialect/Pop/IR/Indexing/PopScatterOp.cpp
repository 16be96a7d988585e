//===- PopScatterOp.cpp - Rows combined with updates by index ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "ipu-mlir/Interfaces/RandomInterfaces.h"
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

/// The kind by which `kind`, if it is not `replace`, combines two elements.
static ReduceKind getReduceKind(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Add:
    return ReduceKind::Sum;
  case ScatterKind::Mul:
    return ReduceKind::Prod;
  case ScatterKind::Max:
    return ReduceKind::Max;
  case ScatterKind::Min:
    return ReduceKind::Min;
  case ScatterKind::Replace:
    break;
  }
  llvm_unreachable("`replace` does not combine elements");
}

/// The type that the elements are combined in.
static Type getCombineType(ScatterOp op) {
  Type type = op.getType().getElementType();
  return op.getKind() == ScatterKind::Replace
             ? type
             : getReduceType(getReduceKind(op.getKind()), type);
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
  if (getKind() != ScatterKind::Replace && input.getElementType().isInteger(1))
    return emitOpError() << "expects elements of a type other than i1 for `"
                         << stringifyScatterKind(getKind()) << "`";
  return success();
}

OpFoldResult ScatterOp::fold(FoldAdaptor) {
  if (getUpdates().getType().getNumElements() == 0)
    return getInput();
  return {};
}

FailureOr<SmallVector<Value>> ScatterOp::decompose(OpBuilder &builder) {
  Type type = getType().getElementType(), computeType = getCombineType(*this);
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

/// Whether the number of an element among all, which has 32 bits, says which
/// row it is in, so that a vertex need not have all rows.
static bool cutsRows(ScatterOp op) {
  constexpr int64_t kLimit = int64_t(1) << 32;
  GatherSizes sizes = getSizes(op);
  return op.getType().getNumElements() < kLimit && sizes.rows < kLimit &&
         sizes.columns < kLimit;
}

/// Loops over the batch, the rows and the columns. A vertex has all indices and
/// all updates of its columns, and passes over those that are not for its rows.
FailureOr<TileForm> ScatterOp::getTileForm(ArrayRef<int64_t>) {
  if (getType().getElementType() != getCombineType(*this))
    return failure();
  GatherSizes sizes = getSizes(*this);
  bool hasRowLoop = cutsRows(*this);
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

/// The number of the first row that a vertex has of `result`.
static Value buildFirstRow(OpBuilder &b, Location loc, ScatterOp op,
                           Value result) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (!cutsRows(op))
    return zero;
  GatherSizes sizes = getSizes(op);
  auto buildSize = [&](int64_t size) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getI32Type(), APInt(32, size)));
  };
  const auto &ops = ipu::RandomOpBuilderInterface::get(b.getContext());
  Value number =
      ops.buildElementNumber(b, loc, result, ValueRange{zero, zero, zero});
  Value row = arith::DivUIOp::create(b, loc, number, buildSize(sizes.columns));
  row = arith::RemUIOp::create(b, loc, row, buildSize(sizes.rows));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), row);
}

/// Combines the elements of a row with those of an update.
static void buildUpdate(OpBuilder &b, Location loc, ScatterOp op, Value update,
                        Value row) {
  if (op.getKind() == ScatterKind::Replace) {
    linalg::CopyOp::create(b, loc, update, row);
    return;
  }
  AffineMap map = b.getMultiDimIdentityMap(3);
  linalg::GenericOp::create(
      b, loc, update, row, ArrayRef{map, map},
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(
            b, loc,
            pop::detail::buildCombine(b, loc, getReduceKind(op.getKind()),
                                      op.getType().getElementType(), args[1],
                                      args[0]));
      });
}

void ScatterOp::buildCodelet(OpBuilder &builder, Location loc,
                             ValueRange buffers, const TileForm &) {
  Value indices = buffers[1], updates = buffers[2], result = buffers[3];
  bool isUnsigned = getIndices().getType().getElementType().isUnsignedInteger();
  linalg::CopyOp::create(builder, loc, buffers[0], result);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value first = buildFirstRow(builder, loc, *this, result);
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
          Value update = buildRow(b, loc, updates, loops[0], loops[1]);
          Value to = buildRow(b, loc, result, loops[0], row);
          buildUpdate(b, loc, *this, update, to);
          scf::YieldOp::create(b, loc);
        });
      });
}

CodeletCost ScatterOp::getCodeletCost() {
  CodeletCost cost = pop::detail::getCost(*this, CodeletCostKind::Scatter);
  cost.combined = getSizes(*this).rows;
  return cost;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> ScatterOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (succeeded(getTileForm({})) && getType().getNumElements() != 0)
    pop::detail::addSplit(splits, "indices", getSizes(*this).indices);
  return splits;
}

/// Parts of the updates, one after the other.
SmallVector<Value> ScatterOp::buildTileSplit(OpBuilder &builder,
                                             const TileSplit &, int64_t parts) {
  PopBuilder b(builder, getLoc());
  GatherSizes sizes = getSizes(*this);
  Value indices = b.reshape(getIndices(), {sizes.batch, sizes.indices});
  Value updates =
      b.reshape(getUpdates(), {sizes.batch, sizes.indices, sizes.columns});
  Value result =
      b.reshape(getInput(), {sizes.batch, sizes.rows, sizes.columns});
  for (Chunk chunk : pop::detail::getChunks(sizes.indices, parts)) {
    Value rows = b.slice(indices, 1, chunk.start, chunk.size);
    Value part = b.slice(updates, 1, chunk.start, chunk.size);
    result = b.create<ScatterOp>(getKind(), result, rows, part,
                                 /*batch_dims=*/1);
  }
  return {b.reshape(result, getType().getShape())};
}
