//===- IndexBuilderRegions.cpp - Loops and conditions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file contains the part of IndexBuilder that creates ops with regions.
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace mlir::fuse;

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

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Operation *IndexBuilder::createIfWithoutResults(ArrayRef<IndexBound> bounds) {
  if (affine) {
    Operands operands;
    SmallVector<AffineExpr> exprs;
    for (const IndexBound &bound : bounds)
      exprs.push_back(
          legalize(simplify(bound.bound - bound.index - 1), operands));
    auto set = IntegerSet::get(operands.dims.size(), operands.symbols.size(),
                               exprs, SmallVector<bool>(exprs.size(), false));
    return affine::AffineIfOp::create(b, set, operands.getAll(),
                                      /*withElseRegion=*/false);
  }
  Value condition;
  for (const IndexBound &bound : bounds) {
    Value holds =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              getValue(bound.index), getValue(bound.bound));
    condition = condition ? arith::AndIOp::create(b, condition, holds) : holds;
  }
  return scf::IfOp::create(b, condition, /*withElseRegion=*/false);
}

/// The same condition for a region that yields `results`, with an else region;
/// both are empty.
static Operation *createIfWithResults(ImplicitLocOpBuilder &b, Operation *op,
                                      ValueRange results) {
  Operation *ifOp;
  if (auto affineIf = dyn_cast<affine::AffineIfOp>(op))
    ifOp = affine::AffineIfOp::create(
        b, results.getTypes(), affineIf.getIntegerSet(), affineIf.getOperands(),
        /*withElseRegion=*/true);
  else
    ifOp = scf::IfOp::create(b, results.getTypes(),
                             cast<scf::IfOp>(op).getCondition(),
                             /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (Region &region : ifOp->getRegions())
    region.front().clear();
  return ifOp;
}

FailureOr<SmallVector<Value>>
IndexBuilder::createIf(ArrayRef<IndexBound> bounds,
                       function_ref<FailureOr<SmallVector<Value>>()> then,
                       function_ref<SmallVector<Value>(ValueRange)> otherwise) {
  // The types of the results are known only when the region is there.
  Operation *placeholder = createIfWithoutResults(bounds);
  OpBuilder::InsertionGuard guard(b);
  Block *body = &placeholder->getRegion(0).front();
  b.setInsertionPointToStart(body);
  FailureOr<SmallVector<Value>> values = then();
  if (failed(values) || values->empty())
    return values;

  b.setInsertionPoint(placeholder);
  Operation *op = createIfWithResults(b, placeholder, *values);
  auto yield = [&](ValueRange results) {
    if (affine)
      affine::AffineYieldOp::create(b, results);
    else
      scf::YieldOp::create(b, results);
  };
  body->getTerminator()->erase();
  Block *thenBlock = &op->getRegion(0).front();
  thenBlock->getOperations().splice(thenBlock->end(), body->getOperations());
  b.setInsertionPointToEnd(thenBlock);
  yield(*values);
  b.setInsertionPointToEnd(&op->getRegion(1).front());
  yield(otherwise(*values));
  placeholder->erase();
  return SmallVector<Value>(op->getResults());
}
