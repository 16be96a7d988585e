//===- LowerToLoopsVector.cpp - Statements on vectors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop marked `vectorize` is not written: the statements in it work on
// vectors with a lane for each iteration. Values that are the same in all lanes
// stay scalars as long as possible. Sums over lanes add the upper half to the
// lower half until one is left, so that their bits are defined.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "../NeutralElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

Operation *mlir::fuse::getCombiner(linalg::LinalgOp op, unsigned result) {
  Block *body = op.getBlock();
  Operation *combiner =
      body->getTerminator()->getOperand(result).getDefiningOp();
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || combiner->getNumResults() != 1 ||
      !combiner->hasOneUse() || !out.hasOneUse() ||
      *out.user_begin() != combiner || !fuse::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

int64_t NestEmitter::getNumLanes(ClassId loopClass) const {
  return cast<AffineConstantExpr>(classes[loopClass].extent).getValue();
}

LogicalResult NestEmitter::withLanes(ClassId loopClass,
                                     function_ref<LogicalResult()> body) {
  lane = loopClass;
  index->bind(loopClass, 0);
  LogicalResult result = body();
  index->unbind(loopClass);
  lane = std::nullopt;
  return result;
}

AffineExpr NestEmitter::atDim(AffineExpr expr, ClassId loopClass, int64_t i) {
  return expr.replace(getAffineDimExpr(loopClass, expr.getContext()),
                      getAffineConstantExpr(i, expr.getContext()));
}

std::optional<AffineExpr> NestEmitter::getLaneFactor(AffineExpr expr,
                                                     ClassId lane) {
  MLIRContext *context = expr.getContext();
  if (!expr.isFunctionOfDim(lane))
    return getAffineConstantExpr(0, context);
  if (isa<AffineDimExpr>(expr))
    return getAffineConstantExpr(1, context);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<AffineExpr> lhs = getLaneFactor(binary.getLHS(), lane);
  std::optional<AffineExpr> rhs = getLaneFactor(binary.getRHS(), lane);
  if (!lhs || !rhs)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (binary.getKind() == AffineExprKind::Mul &&
      binary.getRHS().isSymbolicOrConstant())
    return *lhs * binary.getRHS();
  return std::nullopt;
}

bool NestEmitter::hasLane(TensorId tensor, ClassId loopClass) const {
  return llvm::is_contained(classes.getClasses(tensor), loopClass);
}

bool NestEmitter::isReducedByLane(TensorId tensor, ClassId loopClass) const {
  for (auto [i, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    if (classes.getClass(tensor, i) == loopClass)
      return schedule.getAxis(axis).isReduction();
  return false;
}

bool NestEmitter::canVectorize(TensorId tensor, ClassId loopClass) const {
  linalg::LinalgOp op = fusion.getOp(tensor);
  if (!hasLane(tensor, loopClass))
    return false;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    // Lanes that are masked out compute something too.
    if (isa<linalg::IndexOp>(inner))
      continue;
    if (inner.getNumOperands() != 0 &&
        (!OpTrait::hasElementwiseMappableTraits(&inner) ||
         !isSpeculatable(&inner)))
      return false;
    if (!llvm::all_of(inner.getResultTypes(), VectorType::isValidElementType))
      return false;
  }
  for (BlockArgument argument : op.getBlock()->getArguments())
    if (!VectorType::isValidElementType(argument.getType()))
      return false;
  for (const IndexBound &bound : states[tensor].compute.bounds) {
    std::optional<AffineExpr> factor = getLaneFactor(bound.index, loopClass);
    auto constant = factor ? dyn_cast<AffineConstantExpr>(*factor) : nullptr;
    if (!constant || constant.getValue() < 0)
      return false;
  }
  if (isReducedByLane(tensor, loopClass))
    for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
      if (!getCombiner(op, i))
        return false;
  return true;
}

Value NestEmitter::toVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get(getNumLanes(), value.getType()), value);
}

Value NestEmitter::getMask(const Statement &statement) {
  Value mask;
  for (const IndexBound &bound : statement.bounds) {
    if (!isOfLane(bound) || !dependsOnlyOn(bound.index, std::nullopt) ||
        isAssumed(bound))
      continue;
    // Lanes up to the bound: ceil((bound - index of lane 0) / factor).
    AffineExpr factor = *getLaneFactor(bound.index, *lane);
    AffineExpr rest = bound.bound - atLane(bound.index, 0);
    Value count = index->getValue(rest.ceilDiv(factor));
    auto type = VectorType::get(getNumLanes(), b.getI1Type());
    Value holds = vector::CreateMaskOp::create(b, type, count);
    mask = mask ? arith::AndIOp::create(b, mask, holds) : holds;
  }
  return mask;
}

Value NestEmitter::createLaneIndex(AffineExpr expr) {
  std::optional<AffineExpr> factor = getLaneFactor(expr, *lane);
  Value base = index->getValue(atLane(expr, 0));
  if (factor && *factor == zero())
    return base;
  auto type = VectorType::get(getNumLanes(), b.getIndexType());
  if (!factor) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < getNumLanes(); ++i)
      lanes.push_back(index->getValue(atLane(expr, i)));
    return vector::FromElementsOp::create(b, type, lanes);
  }
  Value steps = vector::StepOp::create(b, type);
  steps = arith::MulIOp::create(b, steps, toVector(index->getValue(*factor)));
  return arith::AddIOp::create(b, toVector(base), steps);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// How lanes lie in memory.
enum class Layout { Uniform, Contiguous, Scattered };

/// Whether a vector has its elements where a memref has them: LLVM packs those
/// of other widths to the bit.
static bool isUnpacked(Type element) {
  return element.isIndex() ||
         (element.getIntOrFloatBitWidth() >= 8 &&
          llvm::isPowerOf2_32(element.getIntOrFloatBitWidth()));
}

static Layout
getLayout(Value memref, ArrayRef<AffineExpr> indices,
          function_ref<std::optional<AffineExpr>(AffineExpr)> getFactor) {
  bool isUniform = true, isContiguous = true;
  for (auto [i, expr] : llvm::enumerate(indices)) {
    std::optional<AffineExpr> factor = getFactor(expr);
    auto constant = factor ? dyn_cast<AffineConstantExpr>(*factor) : nullptr;
    int64_t value = constant ? constant.getValue() : -1;
    isUniform &= value == 0;
    isContiguous &= value == (i + 1 == indices.size() ? 1 : 0);
  }
  if (isUniform)
    return Layout::Uniform;
  isContiguous &=
      isUnpacked(cast<MemRefType>(memref.getType()).getElementType());
  return isContiguous ? Layout::Contiguous : Layout::Scattered;
}

Value NestEmitter::createLaneLoad(const Statement &statement, Value memref,
                                  ArrayRef<AffineExpr> indices) {
  Layout layout = getLayout(
      memref, indices, [&](AffineExpr e) { return getLaneFactor(e, *lane); });
  if (layout == Layout::Uniform)
    return index->createLoad(memref, indices);
  auto type = VectorType::get(
      getNumLanes(), cast<MemRefType>(memref.getType()).getElementType());
  Value mask = getMask(statement);
  if (layout == Layout::Contiguous)
    return index->createVectorLoad(type, memref, indices, mask);
  // Where a lane is masked out, read what lane 0 reads, which is in bounds.
  SmallVector<Value> lanes;
  for (int64_t i = 0; i < getNumLanes(); ++i) {
    SmallVector<AffineExpr> own = llvm::map_to_vector(
        indices, [&](AffineExpr expr) { return atLane(expr, i); });
    if (!mask || i == 0) {
      lanes.push_back(index->createLoad(memref, own));
      continue;
    }
    Value isOn = vector::ExtractOp::create(b, mask, i);
    SmallVector<Value> chosen;
    for (auto [expr, base] : llvm::zip_equal(own, indices)) {
      Value here = index->getValue(expr);
      Value first = index->getValue(atLane(base, 0));
      chosen.push_back(arith::SelectOp::create(b, isOn, here, first));
    }
    lanes.push_back(memref::LoadOp::create(b, memref, chosen));
  }
  return vector::FromElementsOp::create(b, type, lanes);
}

void NestEmitter::createLaneStore(const Statement &statement, Value value,
                                  Value memref, ArrayRef<AffineExpr> indices) {
  Layout layout = getLayout(
      memref, indices, [&](AffineExpr e) { return getLaneFactor(e, *lane); });
  if (layout == Layout::Uniform) {
    assert(!isa<VectorType>(value.getType()) && "lanes write one element");
    index->createStore(value, memref, indices);
    return;
  }
  Value mask = getMask(statement);
  value = toVector(value);
  if (layout == Layout::Contiguous) {
    index->createVectorStore(value, memref, indices, mask);
    return;
  }
  for (int64_t i = 0; i < getNumLanes(); ++i) {
    SmallVector<AffineExpr> own = llvm::map_to_vector(
        indices, [&](AffineExpr expr) { return atLane(expr, i); });
    Value element = vector::ExtractOp::create(b, value, i);
    if (!mask) {
      index->createStore(element, memref, own);
      continue;
    }
    Value isOn = vector::ExtractOp::create(b, mask, i);
    auto ifOp = scf::IfOp::create(b, isOn, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    index->createStore(element, memref, own);
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Operation *NestEmitter::cloneOnVectors(Operation *op, IRMapping &mapping) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(toVector(mapping.lookupOrDefault(operand)));
  for (Type type : op->getResultTypes())
    state.addTypes(VectorType::get(getNumLanes(), type));
  state.addAttributes(op->getAttrs());
  Operation *clone = b.create(state);
  mapping.map(op->getResults(), clone->getResults());
  return clone;
}

Value NestEmitter::reduceByHalves(Operation *combiner, Value vector) {
  auto combine = [&](Value lhs, Value rhs) {
    OperationState state(combiner->getLoc(), combiner->getName());
    state.addOperands({lhs, rhs});
    state.addTypes(lhs.getType());
    state.addAttributes(combiner->getAttrs());
    return b.create(state)->getResult(0);
  };
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  while (size % 2 == 0) {
    size /= 2;
    Value low =
        vector::ExtractStridedSliceOp::create(b, vector, {0}, {size}, {1});
    Value high =
        vector::ExtractStridedSliceOp::create(b, vector, {size}, {size}, {1});
    vector = combine(low, high);
  }
  Value result = vector::ExtractOp::create(b, vector, 0);
  for (int64_t i = 1; i < size; ++i)
    result = combine(result, vector::ExtractOp::create(b, vector, i));
  return result;
}

SmallVector<Value> NestEmitter::reduceLanes(TensorId tensor,
                                            IRMapping &mapping) {
  linalg::LinalgOp op = fusion.getOp(tensor);
  llvm::SmallPtrSet<Operation *, 4> combiners;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
    combiners.insert(getCombiner(op, i));
  cloneBody(tensor, mapping, combiners);
  Value mask = getMask(states[tensor].compute);
  SmallVector<Value> results;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i) {
    Operation *combiner = getCombiner(op, i);
    BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(i));
    bool isOutFirst = combiner->getOperand(0) == out;
    Value other = combiner->getOperand(isOutFirst ? 1 : 0);
    Value added = mapping.lookupOrNull(other);
    added = toVector(added ? added : getScalar(other));
    if (mask) {
      Value neutral =
          arith::ConstantOp::create(b, *fuse::getNeutralElement(combiner));
      added = arith::SelectOp::create(b, mask, added, toVector(neutral));
    }
    IRMapping last;
    last.map(out, mapping.lookup(out));
    last.map(other, reduceByHalves(combiner, added));
    results.push_back(b.clone(*combiner, last)->getResult(0));
  }
  return results;
}
