//===- PopGatherOp.cpp - Rows of a table by index ---------------*- C++ -*-===//
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

LogicalResult pop::detail::checkRowIndices(InferError emitError, StringRef name,
                                           RankedTensorType table,
                                           RankedTensorType indices,
                                           int64_t numBatch) {
  // c1
  if (numBatch < 0 || numBatch > indices.getRank() ||
      numBatch >= table.getRank())
    return emitError("expects `batch_dims` to be at least 0, at most the rank "
                     "of `indices` and less than the rank of `",
                     name, "` but got ", numBatch, " for ", indices, " and ",
                     table);
  if (table.getShape().take_front(numBatch) !=
      indices.getShape().take_front(numBatch))
    return emitError("expects equal batch dimensions but got [",
                     table.getShape().take_front(numBatch), "] of `", name,
                     "` and [", indices.getShape().take_front(numBatch),
                     "] of `indices`");
  // c2
  if (indices.getElementType().isInteger(1))
    return emitError(
        "expects `indices` to have elements of more than one bit but got ",
        indices);
  return success();
}

SmallVector<int64_t> pop::detail::getRowsShape(RankedTensorType table,
                                               RankedTensorType indices,
                                               int64_t numBatch) {
  SmallVector<int64_t> shape(indices.getShape());
  llvm::append_range(shape, table.getShape().drop_front(numBatch + 1));
  return shape;
}

LogicalResult
GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           Adaptor adaptor,
                           SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto table = cast<RankedTensorType>(adaptor.getTable().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t numBatch = adaptor.getBatchDims();
  // c1, c2
  if (failed(pop::detail::checkRowIndices(emitError, "table", table, indices,
                                          numBatch)))
    return failure();
  // c3
  SmallVector<int64_t> shape =
      pop::detail::getRowsShape(table, indices, numBatch);
  FailureOr<RankedTensorType> type =
      getTensorType(emitError, shape, table.getElementType());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}

GatherSizes pop::detail::getGatherSizes(RankedTensorType table,
                                        RankedTensorType indices,
                                        int64_t numBatch) {
  ArrayRef<int64_t> shape = table.getShape();
  return {computeProduct(shape.take_front(numBatch)),
          computeProduct(indices.getShape().drop_front(numBatch)),
          shape[numBatch], computeProduct(shape.drop_front(numBatch + 1))};
}

static GatherSizes getSizes(GatherOp op) {
  return pop::detail::getGatherSizes(
      op.getTable().getType(), op.getIndices().getType(), op.getBatchDims());
}

//===----------------------------------------------------------------------===//
// Codelet
//===----------------------------------------------------------------------===//

/// Loops over the batch, the indices and the columns; a vertex has all rows.
FailureOr<TileForm> GatherOp::getTileForm(ArrayRef<int64_t>) {
  GatherSizes sizes = getSizes(*this);
  TileForm form;
  form.loops = {sizes.batch, sizes.indices, sizes.columns};
  form.inputs = {{{sizes.batch, sizes.rows, sizes.columns}, {{0}, {-1}, {2}}},
                 {{sizes.batch, sizes.indices}, {{0}, {1}}}};
  form.results = {{form.loops, {{0}, {1}, {2}}}};
  return form;
}

void GatherOp::buildCodelet(OpBuilder &builder, Location loc,
                            ValueRange buffers, const TileForm &) {
  Value table = buffers[0], indices = buffers[1], result = buffers[2];
  Type element = cast<MemRefType>(table.getType()).getElementType();
  bool isUnsigned = getIndices().getType().getElementType().isUnsignedInteger();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value blank =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value rows = memref::DimOp::create(builder, loc, table, 1);
  SmallVector<Value> ends;
  for (int64_t i : {0, 1})
    ends.push_back(memref::DimOp::create(builder, loc, indices, i));
  scf::buildLoopNest(
      builder, loc, ValueRange{zero, zero}, ends, ValueRange{one, one},
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        Value index =
            pop::detail::buildRowNumber(b, loc, indices, loops, isUnsigned);
        // As unsigned numbers, negative ones are beyond all rows.
        Value isInside = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ult, index, rows);
        Value to = buildRow(b, loc, result, loops);
        scf::IfOp::create(
            b, loc, isInside,
            [&](OpBuilder &b, Location loc) {
              Value from = buildRow(b, loc, table, {loops[0], index});
              linalg::CopyOp::create(b, loc, from, to);
              scf::YieldOp::create(b, loc);
            },
            [&](OpBuilder &b, Location loc) {
              linalg::FillOp::create(b, loc, blank, to);
              scf::YieldOp::create(b, loc);
            });
      });
}

CodeletCost GatherOp::getCodeletCost() {
  return pop::detail::getCost(*this, CodeletCostKind::Gather);
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

Type pop::detail::getIndexType(Type type, int64_t rows) {
  constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
  unsigned width = rows > kMaxRows ? 64 : 32;
  if (type.getIntOrFloatBitWidth() >= width)
    return type;
  return IntegerType::get(type.getContext(), width,
                          type.isUnsignedInteger() ? IntegerType::Unsigned
                                                   : IntegerType::Signless);
}

SmallVector<TileSplit> pop::detail::getGatherSplits(const GatherSizes &sizes) {
  SmallVector<TileSplit> splits;
  if (llvm::is_contained(
          {sizes.batch, sizes.indices, sizes.rows, sizes.columns}, 0))
    return splits;
  int64_t blocks = std::min(sizes.rows, kMaxRowBlocks);
  if (hasElementNumbers({sizes.batch, sizes.indices, blocks, sizes.columns}))
    addSplit(splits, "rows", blocks, /*grain=*/1, /*isSerial=*/false);
  addSplit(splits, "indices", sizes.indices);
  addSplit(splits, "columns", sizes.columns);
  return splits;
}

SmallVector<TileSplit> GatherOp::getTileSplits() {
  return pop::detail::getGatherSplits(getSizes(*this));
}

namespace {
/// Builds the parts of a gather, on operands of the shapes [batch, rows,
/// columns] and [batch, indices].
struct GatherSplitter {
  PopBuilder &b;
  GatherSizes sizes;
  Value table, indices;

  Value gather(Value table, Value indices, int64_t numBatch) {
    return b.create<GatherOp>(table, indices, numBatch);
  }
  Value combineRows(int64_t parts);
  Value concatParts(bool ofColumns, int64_t parts);
};
} // namespace

/// Each block of rows gives its own rows and zeros for the others; then each
/// index takes what the block that has its row gave, to the bit. Indices
/// outside of all rows are in no block. The number of rows of a block is a
/// power of two, because shifts of indices take less time than divisions.
Value GatherSplitter::combineRows(int64_t parts) {
  int64_t block = pop::detail::getRowBlock(sizes.rows, parts);
  Value candidates = b.create<GatherPartialsOp>(table, indices, block);
  Type type = pop::detail::getIndexType(getElementTypeOrSelf(indices.getType()),
                                        sizes.rows);
  Value numbers = b.cast(indices, type);
  Value shift = b.splat(b.getIntegerAttr(type, llvm::Log2_64(block)));
  // Negative indices stay negative, and are outside of all blocks.
  if (type.isUnsignedInteger())
    numbers = b.create<ShiftRightLogicalOp>(numbers, shift);
  else
    numbers = b.create<ShiftRightArithmeticOp>(numbers, shift);
  return gather(candidates, numbers, 2);
}

Value GatherSplitter::concatParts(bool ofColumns, int64_t parts) {
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(
           ofColumns ? sizes.columns : sizes.indices, parts)) {
    auto slice = [&](Value value, int64_t axis) {
      return b.slice(value, axis, chunk.start, chunk.size);
    };
    results.push_back(ofColumns ? gather(slice(table, 2), indices, 1)
                                : gather(table, slice(indices, 1), 1));
  }
  return b.create<ConcatOp>(results, ofColumns ? 2 : 1);
}

Value pop::detail::buildGatherSplit(PopBuilder &b, Value table, Value indices,
                                    int64_t numBatch, const TileSplit &split,
                                    int64_t parts) {
  auto tableType = cast<RankedTensorType>(table.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  GatherSizes sizes = getGatherSizes(tableType, indicesType, numBatch);
  GatherSplitter splitter{
      b, sizes, b.reshape(table, {sizes.batch, sizes.rows, sizes.columns}),
      b.reshape(indices, {sizes.batch, sizes.indices})};
  Value result = split.name == "rows"
                     ? splitter.combineRows(parts)
                     : splitter.concatParts(split.name == "columns", parts);
  return b.reshape(result, getRowsShape(tableType, indicesType, numBatch));
}

SmallVector<Value> GatherOp::buildTileSplit(OpBuilder &builder,
                                            const TileSplit &split,
                                            int64_t parts) {
  PopBuilder b(builder, getLoc());
  return {pop::detail::buildGatherSplit(b, getTable(), getIndices(),
                                        getBatchDims(), split, parts)};
}
