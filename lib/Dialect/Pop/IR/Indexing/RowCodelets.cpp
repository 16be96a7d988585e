//===- RowCodelets.cpp - Rows in codelets -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the parts of codelets that gathers and scatters share: views of
// rows, numbers of rows, and combinations of rows with updates.
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "ipu-mlir/Interfaces/RandomInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value pop::detail::buildRow(OpBuilder &b, Location loc, Value buffer,
                            ValueRange position) {
  size_t rank = position.size() + 1;
  SmallVector<OpFoldResult> offsets(position.begin(), position.end());
  offsets.push_back(b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes(rank, b.getIndexAttr(1)), strides = sizes;
  sizes.back() = memref::DimOp::create(b, loc, buffer, rank - 1).getResult();
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      {1, 1, ShapedType::kDynamic}, cast<MemRefType>(buffer.getType()), offsets,
      sizes, strides);
  return memref::SubViewOp::create(b, loc, type, buffer, offsets, sizes,
                                   strides);
}

Value pop::detail::buildRowNumber(OpBuilder &b, Location loc, Value indices,
                                  ValueRange position, bool isUnsigned) {
  Value index = memref::LoadOp::create(b, loc, indices, position);
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), index);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
}

bool pop::detail::hasElementNumbers(ArrayRef<int64_t> domain) {
  constexpr int64_t kLimit = int64_t(1) << 32;
  auto isNumber = [](int64_t size) { return size < kLimit; };
  return llvm::all_of(domain, isNumber) && isNumber(computeProduct(domain));
}

Value pop::detail::buildFirstPosition(OpBuilder &b, Location loc, Value buffer,
                                      ArrayRef<int64_t> domain, unsigned dim) {
  assert(hasElementNumbers(domain) && "expects numbers of 32 bits");
  auto buildSize = [&](int64_t size) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getI32Type(), APInt(32, size)));
  };
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  const auto &ops = ipu::RandomOpBuilderInterface::get(b.getContext());
  Value number = ops.buildElementNumber(
      b, loc, buffer, SmallVector<Value>(domain.size(), zero));
  Value position = arith::DivUIOp::create(
      b, loc, number, buildSize(computeProduct(domain.drop_front(dim + 1))));
  position = arith::RemUIOp::create(b, loc, position, buildSize(domain[dim]));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), position);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

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

Type pop::detail::getCombineType(ScatterKind kind, Type elementType) {
  return kind == ScatterKind::Replace
             ? elementType
             : getReduceType(getReduceKind(kind), elementType);
}

LogicalResult pop::detail::checkScatterKind(InferError emitError,
                                            ScatterKind kind,
                                            Type elementType) {
  if (kind != ScatterKind::Replace && elementType.isInteger(1))
    return emitError("expects elements of a type other than i1 for `",
                     stringifyScatterKind(kind), "`");
  return success();
}

void pop::detail::buildRowUpdate(OpBuilder &b, Location loc, ScatterKind kind,
                                 Type elementType, Value update, Value row) {
  if (kind == ScatterKind::Replace) {
    linalg::CopyOp::create(b, loc, update, row);
    return;
  }
  AffineMap map = b.getMultiDimIdentityMap(3);
  linalg::GenericOp::create(
      b, loc, update, row, ArrayRef{map, map},
      SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc,
                                buildCombine(b, loc, getReduceKind(kind),
                                             elementType, args[1], args[0]));
      });
}
