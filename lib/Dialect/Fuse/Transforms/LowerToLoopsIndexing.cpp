//===- LowerToLoopsIndexing.cpp - Loops and accesses of a nest ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LowerToLoopsIndexing.h.
//
//===----------------------------------------------------------------------===//

#include "LowerToLoopsIndexing.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace mlir::fuse;

IndexBuilder::IndexBuilder(ImplicitLocOpBuilder &b, bool isAffine,
                           ArrayRef<Value> symbols, unsigned numClasses)
    : b(b), affine(isAffine), symbols(symbols), bindings(numClasses) {
  Block::iterator point = b.getInsertionPoint();
  anchor =
      point == b.getInsertionBlock()->begin() ? nullptr : &*std::prev(point);
  block = b.getInsertionBlock();
}

void IndexBuilder::bind(ClassId loopClass, Value iv) {
  bindings[loopClass] = {iv, std::nullopt};
}

void IndexBuilder::bind(ClassId loopClass, int64_t constant) {
  bindings[loopClass] = {Value(), constant};
}

void IndexBuilder::unbind(ClassId loopClass) { bindings[loopClass] = {}; }

AffineExpr IndexBuilder::simplify(AffineExpr expr) const {
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0, e = bindings.size(); i != e; ++i)
    dims.push_back(bindings[i].constant
                       ? getAffineConstantExpr(*bindings[i].constant, context)
                       : getAffineDimExpr(i, context));
  return simplifyAffineExpr(expr.replaceDims(dims), bindings.size(),
                            symbols.size());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

AffineExpr IndexBuilder::addSymbol(Value value) {
  for (auto [i, symbol] : llvm::enumerate(symbols))
    if (symbol == value)
      return getAffineSymbolExpr(i, b.getContext());
  symbols.push_back(value);
  return getAffineSymbolExpr(symbols.size() - 1, b.getContext());
}

template <typename OpTy>
AffineExpr IndexBuilder::addCombined(AffineExpr lhs, AffineExpr rhs) {
  Value lhsValue = getSize(lhs), rhsValue = getSize(rhs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(anchor);
  Value value = OpTy::create(b, lhsValue, rhsValue);
  anchor = value.getDefiningOp();
  return addSymbol(value);
}

AffineExpr IndexBuilder::addMin(AffineExpr lhs, AffineExpr rhs) {
  return addCombined<arith::MinSIOp>(lhs, rhs);
}

AffineExpr IndexBuilder::addMax(AffineExpr lhs, AffineExpr rhs) {
  return addCombined<arith::MaxSIOp>(lhs, rhs);
}

Value IndexBuilder::getSize(AffineExpr expr) {
  assert(expr.isSymbolicOrConstant() && "expected a size");
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  Value &size = sizes[expr];
  if (size)
    return size;
  OpBuilder::InsertionGuard guard(b);
  if (anchor)
    b.setInsertionPointAfter(anchor);
  else
    b.setInsertionPointToStart(block);
  Value value = expand(expr);
  anchor = value.getDefiningOp();
  // Making it may have made others.
  return sizes[expr] = value;
}

Value IndexBuilder::expand(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const Binding &binding = bindings[dim.getPosition()];
    if (binding.iv)
      return binding.iv;
    return arith::ConstantIndexOp::create(b, binding.constant.value_or(0));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expand(binary.getLHS());
  Value rhs = expand(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(b, lhs, rhs);
  case AffineExprKind::CeilDiv: {
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value sum = arith::AddIOp::create(b, lhs, rhs);
    return arith::DivUIOp::create(b, arith::SubIOp::create(b, sum, one), rhs);
  }
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(b, lhs, rhs);
  default:
    llvm_unreachable("no binary expression");
  }
}

Value IndexBuilder::getValue(AffineExpr expr) {
  expr = simplify(expr);
  if (isa<AffineConstantExpr, AffineDimExpr>(expr))
    return expand(expr);
  if (expr.isSymbolicOrConstant())
    return getSize(expr);
  if (!affine)
    return expand(expr);
  Operands operands;
  AffineMap map = legalize(ArrayRef(expr), operands);
  AffineExpr result = map.getResult(0);
  if (auto dim = dyn_cast<AffineDimExpr>(result))
    return operands.dims[dim.getPosition()];
  return affine::AffineApplyOp::create(b, map, operands.getAll());
}

SmallVector<Value> IndexBuilder::getValues(ArrayRef<AffineExpr> exprs) {
  return llvm::map_to_vector(exprs, [&](AffineExpr e) { return getValue(e); });
}

//===----------------------------------------------------------------------===//
// Affine operands
//===----------------------------------------------------------------------===//

SmallVector<Value> IndexBuilder::Operands::getAll() const {
  SmallVector<Value> all(dims);
  all.append(symbols);
  return all;
}

/// The position of `value` in `list`, to which it is added if it is not there.
static unsigned getPosition(Value value, SmallVectorImpl<Value> &list) {
  auto *it = llvm::find(list, value);
  if (it != list.end())
    return it - list.begin();
  list.push_back(value);
  return list.size() - 1;
}

AffineExpr IndexBuilder::getDim(Value value, Operands &operands) {
  return getAffineDimExpr(getPosition(value, operands.dims), b.getContext());
}

AffineExpr IndexBuilder::getSymbol(Value value, Operands &operands) {
  return getAffineSymbolExpr(getPosition(value, operands.symbols),
                             b.getContext());
}

AffineExpr IndexBuilder::legalize(AffineExpr expr, Operands &operands) {
  if (isa<AffineConstantExpr>(expr))
    return expr;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getSymbol(symbols[symbol.getPosition()], operands);
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const Binding &binding = bindings[dim.getPosition()];
    if (binding.iv)
      return getDim(binding.iv, operands);
    return getAffineConstantExpr(binding.constant.value_or(0), b.getContext());
  }
  if (expr.isSymbolicOrConstant() && !expr.isPureAffine())
    return getSymbol(getSize(expr), operands);

  auto binary = cast<AffineBinaryOpExpr>(expr);
  AffineExprKind kind = binary.getKind();
  AffineExpr lhs = legalize(binary.getLHS(), operands);
  if (kind == AffineExprKind::Add || isa<AffineConstantExpr>(binary.getRHS()))
    return getAffineBinaryOpExpr(kind, lhs,
                                 legalize(binary.getRHS(), operands));
  if (isa<AffineConstantExpr>(lhs) && kind == AffineExprKind::Mul)
    return legalize(binary.getRHS(), operands) * lhs;

  // Multiplied or divided by a size: an op whose result is a dimension.
  AffineExpr lhsExpr = binary.getLHS(), rhsExpr = binary.getRHS();
  if (kind == AffineExprKind::Mul && lhsExpr.isSymbolicOrConstant())
    std::swap(lhsExpr, rhsExpr);
  assert(rhsExpr.isSymbolicOrConstant() && "product of two loop variables");
  Value size = getSize(rhsExpr);
  if (kind == AffineExprKind::CeilDiv)
    lhsExpr = lhsExpr + rhsExpr - 1;
  Value value = getValue(lhsExpr);
  if (kind == AffineExprKind::Mul) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    return getDim(affine::AffineLinearizeIndexOp::create(
                      b, ValueRange{value, zero}, ValueRange{size}),
                  operands);
  }
  auto op = affine::AffineDelinearizeIndexOp::create(b, value, ValueRange{size},
                                                     /*hasOuterBound=*/false);
  return getDim(op.getResult(kind == AffineExprKind::Mod), operands);
}

AffineMap IndexBuilder::legalize(ArrayRef<AffineExpr> exprs,
                                 Operands &operands) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : exprs)
    results.push_back(legalize(simplify(expr), operands));
  auto map = AffineMap::get(operands.dims.size(), operands.symbols.size(),
                            results, b.getContext());
  return simplifyAffineMap(map);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value IndexBuilder::createLoad(Value memref, ArrayRef<AffineExpr> indices) {
  if (!affine)
    return memref::LoadOp::create(b, memref, getValues(indices));
  Operands operands;
  AffineMap map = legalize(indices, operands);
  return affine::AffineLoadOp::create(b, memref, map, operands.getAll());
}

void IndexBuilder::createStore(Value value, Value memref,
                               ArrayRef<AffineExpr> indices) {
  if (!affine) {
    memref::StoreOp::create(b, value, memref, getValues(indices));
    return;
  }
  Operands operands;
  AffineMap map = legalize(indices, operands);
  affine::AffineStoreOp::create(b, value, memref, map, operands.getAll());
}

Value IndexBuilder::createVectorLoad(VectorType type, Value memref,
                                     ArrayRef<AffineExpr> indices, Value mask) {
  if (mask) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, type, memref, getValues(indices),
                                        mask, zero);
  }
  if (!affine)
    return vector::LoadOp::create(b, type, memref, getValues(indices));
  Operands operands;
  AffineMap map = legalize(indices, operands);
  return affine::AffineVectorLoadOp::create(b, type, memref, map,
                                            operands.getAll());
}

void IndexBuilder::createVectorStore(Value value, Value memref,
                                     ArrayRef<AffineExpr> indices, Value mask) {
  if (mask) {
    vector::MaskedStoreOp::create(b, memref, getValues(indices), mask, value);
    return;
  }
  if (!affine) {
    vector::StoreOp::create(b, value, memref, getValues(indices));
    return;
  }
  Operands operands;
  AffineMap map = legalize(indices, operands);
  affine::AffineVectorStoreOp::create(b, value, memref, map, operands.getAll());
}

//===----------------------------------------------------------------------===//
// Loops and conditions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
IndexBuilder::createLoop(AffineExpr lower, ArrayRef<AffineExpr> uppers,
                         bool isParallel, ValueRange inits, BodyFn body) {
  assert((!isParallel || inits.empty()) && "a parallel loop carries nothing");
  return affine ? createAffineLoop(lower, uppers, isParallel, inits, body)
                : createSCFLoop(lower, uppers, isParallel, inits, body);
}

FailureOr<SmallVector<Value>>
IndexBuilder::createAffineLoop(AffineExpr lower, ArrayRef<AffineExpr> uppers,
                               bool isParallel, ValueRange inits, BodyFn body) {
  Operands lowers, operands;
  AffineMap lowerMap = legalize(ArrayRef(lower), lowers);
  AffineMap upperMap = legalize(uppers, operands);
  OpBuilder::InsertionGuard guard(b);
  if (isParallel) {
    auto loop = affine::AffineParallelOp::create(
        b, TypeRange(), ArrayRef<arith::AtomicRMWKind>(), lowerMap,
        lowers.getAll(), upperMap, operands.getAll(), ArrayRef<int64_t>{1});
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getBody()->getArgument(0), {});
  }
  LogicalResult result = success();
  auto loop = affine::AffineForOp::create(
      b, lowers.getAll(), lowerMap, operands.getAll(), upperMap, /*step=*/1,
      inits, [&](OpBuilder &, Location, Value iv, ValueRange args) {
        b.setInsertionPointToStart(iv.getParentBlock());
        FailureOr<SmallVector<Value>> yielded = body(iv, args);
        result = success(succeeded(yielded));
        affine::AffineYieldOp::create(
            b, succeeded(yielded) ? ValueRange(*yielded) : args);
      });
  if (failed(result))
    return failure();
  return SmallVector<Value>(loop.getResults());
}

FailureOr<SmallVector<Value>>
IndexBuilder::createSCFLoop(AffineExpr lower, ArrayRef<AffineExpr> uppers,
                            bool isParallel, ValueRange inits, BodyFn body) {
  Value from = getValue(lower);
  Value to = getValue(uppers.front());
  for (AffineExpr upper : uppers.drop_front())
    to = arith::MinSIOp::create(b, to, getValue(upper));
  Value one = arith::ConstantIndexOp::create(b, 1);
  OpBuilder::InsertionGuard guard(b);
  if (isParallel) {
    auto loop = scf::ParallelOp::create(b, from, to, one);
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getInductionVars().front(), {});
  }
  auto loop = scf::ForOp::create(b, from, to, one, inits);
  b.setInsertionPointToStart(loop.getBody());
  FailureOr<SmallVector<Value>> yielded =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (failed(yielded))
    return failure();
  if (!inits.empty()) {
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, *yielded);
  }
  return SmallVector<Value>(loop.getResults());
}

FailureOr<SmallVector<Value>>
IndexBuilder::createIf(ArrayRef<IndexBound> bounds,
                       function_ref<FailureOr<SmallVector<Value>>()> then,
                       function_ref<SmallVector<Value>(ValueRange)> otherwise) {
  // The types of the results are known only when the region is there.
  Operands operands;
  SmallVector<AffineExpr> exprs;
  Value condition;
  for (const IndexBound &bound : bounds) {
    if (affine) {
      exprs.push_back(
          legalize(simplify(bound.bound - bound.index - 1), operands));
      continue;
    }
    Value holds =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              getValue(bound.index), getValue(bound.bound));
    condition = condition ? arith::AndIOp::create(b, condition, holds) : holds;
  }

  OpBuilder::InsertionGuard guard(b);
  Operation *placeholder;
  if (affine) {
    auto set = IntegerSet::get(operands.dims.size(), operands.symbols.size(),
                               exprs, SmallVector<bool>(exprs.size(), false));
    placeholder = affine::AffineIfOp::create(b, set, operands.getAll(),
                                             /*withElseRegion=*/false);
  } else {
    placeholder = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  }
  Block *thenBlock = &placeholder->getRegion(0).front();
  b.setInsertionPointToStart(thenBlock);
  FailureOr<SmallVector<Value>> values = then();
  if (failed(values))
    return failure();
  if (values->empty())
    return SmallVector<Value>();

  b.setInsertionPoint(placeholder);
  TypeRange types = ValueRange(*values).getTypes();
  Operation *op;
  if (auto ifOp = dyn_cast<affine::AffineIfOp>(placeholder))
    op = affine::AffineIfOp::create(b, types, ifOp.getIntegerSet(),
                                    ifOp.getOperands(),
                                    /*withElseRegion=*/true);
  else
    op = scf::IfOp::create(b, types, condition, /*addThenBlock=*/true,
                           /*addElseBlock=*/true);
  auto yield = [&](ValueRange results) {
    if (affine)
      affine::AffineYieldOp::create(b, results);
    else
      scf::YieldOp::create(b, results);
  };
  thenBlock->getTerminator()->erase();
  Block *newThen = &op->getRegion(0).front();
  newThen->clear();
  newThen->getOperations().splice(newThen->end(), thenBlock->getOperations());
  b.setInsertionPointToEnd(newThen);
  yield(*values);
  Block *elseBlock = &op->getRegion(1).front();
  elseBlock->clear();
  b.setInsertionPointToEnd(elseBlock);
  yield(otherwise(*values));
  placeholder->erase();
  return SmallVector<Value>(op->getResults());
}
