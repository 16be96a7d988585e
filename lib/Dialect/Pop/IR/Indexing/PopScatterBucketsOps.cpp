//===- PopScatterBucketsOps.cpp - Scatters by blocks of rows ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter in two stages. First, tiles divide the indices, and list the
// indices of each block of rows. Then the tiles that have a block of rows visit
// only the updates in the lists of this block.
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileForm;

/// The greatest product of the numbers of rows of a block and of indices of a
/// chunk. Elements of lists are less than this number.
static constexpr int64_t kMaxElement = int64_t(1) << 31;

int64_t pop::detail::getRowBlock(int64_t rows, int64_t parts) {
  return llvm::PowerOf2Ceil(llvm::divideCeilSigned(rows, parts));
}

void pop::detail::addBucketSplit(SmallVectorImpl<ipu::TileSplit> &splits,
                                 const GatherSizes &sizes) {
  int64_t parts = std::min(sizes.rows, kMaxRowBlocks);
  int64_t chunks = llvm::divideCeilSigned(sizes.indices, kBucketChunk);
  // Two parts have the largest blocks.
  bool hasLists = sizes.rows < kMaxElement / kBucketChunk &&
                  isPopShape({sizes.batch, chunks, parts, kBucketChunk});
  if (hasLists)
    addSplit(splits, "buckets", parts, /*grain=*/1, /*isSerial=*/false);
}

CodeletCost pop::detail::getScatterCost(CodeletCostKind costKind,
                                        ScatterKind kind, int64_t rows) {
  // Rows that are replaced are only copied.
  StringRef name = kind == ScatterKind::Replace ? "scatter_replace" : "scatter";
  CodeletCost cost{costKind, name};
  cost.combined = rows;
  return cost;
}

//===----------------------------------------------------------------------===//
// BucketIndicesOp
//===----------------------------------------------------------------------===//

LogicalResult BucketIndicesOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t rows = adaptor.getRows(), block = adaptor.getBlock();
  int64_t chunk = adaptor.getChunk();
  // c1
  if (indices.getRank() != 2 || indices.getElementType().isInteger(1))
    return emitError("expects `indices` of rank 2 with elements of more than "
                     "one bit but got ",
                     indices);
  // c2
  if (rows < 1 || chunk < 1 || block < 1 || !llvm::isPowerOf2_64(block) ||
      block > kMaxElement / chunk)
    return emitError(
        "expects `rows` and `chunk` to be positive, and `block` to "
        "be a power of two of at most 2^31 / `chunk` but got ",
        rows, ", ", chunk, " and ", block);
  // c3
  FailureOr<RankedTensorType> type =
      getTensorType(emitError,
                    {indices.getDimSize(0),
                     llvm::divideCeilSigned(indices.getDimSize(1), chunk),
                     llvm::divideCeilSigned(rows, block), chunk},
                    IntegerType::get(context, 32));
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}

/// Loops over the batch and the chunks; a vertex lists the indices of its
/// chunks for all blocks of rows.
FailureOr<TileForm> BucketIndicesOp::getTileForm(ArrayRef<int64_t>) {
  auto result = cast<RankedTensorType>(getType());
  int64_t chunk = getChunk();
  TileForm form;
  form.loops = {result.getDimSize(0), result.getDimSize(1)};
  form.inputs = {{llvm::to_vector(getIndices().getType().getShape()),
                  {{0}, {1, chunk, chunk}}}};
  form.results = {{llvm::to_vector(result.getShape()), {{0}, {1}, {}, {}}}};
  return form;
}

namespace {
/// Builds the lists of one chunk.
struct ChunkBuilder {
  BucketIndicesOp op;
  Location loc;
  Value indices, lists;
  /// The number of elements of the list for each block of rows.
  Value counts;

  Value buildIndex(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  void append(OpBuilder &b, ValueRange chunk, Value position, Value row);
  void build(OpBuilder &b, ValueRange chunk);
};
} // namespace

/// Appends an element for the index `row` to the list of its block.
void ChunkBuilder::append(OpBuilder &b, ValueRange chunk, Value position,
                          Value row) {
  Value shift = buildIndex(b, llvm::Log2_64(op.getBlock()));
  Value mask = buildIndex(b, op.getBlock() - 1);
  Value list = arith::ShRUIOp::create(b, loc, row, shift);
  Value element = arith::ShLIOp::create(b, loc, position, shift);
  element = arith::AddIOp::create(b, loc, element,
                                  arith::AndIOp::create(b, loc, row, mask));
  element = arith::IndexCastOp::create(b, loc, b.getI32Type(), element);
  Value count = memref::LoadOp::create(b, loc, counts, list);
  Value end = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), count);
  memref::StoreOp::create(b, loc, element, lists,
                          ValueRange{chunk[0], chunk[1], list, end});
  Value one =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(count.getType(), 1));
  memref::StoreOp::create(b, loc, arith::AddIOp::create(b, loc, count, one),
                          counts, list);
}

void ChunkBuilder::build(OpBuilder &b, ValueRange chunk) {
  Value zero = buildIndex(b, 0), one = buildIndex(b, 1);
  Value noElements =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI32Type(), 0));
  linalg::FillOp::create(b, loc, noElements, counts);
  Value size = buildIndex(b, op.getChunk()), rows = buildIndex(b, op.getRows());
  Value start = arith::MulIOp::create(b, loc, chunk[1], size);
  Value rest = arith::SubIOp::create(
      b, loc, memref::DimOp::create(b, loc, indices, 1), start);
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rest, size);
  Value end = arith::SelectOp::create(b, loc, isLast, rest, size);
  scf::ForOp::create(
      b, loc, zero, end, one, ValueRange(),
      [&](OpBuilder &b, Location loc, Value position, ValueRange) {
        Value at = arith::AddIOp::create(b, loc, start, position);
        Value row = pop::detail::buildRowNumber(
            b, loc, indices, {chunk[0], at},
            op.getIndices().getType().getElementType().isUnsignedInteger());
        // As unsigned numbers, negative ones are beyond all rows.
        Value isInside =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, rows);
        scf::IfOp::create(b, loc, isInside, [&](OpBuilder &b, Location loc) {
          append(b, chunk, position, row);
          scf::YieldOp::create(b, loc);
        });
        scf::YieldOp::create(b, loc);
      });
}

void BucketIndicesOp::buildCodelet(OpBuilder &builder, Location loc,
                                   ValueRange buffers, const TileForm &) {
  Value lists = buffers[1];
  Value end = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(builder.getI32Type(), -1));
  linalg::FillOp::create(builder, loc, end, lists);
  int64_t numLists = cast<RankedTensorType>(getType()).getDimSize(2);
  Value counts = memref::AllocaOp::create(
      builder, loc, MemRefType::get({numLists}, builder.getI32Type()));
  ChunkBuilder chunks = {*this, loc, buffers[0], lists, counts};
  Value zero = chunks.buildIndex(builder, 0),
        one = chunks.buildIndex(builder, 1);
  SmallVector<Value> ends;
  for (int64_t i : {0, 1})
    ends.push_back(memref::DimOp::create(builder, loc, lists, i));
  scf::buildLoopNest(builder, loc, ValueRange{zero, zero}, ends,
                     ValueRange{one, one},
                     [&](OpBuilder &b, Location, ValueRange loops) {
                       chunks.build(b, loops);
                     });
}

CodeletCost BucketIndicesOp::getCodeletCost() {
  CodeletCost cost =
      pop::detail::getCost(*this, CodeletCostKind::BucketIndices);
  cost.combined = getChunk();
  return cost;
}

//===----------------------------------------------------------------------===//
// ScatterBucketsOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterBucketsOp::verify() {
  InferError emitError{getLoc(), getOperationName()};
  RankedTensorType input = getInput().getType(), lists = getLists().getType();
  RankedTensorType updates = getUpdates().getType();
  // c3
  int64_t block = getBlock();
  if (block < 1 || !llvm::isPowerOf2_64(block))
    return emitError("expects `block` to be a power of two but got ", block);
  // c1
  bool hasRanks =
      input.getRank() == 3 && updates.getRank() == 3 && lists.getRank() == 4;
  if (!hasRanks || lists.getDimSize(3) < 1 ||
      updates.getShape() !=
          ArrayRef({input.getDimSize(0), updates.getDimSize(1),
                    input.getDimSize(2)}) ||
      lists.getShape() !=
          ArrayRef({input.getDimSize(0),
                    llvm::divideCeilSigned(updates.getDimSize(1),
                                           lists.getDimSize(3)),
                    llvm::divideCeilSigned(input.getDimSize(1), block),
                    lists.getDimSize(3)}))
    return emitError(
        "expects `input` of shape [batch, rows, columns], `updates` "
        "of shape [batch, i, columns] and `lists` of shape [batch, "
        "ceil(i / chunk), ceil(rows / ",
        block, "), chunk] but got ", input, ", ", updates, " and ", lists);
  // c2
  if (!lists.getElementType().isSignlessInteger(32) ||
      updates.getElementType() != input.getElementType())
    return emitError("expects `lists` of i32, and `updates` of ",
                     input.getElementType(), " but got ", lists, " and ",
                     updates);
  // c4
  if (pop::detail::getCombineType(getKind(), input.getElementType()) !=
      input.getElementType())
    return emitError("expects elements that are not narrower than f32 for `",
                     stringifyScatterKind(getKind()), "` but got ", input);
  return pop::detail::checkScatterKind(emitError, getKind(),
                                       input.getElementType());
}

static SmallVector<int64_t> getResultShape(ScatterBucketsOp op) {
  return llvm::to_vector(cast<RankedTensorType>(op.getType()).getShape());
}

/// Loops over the batch, the blocks of rows and the columns.
FailureOr<TileForm> ScatterBucketsOp::getTileForm(ArrayRef<int64_t>) {
  SmallVector<int64_t> shape = getResultShape(*this);
  RankedTensorType lists = getLists().getType();
  int64_t block = getBlock();
  TileForm form;
  form.loops = {shape[0], lists.getDimSize(2), shape[2]};
  ipu::TileAccess rows = {shape, {{0}, {1, block, block}, {2}}};
  form.inputs = {
      rows,
      {llvm::to_vector(lists.getShape()), {{0}, {}, {1}, {}}},
      {llvm::to_vector(getUpdates().getType().getShape()), {{0}, {}, {2}}}};
  form.results = {rows};
  return form;
}

void ScatterBucketsOp::buildCodelet(OpBuilder &builder, Location loc,
                                    ValueRange buffers, const TileForm &) {
  Value lists = buffers[1], updates = buffers[2], result = buffers[3];
  linalg::CopyOp::create(builder, loc, buffers[0], result);
  auto buildIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = buildIndex(0), one = buildIndex(1),
        block = buildIndex(getBlock());
  Value shift = buildIndex(llvm::Log2_64(getBlock()));
  Value mask = buildIndex(getBlock() - 1);
  Value chunk = buildIndex(getLists().getType().getDimSize(3));
  SmallVector<Value> ends;
  for (int64_t i : {0, 2, 1})
    ends.push_back(memref::DimOp::create(builder, loc, lists, i));
  ends.push_back(chunk);
  // The loops are over the batch, the blocks of rows, the chunks, and the
  // elements of a list.
  scf::buildLoopNest(
      builder, loc, SmallVector<Value>(4, zero), ends,
      SmallVector<Value>(4, one),
      [&](OpBuilder &b, Location loc, ValueRange loops) {
        Value element = pop::detail::buildRowNumber(
            b, loc, lists, {loops[0], loops[2], loops[1], loops[3]},
            /*isUnsigned=*/false);
        Value isUpdate = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::sge, element, zero);
        scf::IfOp::create(b, loc, isUpdate, [&](OpBuilder &b, Location loc) {
          Value first = arith::MulIOp::create(b, loc, loops[2], chunk);
          Value position = arith::ShRUIOp::create(b, loc, element, shift);
          position = arith::AddIOp::create(b, loc, first, position);
          first = arith::MulIOp::create(b, loc, loops[1], block);
          Value row = arith::AndIOp::create(b, loc, element, mask);
          row = arith::AddIOp::create(b, loc, first, row);
          Value update =
              pop::detail::buildRow(b, loc, updates, {loops[0], position});
          pop::detail::buildRowUpdate(
              b, loc, getKind(), getInput().getType().getElementType(), update,
              pop::detail::buildRow(b, loc, result, {loops[0], row}));
          scf::YieldOp::create(b, loc);
        });
      });
}

CodeletCost ScatterBucketsOp::getCodeletCost() {
  return pop::detail::getScatterCost(CodeletCostKind::ScatterBuckets, getKind(),
                                     getResultShape(*this)[1]);
}
