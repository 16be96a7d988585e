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
        PopBuilder b(builder, loc);
        return b.create<ScatterOp>(ScatterKind::Add, sum ? sum : b.zeros(type),
                                   indices, dy, numBatch);
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// The rows of `table` that the updates of `op` are for.
static Value buildGather(GradientBuilder &b, ScatterOp op, Value table) {
  return b.create<GatherOp>(table, b.getForward(op.getIndices()),
                            op.getBatchDims());
}

/// `input` with the updates of `op` scattered by `kind`.
static Value buildScatter(GradientBuilder &b, ScatterOp op, ScatterKind kind,
                          Value input, Value updates) {
  return b.create<ScatterOp>(kind, input, b.getForward(op.getIndices()),
                             updates, op.getBatchDims());
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
  Value numbers =
      b.constant(DenseElementsAttr::get(type, ArrayRef<int32_t>(values)));
  numbers = b.expand(numbers, shape);
  ArrayRef<int64_t> rows =
      op.getInput().getType().getShape().take_front(numBatch + 1);
  Value none = b.constant(
      DenseElementsAttr::get(RankedTensorType::get(rows, b.getI32Type()), 0));
  Value last = buildGather(
      b, op, buildScatter(b, op, ScatterKind::Replace, none, numbers));
  SmallVector<int64_t> broadcast(shape);
  broadcast.resize(op.getUpdates().getType().getRank(), 1);
  return b.reshape(b.equal(last, numbers), broadcast);
}

static LogicalResult addOfReplace(GradientBuilder &b, ScatterOp op, Value dy) {
  if (b.isNeeded(op.getInput())) {
    Value zeros = b.zeros(op.getUpdates().getType());
    b.addGradient(op.getInput(),
                  buildScatter(b, op, ScatterKind::Replace, dy, zeros));
  }
  if (!b.isNeeded(op.getUpdates()))
    return success();
  FailureOr<Value> isLast = buildIsLast(b, op);
  if (failed(isLast))
    return failure();
  Value gathered = buildGather(b, op, dy);
  b.addGradient(op.getUpdates(),
                *isLast ? b.mask(*isLast, gathered) : gathered);
  return success();
}

static LogicalResult addOfMul(GradientBuilder &b, ScatterOp op, Value dy) {
  if (b.isNeeded(op.getUpdates()))
    return op.emitOpError()
           << "expects `kind` other than `mul` for a gradient of `updates`";
  Value ones =
      b.splat(1.0, op.getType().getElementType(), op.getType().getShape());
  Value factors = buildScatter(b, op, ScatterKind::Mul, ones,
                               b.getForward(op.getUpdates()));
  b.addGradient(op.getInput(), b.mul(dy, factors));
  return success();
}

/// All elements that are equal to the result get the same share.
static LogicalResult addOfExtremum(GradientBuilder &b, ScatterOp op, Value dy) {
  Value y = b.getForward(op.getResult());
  Value isInput = b.equal(b.getForward(op.getInput()), y);
  Value updates = b.getForward(op.getUpdates());
  Value isUpdate = b.equal(updates, buildGather(b, op, y));
  Value wide = b.widen(dy);
  Type type = getTypeOf(wide).getElementType();
  Value ofInput = b.cast(isInput, type);
  Value count =
      buildScatter(b, op, ScatterKind::Add, ofInput, b.cast(isUpdate, type));
  Value share = b.div(wide, count);
  if (b.isNeeded(op.getInput()))
    b.addGradient(op.getInput(), b.mask(isInput, share));
  if (b.isNeeded(op.getUpdates()))
    b.addGradient(op.getUpdates(), b.mask(isUpdate, buildGather(b, op, share)));
  return success();
}

LogicalResult ScatterOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  switch (getKind()) {
  case ScatterKind::Replace:
    return addOfReplace(b, *this, dy);
  case ScatterKind::Add:
    b.addGradient(getInput(), dy);
    if (b.isNeeded(getUpdates()))
      b.addGradient(getUpdates(), buildGather(b, *this, dy));
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
// Sorts
//===----------------------------------------------------------------------===//

/// Returns, for each position of the results of `op`, the position in the row
/// from which its elements come.
static Value buildPermutation(GradientBuilder &b, SortOp op) {
  unsigned numKeys = op.getNumKeys();
  RankedTensorType type = op.getInputType(0);
  Type indexType = pop::detail::getIndexType(b.getI32Type(), op.getRowSize());
  Value index =
      b.iota(op.getRowSize(), indexType, op.getAxis(), type.getRank());
  SmallVector<Value> inputs;
  for (Value key : op.getInputs().take_front(numKeys))
    inputs.push_back(b.getForward(key));
  inputs.push_back(b.expand(index, type.getShape()));
  SmallVector<SortOrder> orders = op.getOrderValues();
  if (!op.getIndexed())
    orders.push_back(SortOrder::Ascending);
  auto sort = b.create<SortOp>(inputs, orders, op.getAxis(), /*indexed=*/true);
  return sort.getResults()[numKeys];
}

/// Sorting the gradients by the positions from which elements come moves them
/// to these positions.
LogicalResult SortOp::buildGradients(GradientBuilder &b) {
  SmallVector<Value> operands, inputs = {Value()};
  for (auto [operand, result] : llvm::zip_equal(getInputs(), getResults()))
    if (Value dy = b.getGradient(result); dy && b.isNeeded(operand)) {
      operands.push_back(operand);
      inputs.push_back(dy);
    }
  if (operands.empty())
    return success();
  inputs.front() = buildPermutation(b, *this);
  auto sort = b.create<SortOp>(inputs, SortOrder::Ascending, getAxis(),
                               /*indexed=*/true);
  for (auto [operand, dx] :
       llvm::zip_equal(operands, sort.getResults().drop_front()))
    b.addGradient(operand, dx);
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void pop::detail::addRegionGradient(GradientBuilder &b, Value operand, Value dy,
                                    Value start, ArrayRef<int64_t> axes,
                                    ArrayRef<int64_t> sizes) {
  RankedTensorType type = getGradientType(operand.getType());
  b.addInto(
      operand,
      [=, loc = b.getLoc(), axes = SmallVector<int64_t>(axes),
       sizes = SmallVector<int64_t>(sizes)](OpBuilder &builder,
                                            Value sum) -> Value {
        PopBuilder b(builder, loc);
        if (!sum)
          return b.create<DynamicUpdateOp>(b.zeros(type), dy, start, axes);
        // Regions may overlap: what the sum has there stays in it.
        Value current = b.create<DynamicSliceOp>(sum, start, axes, sizes);
        return b.create<DynamicUpdateOp>(sum, b.add(current, dy), start, axes);
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
    Value zeros = b.zeros(getUpdate().getType());
    b.addGradient(getInput(),
                  b.create<DynamicUpdateOp>(dy, zeros, start, getAxes()));
  }
  if (!b.isNeeded(getUpdate()))
    return success();
  SmallVector<int64_t> sizes;
  for (int64_t axis : getAxes())
    sizes.push_back(getUpdate().getType().getDimSize(axis));
  b.addGradient(getUpdate(),
                b.create<DynamicSliceOp>(dy, start, getAxes(), sizes));
  return success();
}
