//===- IndexBuilder.cpp - Loops and accesses of a nest --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See IndexBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SetVector.h"

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
  // There may be thousands of loops, but few in one expression.
  MLIRContext *context = b.getContext();
  llvm::SetVector<unsigned> dims;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      dims.insert(dim.getPosition());
  });
  llvm::DenseMap<AffineExpr, AffineExpr> inner;
  SmallVector<AffineExpr> outer;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> constant = bindings[dim].constant;
    AffineExpr own = getAffineDimExpr(dim, context);
    inner[own] = constant ? getAffineConstantExpr(*constant, context)
                          : getAffineDimExpr(i, context);
    outer.push_back(own);
  }
  return simplifyAffineExpr(expr.replace(inner), dims.size(), symbols.size())
      .replaceDims(outer);
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

/// Whether that is plain to see: loops, sizes and factors are not negative.
static bool isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return !binary ||
         (isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS()));
}

Value IndexBuilder::createFloorDiv(Value lhs, Value rhs, bool isNonNegative) {
  if (isNonNegative)
    return arith::DivUIOp::create(b, lhs, rhs);
  // -1 - a has the quotient -1 - q.
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value minusOne = arith::ConstantIndexOp::create(b, -1);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lhs, zero);
  Value flipped = arith::SubIOp::create(b, minusOne, lhs);
  Value dividend = arith::SelectOp::create(b, isNegative, flipped, lhs);
  Value quotient = arith::DivUIOp::create(b, dividend, rhs);
  flipped = arith::SubIOp::create(b, minusOne, quotient);
  return arith::SelectOp::create(b, isNegative, flipped, quotient);
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
  bool isPlain = isNonNegative(binary.getLHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return createFloorDiv(lhs, rhs, isPlain);
  case AffineExprKind::CeilDiv: {
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value sum = arith::AddIOp::create(b, lhs, rhs);
    return createFloorDiv(arith::SubIOp::create(b, sum, one), rhs, isPlain);
  }
  case AffineExprKind::Mod: {
    if (isPlain)
      return arith::RemUIOp::create(b, lhs, rhs);
    Value quotient = createFloorDiv(lhs, rhs, isPlain);
    Value product = arith::MulIOp::create(b, quotient, rhs);
    return arith::SubIOp::create(b, lhs, product);
  }
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
