//===- IndexingGradients.cpp - Gradients of indexing ops --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pop;
using pop::detail::getTypeOf;

/// `sum`, or zeros of `type` where it is null.
static Value buildOrZeros(OpBuilder &b, Location loc, Value sum,
                          RankedTensorType type) {
  if (sum)
    return sum;
  return pop::detail::buildSplat(
      b, loc, type.getShape(),
      cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::buildGradients(GradientBuilder &b) {
  // Indices outside of the rows gave zeros, and a scatter passes over them.
  Value dy = b.getGradient(getResult()), indices = b.getForward(getIndices());
  b.addInto(
      getTable(),
      [=, loc = b.getLoc(), numBatch = getBatchDims(),
       type = getTable().getType()](OpBuilder &builder, Value sum) -> Value {
        return ScatterOp::create(builder, loc, ScatterKind::Add,
                                 buildOrZeros(builder, loc, sum, type), indices,
                                 dy, numBatch);
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The rows of `table` that the updates of `op` are for.
static Value buildGather(GradientBuilder &b, ScatterOp op, Value table) {
  return b.build<GatherOp>(table, b.getForward(op.getIndices()),
                           op.getBatchDims());
}

/// `input` with the updates of `op` scattered by `kind`.
static Value buildScatter(GradientBuilder &b, ScatterOp op, ScatterKind kind,
                          Value input, Value updates) {
  return b.build<ScatterOp>(kind, input, b.getForward(op.getIndices()), updates,
                            op.getBatchDims());
}

/// Which updates of a `replace` no later one replaces, in a shape that
/// broadcasts to the updates; null if it is all of them.
static FailureOr<Value> buildIsLast(GradientBuilder &b, ScatterOp op) {
  ArrayRef<int64_t> shape = op.getIndices().getType().getShape();
  int64_t numBatch = op.getBatchDims();
  int64_t count = computeProduct(shape.drop_front(numBatch));
  if (count < 2)
    return Value();
  constexpr int64_t kMaxCount = int64_t(1) << 24;
  if (count > kMaxCount)
    return op.emitOpError()
           << "cannot compute the gradient of `updates`: expects at most "
           << kMaxCount << " updates that may replace each other but got "
           << count;
  // Updates write their numbers, from 1 on, and compare what is left.
  SmallVector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  SmallVector<int64_t> numbered(numBatch, 1);
  llvm::append_range(numbered, shape.drop_front(numBatch));
  auto type = RankedTensorType::get(numbered, b.getI32Type());
  Value numbers = b.build<ConstantOp>(
      DenseElementsAttr::get(type, ArrayRef<int32_t>(values)));
  numbers = pop::detail::buildExpand(b, numbers, shape);
  ArrayRef<int64_t> rows =
      op.getInput().getType().getShape().take_front(numBatch + 1);
  Value none = b.build<ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get(rows, b.getI32Type()), 0));
  Value last = buildGather(
      b, op, buildScatter(b, op, ScatterKind::Replace, none, numbers));
  SmallVector<int64_t> broadcast(shape);
  broadcast.resize(op.getUpdates().getType().getRank(), 1);
  return b.buildReshape(b.build<EqualOp>(last, numbers), broadcast);
}

static LogicalResult addOfReplace(GradientBuilder &b, ScatterOp op, Value dy) {
  if (b.isNeeded(op.getInput())) {
    Value zeros = b.buildSplat(op.getUpdates().getType(), 0.0);
    b.add(op.getInput(), buildScatter(b, op, ScatterKind::Replace, dy, zeros));
  }
  if (!b.isNeeded(op.getUpdates()))
    return success();
  FailureOr<Value> isLast = buildIsLast(b, op);
  if (failed(isLast))
    return failure();
  Value gathered = buildGather(b, op, dy);
  b.add(op.getUpdates(),
        *isLast ? pop::detail::buildMasked(b, *isLast, gathered) : gathered);
  return success();
}

static LogicalResult addOfMul(GradientBuilder &b, ScatterOp op, Value dy) {
  if (b.isNeeded(op.getUpdates()))
    return op.emitOpError()
           << "expects `kind` other than `mul` for a gradient of `updates`";
  Value ones = b.buildSplat(op.getType(), 1.0);
  Value factors = buildScatter(b, op, ScatterKind::Mul, ones,
                               b.getForward(op.getUpdates()));
  b.add(op.getInput(), b.build<MulOp>(dy, factors));
  return success();
}

/// All elements that are equal to the result get the same share.
static LogicalResult addOfExtremum(GradientBuilder &b, ScatterOp op, Value dy) {
  Value y = b.getForward(op.getResult());
  Value isInput = b.build<EqualOp>(b.getForward(op.getInput()), y);
  Value updates = b.getForward(op.getUpdates());
  Value isUpdate = b.build<EqualOp>(updates, buildGather(b, op, y));
  Value wide = pop::detail::buildWide(b, dy);
  Type type = getTypeOf(wide).getElementType();
  Value ofInput = b.buildCast(isInput, type);
  Value count = buildScatter(b, op, ScatterKind::Add, ofInput,
                             b.buildCast(isUpdate, type));
  Value share = b.build<DivOp>(wide, count);
  if (b.isNeeded(op.getInput()))
    b.add(op.getInput(), pop::detail::buildMasked(b, isInput, share));
  if (b.isNeeded(op.getUpdates()))
    b.add(op.getUpdates(),
          pop::detail::buildMasked(b, isUpdate, buildGather(b, op, share)));
  return success();
}

LogicalResult ScatterOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  switch (getKind()) {
  case ScatterKind::Replace:
    return addOfReplace(b, *this, dy);
  case ScatterKind::Add:
    b.add(getInput(), dy);
    if (b.isNeeded(getUpdates()))
      b.add(getUpdates(), buildGather(b, *this, dy));
    return success();
  case ScatterKind::Mul:
    return addOfMul(b, *this, dy);
  case ScatterKind::Max:
  case ScatterKind::Min:
    return addOfExtremum(b, *this, dy);
  }
  llvm_unreachable("unknown kind of scatter");
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void pop::detail::addRegionGradient(GradientBuilder &b, Value operand, Value dy,
                                    Value start, ArrayRef<int64_t> axes,
                                    ArrayRef<int64_t> sizes) {
  RankedTensorType type = getGradientType(operand.getType());
  b.addInto(operand,
            [=, loc = b.getLoc(), axes = SmallVector<int64_t>(axes),
             sizes = SmallVector<int64_t>(sizes)](OpBuilder &builder,
                                                  Value sum) -> Value {
              Value region = dy;
              // Regions may overlap: what the sum has there stays in it.
              if (sum) {
                Value current = DynamicSliceOp::create(builder, loc, sum, start,
                                                       axes, sizes);
                region = AddOp::create(builder, loc, current, dy);
              }
              return DynamicUpdateOp::create(
                  builder, loc, buildOrZeros(builder, loc, sum, type), region,
                  start, axes);
            });
}

LogicalResult DynamicSliceOp::buildGradients(GradientBuilder &b) {
  pop::detail::addRegionGradient(b, getInput(), b.getGradient(getResult()),
                                 b.getForward(getStart()), getAxes(),
                                 getSizes());
  return success();
}

LogicalResult DynamicUpdateOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult()), start = b.getForward(getStart());
  if (b.isNeeded(getInput())) {
    Value zeros = b.buildSplat(getUpdate().getType(), 0.0);
    b.add(getInput(), b.build<DynamicUpdateOp>(dy, zeros, start, getAxes()));
  }
  if (!b.isNeeded(getUpdate()))
    return success();
  SmallVector<int64_t> sizes;
  for (int64_t axis : getAxes())
    sizes.push_back(getUpdate().getType().getDimSize(axis));
  b.add(getUpdate(), b.build<DynamicSliceOp>(dy, start, getAxes(), sizes));
  return success();
}
