//===- StatementEmitter.cpp - Emission of statements ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementEmitter.h"
#include "../FusionViews.h"
#include "../ReductionCombiner.h"
#include "StatementIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

Value StatementEmitter::createZero(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complex.getElementType());
    return ::mlir::complex::ConstantOp::create(b, type,
                                               b.getArrayAttr({zero, zero}));
  }
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value StatementEmitter::createLoad(const Statement &statement, Value memref,
                                   ArrayRef<AffineExpr> indices) {
  return context.lanes ? vectors.createLoad(statement, memref, indices)
                       : context.index.createLoad(memref, indices);
}

Value StatementEmitter::readOperand(const Statement &statement,
                                    OpOperand &operand) {
  Value value = operand.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return context.getScalar(value);
  std::optional<TensorId> producer = context.fusion.getTensor(value);
  if (!producer) {
    Value base = getViewBase(value);
    if (auto fill = base.getDefiningOp<linalg::FillOp>())
      return context.getScalar(fill.getInputs().front());
    assert(base.getDefiningOp<tensor::EmptyOp>() && "unknown operand");
    return createZero(type.getElementType());
  }
  if (context.schedule.getTensor(*producer).isInput)
    return createLoad(statement,
                      context.buffers.lookup(context.getReadBase(value)),
                      getReadIndices(context, statement, operand));
  unsigned result = cast<OpResult>(getViewBase(value)).getResultNumber();
  const TensorState &state = context.states[*producer];
  if (!state.values.empty())
    return state.values[result];
  assert(result < state.buffers.size() && state.buffers[result] &&
         "a value is read out of its scope");
  return createLoad(statement, state.buffers[result],
                    getReadIndices(context, statement, operand));
}

void StatementEmitter::store(const Statement &statement,
                             ArrayRef<Value> values) {
  const TensorState &state = context.states[statement.tensor];
  for (auto [i, buffer, value] : llvm::enumerate(state.buffers, values)) {
    if (!buffer)
      continue;
    SmallVector<AffineExpr> indices = getBufferIndices(context, statement, i);
    if (context.lanes)
      vectors.createStore(statement, value, buffer, indices);
    else
      context.index.createStore(value, buffer, indices);
  }
}

SmallVector<Value> StatementEmitter::getInitialValues(TensorId tensor) {
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  SmallVector<Value> values;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (Value fill = context.fusion.getFillValue(tensor, values.size())) {
      values.push_back(context.getScalar(fill));
      continue;
    }
    values.push_back(readOperand(context.states[tensor].init, init));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void StatementEmitter::mapArguments(TensorId tensor, IRMapping &mapping) {
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  const TensorState &state = context.states[tensor];
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty())
      mapping.map(argument, readOperand(state.compute, *operand));
  }
  bool isReduction =
      context.schedule.getTensor(tensor).hasReduction(context.schedule);
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    BlockArgument argument = op.getMatchingBlockArgument(&init);
    if (!state.accs.empty())
      mapping.map(argument, state.accs[i]);
    else if (isReduction)
      mapping.map(argument,
                  createLoad(state.compute, state.buffers[i],
                             getBufferIndices(context, state.compute, i)));
    else if (!argument.use_empty())
      mapping.map(argument, readOperand(state.compute, init));
  }
}

void StatementEmitter::cloneBody(
    TensorId tensor, IRMapping &mapping,
    const llvm::SmallPtrSetImpl<Operation *> &except) {
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (except.contains(&inner))
      continue;
    if (auto indexOp = dyn_cast<linalg::IndexOp>(inner)) {
      AffineExpr expr =
          getIndex(context, context.states[tensor].compute,
                   context.schedule.getTensor(tensor).root[indexOp.getDim()]);
      mapping.map(indexOp.getResult(), context.lanes
                                           ? vectors.createIndex(expr)
                                           : context.index.getValue(expr));
      continue;
    }
    // What the body takes from outside of it.
    inner.walk([&](Operation *user) {
      for (Value used : user->getOperands())
        if (!mapping.contains(used) && context.scalars.contains(used))
          mapping.map(used, context.scalars.lookup(used));
    });
    bool isVector = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
    });
    if (isVector)
      vectors.clone(&inner, mapping);
    else
      b.clone(inner, mapping);
  }
}

SmallVector<Value> StatementEmitter::emitBody(TensorId tensor,
                                              IRMapping &mapping) {
  cloneBody(tensor, mapping, llvm::SmallPtrSet<Operation *, 1>());
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
    Value result = mapping.lookupOrNull(yielded);
    results.push_back(result ? result : context.getScalar(yielded));
  }
  return results;
}

SmallVector<Value> StatementEmitter::emitLaneReduction(TensorId tensor,
                                                       IRMapping &mapping) {
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  llvm::SmallPtrSet<Operation *, 4> combiners;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
    combiners.insert(getCombiner(op, i));
  cloneBody(tensor, mapping, combiners);
  Value mask = vectors.createMask(context.states[tensor].compute);
  SmallVector<Value> results;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i) {
    Operation *combiner = getCombiner(op, i);
    BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(i));
    bool isOutFirst = combiner->getOperand(0) == out;
    Value other = combiner->getOperand(isOutFirst ? 1 : 0);
    Value added = mapping.lookupOrNull(other);
    IRMapping last;
    last.map(out, mapping.lookup(out));
    last.map(other,
             vectors.reduce(combiner, added ? added : context.getScalar(other),
                            mask));
    results.push_back(b.clone(*combiner, last)->getResult(0));
  }
  return results;
}

void StatementEmitter::updateAccumulators(TensorId tensor,
                                          ArrayRef<Value> results) {
  TensorState &state = context.states[tensor];
  // A lane beyond the last element of a split reduction adds nothing.
  Value mask = context.lanes ? vectors.createMask(state.compute) : Value();
  for (auto [acc, result] : llvm::zip_equal(state.accs, results)) {
    if (!isa<VectorType>(acc.getType()))
      acc = result;
    else if (mask)
      acc = arith::SelectOp::create(b, mask, vectors.toVector(result), acc);
    else
      acc = vectors.toVector(result);
  }
}

void StatementEmitter::emitCompute(TensorId tensor) {
  b.setLoc(context.fusion.getOp(tensor).getLoc());
  IRMapping mapping;
  mapArguments(tensor, mapping);
  SmallVector<Value> results = context.lanes.areReductionLoopOf(tensor)
                                   ? emitLaneReduction(tensor, mapping)
                                   : emitBody(tensor, mapping);
  const TensorState &state = context.states[tensor];
  if (!state.accs.empty())
    return updateAccumulators(tensor, results);
  store(state.compute, results);
  if (state.form != ValueForm::Memory &&
      !context.schedule.getTensor(tensor).hasReduction(context.schedule))
    context.setValues(tensor, results);
}
