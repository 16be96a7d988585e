//===- PopGatherPartialsOp.cpp - Rows of blocks of a table ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
using pop::detail::buildRow;

LogicalResult GatherPartialsOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto table = cast<RankedTensorType>(adaptor.getTable().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  // c1, c2
  if (table.getRank() != 3 || indices.getRank() != 2)
    return emitError(
        "expects `table` of rank 3 and `indices` of rank 2 but got ", table,
        " and ", indices);
  if (failed(pop::detail::checkRowIndices(emitError, "table", table, indices,
                                          /*numBatch=*/1)))
    return failure();
  // c3
  int64_t block = adaptor.getBlock();
  if (block < 1)
    return emitError("expects `block` to be positive but got ", block);
  // c4
  FailureOr<RankedTensorType> type = getTensorType(
      emitError,
      {indices.getDimSize(0), indices.getDimSize(1),
       llvm::divideCeilSigned(table.getDimSize(1), block), table.getDimSize(2)},
      table.getElementType());
  if (failed(type))
    return failure();
  inferredReturnTypes.push_back(*type);
  return success();
}

static SmallVector<int64_t> getResultShape(GatherPartialsOp op) {
  return llvm::to_vector(cast<RankedTensorType>(op.getType()).getShape());
}

/// Loops over the batch, the indices, the blocks of rows and the columns. A
/// vertex computes its first block from the number of its first element.
FailureOr<TileForm> GatherPartialsOp::getTileForm(ArrayRef<int64_t>) {
  SmallVector<int64_t> shape = getResultShape(*this);
  if (!pop::detail::hasElementNumbers(shape))
    return failure();
  int64_t block = getBlock();
  TileForm form;
  form.loops = shape;
  form.inputs = {{llvm::to_vector(getTable().getType().getShape()),
                  {{0}, {2, block, block}, {3}}},
                 {{shape[0], shape[1]}, {{0}, {1}}}};
  form.results = {pop::detail::getWholeAccess(shape)};
  return form;
}

/// Builds the condition that `row`, counted from the first row of the vertex,
/// is in its block number `block` of `size` rows, and in the table.
static Value buildIsInBlock(OpBuilder &b, Location loc, Value table, Value row,
                            Value block, Value size) {
  auto isLess = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  };
  // As unsigned numbers, negative ones are beyond all rows.
  Value first = arith::MulIOp::create(b, loc, block, size);
  Value inBlock = isLess(arith::SubIOp::create(b, loc, row, first), size);
  Value inTable = isLess(row, memref::DimOp::create(b, loc, table, 1));
  return arith::AndIOp::create(b, loc, inBlock, inTable);
}

void GatherPartialsOp::buildCodelet(OpBuilder &builder, Location loc,
                                    ValueRange buffers, const TileForm &) {
  Value table = buffers[0], indices = buffers[1], result = buffers[2];
  bool isUnsigned = getIndices().getType().getElementType().isUnsignedInteger();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value size = arith::ConstantIndexOp::create(builder, loc, getBlock());
  Type element = cast<MemRefType>(table.getType()).getElementType();
  Value blank =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value firstBlock = pop::detail::buildFirstPosition(
      builder, loc, result, getResultShape(*this), /*dim=*/2);
  Value firstRow = arith::MulIOp::create(builder, loc, firstBlock, size);
  SmallVector<Value> ends;
  for (int64_t i : {0, 1, 2})
    ends.push_back(memref::DimOp::create(builder, loc, result, i));
  scf::buildLoopNest(builder, loc, SmallVector<Value>(3, zero), ends,
                     SmallVector<Value>(3, one),
                     [&](OpBuilder &b, Location loc, ValueRange loops) {
                       Value row = pop::detail::buildRowNumber(
                           b, loc, indices, loops.take_front(2), isUnsigned);
                       row = arith::SubIOp::create(b, loc, row, firstRow);
                       Value isInside =
                           buildIsInBlock(b, loc, table, row, loops[2], size);
                       Value to = buildRow(b, loc, result, loops);
                       scf::IfOp::create(
                           b, loc, isInside,
                           [&](OpBuilder &b, Location loc) {
                             Value from =
                                 buildRow(b, loc, table, {loops[0], row});
                             linalg::CopyOp::create(b, loc, from, to);
                             scf::YieldOp::create(b, loc);
                           },
                           [&](OpBuilder &b, Location loc) {
                             linalg::FillOp::create(b, loc, blank, to);
                             scf::YieldOp::create(b, loc);
                           });
                     });
}

CodeletCost GatherPartialsOp::getCodeletCost() {
  return {CodeletCostKind::Gather, "gather"};
}
