//===- FusionBoundary.cpp - Tensors of a fusion as buffers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionBoundary.h"

#include "../FusionViews.h"
#include "MemRefViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

static MemRefType getMemRefType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

FusionBoundary::FusionBoundary(const FusionSchedule &fusion,
                               const InputLayouts &layouts,
                               ImplicitLocOpBuilder &b)
    : op(fusion.getFusion()), fusion(fusion), layouts(layouts), b(b) {}

//===----------------------------------------------------------------------===//
// Before the nest
//===----------------------------------------------------------------------===//

LogicalResult FusionBoundary::emitInputs() {
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody().getArguments(), op.getInputs())) {
    if (!isa<RankedTensorType>(argument.getType())) {
      scalars.map(argument, operand);
      continue;
    }
    FailureOr<MemRefType> type = layouts.getType(operand);
    if (failed(type))
      return op.emitOpError() << "expects input " << argument.getArgNumber()
                              << " to have a layout in memory";
    Value buffer = bufferization::ToBufferOp::create(b, *type, operand,
                                                     /*read_only=*/true);
    buffers.map(argument, buffer);
  }
  if (failed(emitScalars()))
    return failure();
  for (const FusionSchedule::Symbol &symbol : fusion.getSymbols())
    symbols.push_back(getDim(symbol.value, symbol.dim));
  return success();
}

Value FusionBoundary::getDim(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, type.getDimSize(dim));
  if (Value buffer = buffers.lookupOrNull(tensor))
    return memref::DimOp::create(b, buffer, dim);
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return scalars.lookupOrDefault(empty.getDynamicSize(dim));
  if (Operation *view = tensor.getDefiningOp(); view && isView(view))
    return getViewDim(view, dim);
  auto structured = tensor.getDefiningOp<DestinationStyleOpInterface>();
  return getDim(structured.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                dim);
}

Value FusionBoundary::getViewDim(Operation *view, unsigned dim) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    Value size;
    for (int64_t inner : collapse.getReassociationIndices()[dim]) {
      Value factor = getDim(collapse.getSrc(), inner);
      size = size ? arith::MulIOp::create(b, size, factor) : factor;
    }
    return size;
  }
  SmallVector<OpFoldResult> sizes;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    sizes = expand.getMixedOutputShape();
  } else {
    auto slice = cast<tensor::ExtractSliceOp>(view);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [number, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(number))
        sizes.push_back(size);
  }
  return scalars.lookupOrDefault(cast<Value>(sizes[dim]));
}

/// Whether constants say where elements of `view`, and of views of it, are in
/// its source.
static bool haveMaps(Operation *view) {
  return getViewMap(view) &&
         llvm::all_of(view->getUsers(), [](Operation *user) {
           return !isView(user) || haveMaps(user);
         });
}

void FusionBoundary::emitView(Operation *view) {
  Value source = buffers.lookup(getViewSource(view));
  Value memory = createMemRefView(b, view, source, scalars);
  if (!memory && haveMaps(view))
    return;
  if (!memory)
    memory = createMemRefView(b, view, copy(source), scalars);
  buffers.map(view->getResult(0), memory);
}

Value FusionBoundary::copy(Value source) {
  auto type = cast<MemRefType>(source.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, source, dim));
  Value whole = memref::AllocOp::create(
      b, MemRefType::get(type.getShape(), type.getElementType()), sizes,
      b.getI64IntegerAttr(64));
  memref::CopyOp::create(b, source, whole);
  temporaries.push_back(whole);
  return whole;
}

LogicalResult FusionBoundary::emitScalars() {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (auto dimOp = dyn_cast<tensor::DimOp>(inner)) {
      std::optional<int64_t> dim = dimOp.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dimOp.getSource().getType());
      if (!dim || !type || *dim < 0 || *dim >= type.getRank())
        return inner.emitError("expects a ranked tensor and a constant index "
                               "of one of its dimensions");
      scalars.map(dimOp.getResult(), getDim(dimOp.getSource(), *dim));
      continue;
    }
    if (isView(&inner) && buffers.contains(getViewSource(&inner))) {
      emitView(&inner);
      continue;
    }
    bool isScalar =
        !isa<linalg::LinalgOp>(inner) &&
        llvm::none_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::none_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>);
    if (isScalar)
      b.clone(inner, scalars);
  }
  return success();
}

Value FusionBoundary::allocate(Value tensor) {
  MemRefType type = getMemRefType(tensor);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(getDim(tensor, dim));
  return memref::AllocOp::create(b, type, sizes, b.getI64IntegerAttr(64));
}

void FusionBoundary::emitOutputs(std::vector<TensorState> &states) {
  llvm::DenseMap<Value, Value> made;
  for (Value value : op.getBody().front().getTerminator()->getOperands()) {
    Value &buffer = made[value];
    if (!buffer) {
      buffer = allocate(value);
      auto setBuffer = [&](Value result, Value memory) {
        TensorState &state = states[*fusion.getTensor(result)];
        state.isWhole = true;
        state.buffers[cast<OpResult>(result).getResultNumber()] = memory;
      };
      SmallVector<tensor::InsertSliceOp> join = getJoin(value);
      if (join.empty())
        setBuffer(value, buffer);
      for (tensor::InsertSliceOp insert : join)
        setBuffer(insert.getSource(),
                  createMemRefPart(b, insert, buffer, scalars));
    }
    outputs.push_back(buffer);
  }
  // Results beside an output have no other memory.
  for (TensorId tensor : fusion.schedule.getProgramOrder()) {
    if (!states[tensor].isWhole)
      continue;
    for (auto [result, buffer] : llvm::zip_equal(
             fusion.getOp(tensor)->getResults(), states[tensor].buffers)) {
      if (buffer || result.use_empty())
        continue;
      buffer = allocate(result);
      temporaries.push_back(buffer);
    }
  }
}

//===----------------------------------------------------------------------===//
// After the nest
//===----------------------------------------------------------------------===//

SmallVector<Value> FusionBoundary::emitResults() {
  b.setLoc(op.getLoc());
  for (Value buffer : llvm::reverse(temporaries))
    memref::DeallocOp::create(b, buffer);
  SmallVector<Value> results;
  for (auto [type, buffer] : llvm::zip_equal(op.getResultTypes(), outputs))
    results.push_back(bufferization::ToTensorOp::create(
        b, type, buffer, /*restrict=*/true, /*writable=*/true));
  return results;
}
