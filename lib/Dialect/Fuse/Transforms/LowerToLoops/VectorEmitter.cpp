//===- VectorEmitter.cpp - Statements on vectors --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "../ReductionCombiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value VectorEmitter::toVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get(lanes.getNum(), value.getType()), value);
}

Value VectorEmitter::createMask(const Statement &statement) {
  Value mask;
  for (const IndexBound &bound : statement.bounds) {
    if (!lanes.vary(bound.index) || !bounds.isDetermined(bound.index) ||
        bounds.isAssumed(bound))
      continue;
    // Lanes up to the bound: ceil((bound - index of lane 0) / factor).
    AffineExpr factor = *lanes.getCoefficient(bound.index);
    AffineExpr rest = bound.bound - lanes.at(0, bound.index);
    Value count = index.getValue(rest.ceilDiv(factor));
    auto type = VectorType::get(lanes.getNum(), b.getI1Type());
    Value holds = vector::CreateMaskOp::create(b, type, count);
    mask = mask ? arith::AndIOp::create(b, mask, holds) : holds;
  }
  return mask;
}

Value VectorEmitter::createIndex(AffineExpr expr) {
  std::optional<AffineExpr> factor = lanes.getCoefficient(expr);
  Value base = index.getValue(lanes.at(0, expr));
  if (factor && *factor == b.getAffineConstantExpr(0))
    return base;
  auto type = VectorType::get(lanes.getNum(), b.getIndexType());
  if (!factor) {
    SmallVector<Value> values;
    for (int64_t lane = 0; lane < lanes.getNum(); ++lane)
      values.push_back(index.getValue(lanes.at(lane, expr)));
    return vector::FromElementsOp::create(b, type, values);
  }
  Value steps = vector::StepOp::create(b, type);
  steps = arith::MulIOp::create(b, steps, toVector(index.getValue(*factor)));
  return arith::AddIOp::create(b, toVector(base), steps);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// How lanes lie in memory.
enum class Layout { Uniform, Contiguous, Reversed, Scattered };

/// Whether a vector has its elements where a memref has them: LLVM packs those
/// of other widths to the bit.
static bool isUnpacked(Type element) {
  return element.isIndex() ||
         (element.getIntOrFloatBitWidth() >= 8 &&
          llvm::isPowerOf2_32(element.getIntOrFloatBitWidth()));
}

static Layout getLayout(const VectorLanes &lanes, Value memref,
                        ArrayRef<AffineExpr> indices) {
  auto type = cast<MemRefType>(memref.getType());
  bool isUniform = true, isContiguous = true, isReversed = true;
  for (auto [i, expr] : llvm::enumerate(indices)) {
    std::optional<AffineExpr> factor = lanes.getCoefficient(expr);
    auto constant = factor ? dyn_cast<AffineConstantExpr>(*factor) : nullptr;
    int64_t value = constant ? constant.getValue() : -1;
    isUniform &= value == 0;
    bool isLast = i + 1 == indices.size();
    isContiguous &= value == (isLast ? 1 : 0);
    isReversed &= constant && constant.getValue() == (isLast ? -1 : 0);
  }
  if (isUniform)
    return Layout::Uniform;
  if (!isUnpacked(type.getElementType()) || !type.isLastDimUnitStride())
    return Layout::Scattered;
  if (isReversed)
    return Layout::Reversed;
  return isContiguous ? Layout::Contiguous : Layout::Scattered;
}

SmallVector<AffineExpr>
VectorEmitter::getIndicesOf(int64_t lane, ArrayRef<AffineExpr> indices) const {
  return llvm::map_to_vector(
      indices, [&](AffineExpr expr) { return lanes.at(lane, expr); });
}

Value VectorEmitter::createLoad(const Statement &statement, Value memref,
                                ArrayRef<AffineExpr> indices) {
  Layout layout = getLayout(lanes, memref, indices);
  if (layout == Layout::Uniform)
    return index.createLoad(memref, indices);
  auto type = VectorType::get(
      lanes.getNum(), cast<MemRefType>(memref.getType()).getElementType());
  Value mask = createMask(statement);
  if (layout == Layout::Contiguous)
    return index.createVectorLoad(type, memref, indices, mask);
  if (layout == Layout::Reversed && !mask) {
    // The last lane reads the first element.
    Value loaded = index.createVectorLoad(
        type, memref, getIndicesOf(lanes.getNum() - 1, indices), mask);
    return vector::ShuffleOp::create(
        b, loaded, loaded,
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(lanes.getNum()))));
  }
  return createScatteredLoad(type, memref, indices, mask);
}

Value VectorEmitter::createScatteredLoad(VectorType type, Value memref,
                                         ArrayRef<AffineExpr> indices,
                                         Value mask) {
  // Where a lane is masked out, read what lane 0 reads, which is in bounds.
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.getNum(); ++lane) {
    SmallVector<AffineExpr> own = getIndicesOf(lane, indices);
    if (!mask || lane == 0) {
      elements.push_back(index.createLoad(memref, own));
      continue;
    }
    Value isOn = vector::ExtractOp::create(b, mask, lane);
    SmallVector<Value> chosen;
    for (auto [expr, base] : llvm::zip_equal(own, indices)) {
      Value here = index.getValue(expr);
      Value first = index.getValue(lanes.at(0, base));
      chosen.push_back(arith::SelectOp::create(b, isOn, here, first));
    }
    elements.push_back(memref::LoadOp::create(b, memref, chosen));
  }
  return vector::FromElementsOp::create(b, type, elements);
}

void VectorEmitter::createStore(const Statement &statement, Value value,
                                Value memref, ArrayRef<AffineExpr> indices) {
  Layout layout = getLayout(lanes, memref, indices);
  if (layout == Layout::Uniform) {
    assert(!isa<VectorType>(value.getType()) && "lanes write one element");
    index.createStore(value, memref, indices);
    return;
  }
  Value mask = createMask(statement);
  value = toVector(value);
  if (layout == Layout::Contiguous)
    index.createVectorStore(value, memref, indices, mask);
  else
    createScatteredStore(value, memref, indices, mask);
}

void VectorEmitter::createScatteredStore(Value value, Value memref,
                                         ArrayRef<AffineExpr> indices,
                                         Value mask) {
  for (int64_t lane = 0; lane < lanes.getNum(); ++lane) {
    SmallVector<AffineExpr> own = getIndicesOf(lane, indices);
    Value element = vector::ExtractOp::create(b, value, lane);
    if (!mask) {
      index.createStore(element, memref, own);
      continue;
    }
    Value isOn = vector::ExtractOp::create(b, mask, lane);
    auto ifOp = scf::IfOp::create(b, isOn, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    index.createStore(element, memref, own);
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Operation *VectorEmitter::clone(Operation *op, IRMapping &mapping) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(toVector(mapping.lookupOrDefault(operand)));
  for (Type type : op->getResultTypes())
    state.addTypes(VectorType::get(lanes.getNum(), type));
  state.addAttributes(op->getAttrs());
  Operation *clone = b.create(state);
  mapping.map(op->getResults(), clone->getResults());
  return clone;
}

Value VectorEmitter::reduce(Operation *combiner, Value value, Value mask) {
  value = toVector(value);
  if (mask) {
    Value neutral =
        arith::ConstantOp::create(b, *fuse::getNeutralElement(combiner));
    value = arith::SelectOp::create(b, mask, value, toVector(neutral));
  }
  auto combine = [&](Value lhs, Value rhs) {
    OperationState state(combiner->getLoc(), combiner->getName());
    state.addOperands({lhs, rhs});
    state.addTypes(lhs.getType());
    state.addAttributes(combiner->getAttrs());
    return b.create(state)->getResult(0);
  };
  int64_t size = lanes.getNum();
  while (size % 2 == 0) {
    size /= 2;
    Value low =
        vector::ExtractStridedSliceOp::create(b, value, {0}, {size}, {1});
    Value high =
        vector::ExtractStridedSliceOp::create(b, value, {size}, {size}, {1});
    value = combine(low, high);
  }
  Value result = vector::ExtractOp::create(b, value, 0);
  for (int64_t i = 1; i < size; ++i)
    result = combine(result, vector::ExtractOp::create(b, value, i));
  return result;
}
