//===- PopSelectAndScatterOp.cpp - Gradients of max pools -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

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
using pop::detail::Chunk;

LogicalResult SelectAndScatterOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferredReturnTypes) {
  InferError emitError{location, getOperationName()};
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto source = cast<RankedTensorType>(adaptor.getSource().getType());
  // c1 to c4
  FailureOr<RankedTensorType> pooled = pop::detail::inferPool(
      emitError, operand,
      {adaptor.getKernel(), adaptor.getStrides(), adaptor.getDilations(),
       adaptor.getPads(), adaptor.getCeilMode()},
      "operand");
  if (failed(pooled))
    return failure();
  // c5
  ReduceKind kind = adaptor.getKind();
  if (kind != ReduceKind::Max && kind != ReduceKind::Min)
    return emitError("expects `kind` to be `max` or `min` but got `",
                     stringifyReduceKind(kind), "`");
  // c6
  if (source.getShape() != pooled->getShape() ||
      !isAccumulatorType(operand.getElementType(), source.getElementType()))
    return emitError("expects `source` of shape [", pooled->getShape(),
                     "] and element type ",
                     getComputeType(operand.getElementType()), " but got ",
                     source);
  // c7
  inferredReturnTypes.push_back(operand.clone(source.getElementType()));
  return success();
}

static SmallVector<WindowDim> getWindows(SelectAndScatterOp op) {
  return getWindowDims(op.getOperand().getType().getShape().drop_front(2),
                       {op.getKernel(), op.getStrides(), op.getDilations(),
                        op.getPads(), op.getCeilMode()});
}

FailureOr<SmallVector<Value>>
SelectAndScatterOp::decompose(OpBuilder &builder) {
  Type type = getType().getElementType(), computeType = getComputeType(type);
  if (type == computeType)
    return failure();
  PopBuilder b(builder, getLoc());
  Value wide = b.create<SelectAndScatterOp>(
      getKind(), getOperand(), b.cast(getSource(), computeType), getKernel(),
      getStrides(), getDilations(), getPads(), getCeilMode());
  return SmallVector<Value>{b.cast(wide, type)};
}

//===----------------------------------------------------------------------===//
// Codelet
//===----------------------------------------------------------------------===//

/// Loops over the batch and the channels: windows overlap, so that a vertex has
/// whole planes.
FailureOr<TileForm> SelectAndScatterOp::getTileForm(ArrayRef<int64_t>) {
  if (isNarrowFloat(getType().getElementType()))
    return failure();
  TileForm form;
  auto getAccess = [](RankedTensorType type) {
    ipu::TileAccess access = {llvm::to_vector(type.getShape()), {{0}, {1}}};
    access.dims.resize(access.domain.size());
    return access;
  };
  form.loops = llvm::to_vector(getType().getShape().take_front(2));
  form.inputs = {getAccess(getOperand().getType()),
                 getAccess(getSource().getType())};
  form.results = {getAccess(getType())};
  return form;
}

namespace {
/// Builds what one window does.
struct WindowSelector {
  SelectAndScatterOp op;
  Value operand, source, result;
  SmallVector<WindowDim> windows = getWindows(op);

  static Value buildIndex(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value buildPosition(OpBuilder &b, Location loc, const WindowDim &window,
                      Value number, Value kernel);
  SmallVector<Value> buildChoice(OpBuilder &b, Location loc, ValueRange loops,
                                 ValueRange kernel, ValueRange best);
  void build(OpBuilder &b, Location loc, ValueRange loops);
};
} // namespace

/// Where position `kernel` of window `number` lies; outside of the operand, a
/// number that is not below its size as an unsigned one.
Value WindowSelector::buildPosition(OpBuilder &b, Location loc,
                                    const WindowDim &window, Value number,
                                    Value kernel) {
  Value start =
      arith::MulIOp::create(b, loc, number, buildIndex(b, loc, window.stride));
  Value offset = arith::MulIOp::create(b, loc, kernel,
                                       buildIndex(b, loc, window.dilation));
  Value padded = arith::AddIOp::create(b, loc, start, offset);
  return arith::SubIOp::create(b, loc, padded,
                               buildIndex(b, loc, window.padLow));
}

/// Returns the best element and its position after one more of the window;
/// `best` is those before it. Positions of -1 stand for none.
SmallVector<Value> WindowSelector::buildChoice(OpBuilder &b, Location loc,
                                               ValueRange loops,
                                               ValueRange kernel,
                                               ValueRange best) {
  Value zero = buildIndex(b, loc, 0), takes;
  SmallVector<Value> positions, indices(loops.take_front(2));
  for (auto [i, window] : llvm::enumerate(windows)) {
    positions.push_back(buildPosition(b, loc, window, loops[2 + i], kernel[i]));
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           positions.back(),
                                           buildIndex(b, loc, window.input));
    takes = takes ? arith::AndIOp::create(b, loc, takes, isInside).getResult()
                  : isInside;
    indices.push_back(
        arith::SelectOp::create(b, loc, isInside, positions.back(), zero));
  }
  Value x = memref::LoadOp::create(b, loc, operand, indices);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, best[1], zero);
  // The first one of equally extreme elements stays selected.
  Value isBetter = pop::detail::buildIsMoreExtreme(
      b, loc, op.getKind(), op.getOperand().getType().getElementType(), x,
      best[0]);
  takes = arith::AndIOp::create(
      b, loc, takes, arith::OrIOp::create(b, loc, isFirst, isBetter));
  SmallVector<Value> chosen = {
      arith::SelectOp::create(b, loc, takes, x, best[0])};
  for (auto [position, before] : llvm::zip_equal(positions, best.drop_front()))
    chosen.push_back(arith::SelectOp::create(b, loc, takes, position, before));
  return chosen;
}

void WindowSelector::build(OpBuilder &b, Location loc, ValueRange loops) {
  Type type = cast<MemRefType>(operand.getType()).getElementType();
  Value zero = buildIndex(b, loc, 0), one = buildIndex(b, loc, 1);
  SmallVector<Value> ends,
      best = {arith::ConstantOp::create(b, loc, b.getZeroAttr(type))};
  for (const WindowDim &window : windows) {
    ends.push_back(buildIndex(b, loc, window.kernel));
    best.push_back(buildIndex(b, loc, -1));
  }
  SmallVector<Value> zeros(ends.size(), zero), ones(ends.size(), one);
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, zeros, ends, ones, best,
      [&](OpBuilder &b, Location loc, ValueRange kernel, ValueRange args) {
        SmallVector<Value> chosen = buildChoice(b, loc, loops, kernel, args);
        return scf::ValueVector(chosen.begin(), chosen.end());
      });
  ValueRange selected = ValueRange(nest.results).drop_front();
  Value isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                      selected[0], zero);
  scf::IfOp::create(b, loc, isAny, [&](OpBuilder &b, Location loc) {
    SmallVector<Value> to(loops.take_front(2));
    llvm::append_range(to, selected);
    Value addend = memref::LoadOp::create(b, loc, source, loops);
    Value sum = memref::LoadOp::create(b, loc, result, to);
    sum = pop::detail::buildCombine(b, loc, ReduceKind::Sum,
                                    op.getType().getElementType(), sum, addend);
    memref::StoreOp::create(b, loc, sum, result, to);
    scf::YieldOp::create(b, loc);
  });
}

void SelectAndScatterOp::buildCodelet(OpBuilder &builder, Location loc,
                                      ValueRange buffers, const TileForm &) {
  WindowSelector selector = {*this, buffers[0], buffers[1], buffers[2]};
  Type type = cast<MemRefType>(selector.result.getType()).getElementType();
  linalg::FillOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type))
          .getResult(),
      selector.result);
  int64_t numLoops = getType().getRank();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> ends;
  for (int64_t i = 0; i < numLoops; ++i)
    ends.push_back(memref::DimOp::create(builder, loc, selector.source, i));
  scf::buildLoopNest(builder, loc, SmallVector<Value>(numLoops, zero), ends,
                     SmallVector<Value>(numLoops, one),
                     [&](OpBuilder &b, Location loc, ValueRange loops) {
                       selector.build(b, loc, loops);
                     });
}

CodeletCost SelectAndScatterOp::getCodeletCost() {
  CodeletCost cost =
      pop::detail::getCost(*this, CodeletCostKind::SelectAndScatter);
  cost.combined = computeProduct(getKernel());
  return cost;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> SelectAndScatterOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (succeeded(getTileForm({})) && getType().getNumElements() != 0 &&
      getSource().getType().getNumElements() != 0)
    pop::detail::addSplit(splits, "rows", getType().getDimSize(2));
  return splits;
}

/// Positions `chunk` of the first spatial dimension of the result: the sums of
/// all windows that touch them, of which others give the same again.
static Value buildRows(PopBuilder &b, SelectAndScatterOp op,
                       const WindowDim &window, Chunk chunk) {
  int64_t end = chunk.start + chunk.size, extent = window.getExtent();
  int64_t first = std::max<int64_t>(
      llvm::divideCeilSigned(chunk.start + window.padLow - extent + 1,
                             window.stride),
      0);
  int64_t last = std::min(window.getNumWindows() - 1,
                          (end - 1 + window.padLow) / window.stride);
  SmallVector<int64_t> shape(op.getType().getShape());
  shape[2] = chunk.size;
  int64_t reachBegin = first * window.stride - window.padLow;
  int64_t reachEnd = last * window.stride - window.padLow + extent;
  int64_t begin = std::max<int64_t>(reachBegin, 0);
  int64_t stop = std::min(reachEnd, window.input);
  int64_t from = std::max(begin, chunk.start), to = std::min(stop, end);
  if (first > last || from >= to)
    return b.zeros(op.getType().clone(shape));
  SmallVector<int64_t> pads(op.getPads());
  pads.resize(2 * op.getKernel().size(), 0);
  pads[0] = begin - reachBegin;
  pads[op.getKernel().size()] = reachEnd - stop;
  Value operand = b.slice(op.getOperand(), 2, begin, stop - begin);
  Value source = b.slice(op.getSource(), 2, first, last - first + 1);
  Value part = b.create<SelectAndScatterOp>(
      op.getKind(), operand, source, op.getKernel(), op.getStrides(),
      op.getDilations(), pads, op.getCeilMode());
  part = b.slice(part, 2, from - begin, to - from);
  SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0);
  low[2] = from - chunk.start;
  high[2] = end - to;
  return b.pad(part, low, high);
}

SmallVector<Value> SelectAndScatterOp::buildTileSplit(OpBuilder &builder,
                                                      const TileSplit &,
                                                      int64_t parts) {
  PopBuilder b(builder, getLoc());
  WindowDim window = getWindows(*this).front();
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(window.input, parts))
    results.push_back(buildRows(b, *this, window, chunk));
  return {b.create<ConcatOp>(results, /*axis=*/2)};
}
