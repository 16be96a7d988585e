//===- LowerToLoopsStatements.cpp - What is in the loops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a statement's operands, clones the op's body on them and keeps what
// comes out: as values, in memory, or both.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

Value NestEmitter::getZero(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complex.getElementType());
    return ::mlir::complex::ConstantOp::create(b, type,
                                               b.getArrayAttr({zero, zero}));
  }
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

AffineExpr NestEmitter::getIndex(const Statement &statement,
                                 AxisId axis) const {
  AffineExpr value = statement.solver->solve(axis);
  return value ? ranges.simplify(value) : zero();
}

SmallVector<AffineExpr>
NestEmitter::getBufferIndices(const Statement &statement,
                              unsigned result) const {
  const Tensor &info = schedule.getTensor(statement.tensor);
  const State &state = states[statement.tensor];
  SmallVector<AxisId> axes(info.logical[result]);
  if (!state.isWhole) {
    axes.clear();
    for (unsigned loop : state.privateLoops)
      axes.push_back(info.loop[loop]);
  }
  return llvm::map_to_vector(
      axes, [&](AxisId axis) { return getIndex(statement, axis); });
}

/// The number of an op's operand among those of its tensor, which are the
/// operands that other tensors compute and that are read.
static unsigned getOperandNumber(const FusionSchedule &fusion,
                                 linalg::LinalgOp op, OpOperand &operand) {
  unsigned number = 0;
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand)
      break;
    number += fusion.getTensor(other.get()) && isReadOperand(op, other);
  }
  return number;
}

SmallVector<AffineExpr> NestEmitter::getReadIndices(const Statement &statement,
                                                    OpOperand &operand) const {
  linalg::LinalgOp op = fusion.getOp(statement.tensor);
  TensorId producer = *fusion.getTensor(operand.get());
  SmallVector<AffineExpr> dims, exprs;
  for (AxisId root : schedule.getTensor(statement.tensor).root)
    dims.push_back(getIndex(statement, root));
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    exprs.push_back(ranges.simplify(expr.replaceDims(dims)));
  // Along an axis of extent 1 only 0 is in bounds, whatever the loop says.
  auto shape = cast<RankedTensorType>(operand.get().getType()).getShape();
  for (auto [expr, size] : llvm::zip_equal(exprs, shape))
    if (size == 1)
      expr = zero();
  const Tensor &info = schedule.getTensor(producer);
  if (info.isInput || states[producer].isWhole)
    return exprs;
  unsigned number = getOperandNumber(fusion, op, operand);
  SmallVector<AffineExpr> indices;
  for (unsigned loop : states[producer].privateLoops) {
    AffineExpr index =
        statement.solver->solveRead(number, info.loop[loop], exprs);
    indices.push_back(index ? ranges.simplify(index) : zero());
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

Value NestEmitter::createLoad(const Statement &statement, Value memref,
                              ArrayRef<AffineExpr> indices) {
  return lane ? createLaneLoad(statement, memref, indices)
              : index->createLoad(memref, indices);
}

Value NestEmitter::readOperand(const Statement &statement, OpOperand &operand) {
  Value value = operand.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return getScalar(value);
  std::optional<TensorId> producer = fusion.getTensor(value);
  if (!producer) {
    if (auto fill = value.getDefiningOp<linalg::FillOp>())
      return getScalar(fill.getInputs().front());
    assert(value.getDefiningOp<tensor::EmptyOp>() && "unknown operand");
    return getZero(type.getElementType());
  }
  if (schedule.getTensor(*producer).isInput)
    return createLoad(statement, inputs.lookup(value),
                      getReadIndices(statement, operand));
  unsigned result = cast<OpResult>(value).getResultNumber();
  const State &state = states[*producer];
  if (!state.values.empty())
    return state.values[result];
  assert(result < state.buffers.size() && state.buffers[result] &&
         "a value is read out of its scope");
  return createLoad(statement, state.buffers[result],
                    getReadIndices(statement, operand));
}

void NestEmitter::store(const Statement &statement, ArrayRef<Value> values) {
  const State &state = states[statement.tensor];
  for (auto [i, buffer, value] : llvm::enumerate(state.buffers, values)) {
    if (!buffer)
      continue;
    SmallVector<AffineExpr> indices = getBufferIndices(statement, i);
    if (lane)
      createLaneStore(statement, value, buffer, indices);
    else
      index->createStore(value, buffer, indices);
  }
}

SmallVector<Value> NestEmitter::getInitialValues(TensorId tensor) {
  linalg::LinalgOp op = fusion.getOp(tensor);
  SmallVector<Value> values;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (Value fill = fusion.getFillValue(tensor, values.size())) {
      values.push_back(getScalar(fill));
      continue;
    }
    values.push_back(readOperand(states[tensor].init, init));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void NestEmitter::cloneBody(TensorId tensor, IRMapping &mapping,
                            const llvm::SmallPtrSetImpl<Operation *> &except) {
  linalg::LinalgOp op = fusion.getOp(tensor);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (except.contains(&inner))
      continue;
    if (auto indexOp = dyn_cast<linalg::IndexOp>(inner)) {
      AffineExpr expr =
          getIndex(states[tensor].compute,
                   schedule.getTensor(tensor).root[indexOp.getDim()]);
      mapping.map(indexOp.getResult(),
                  lane ? createLaneIndex(expr) : index->getValue(expr));
      continue;
    }
    // What the body takes from outside of it.
    inner.walk([&](Operation *user) {
      for (Value used : user->getOperands())
        if (!mapping.contains(used) && scalars.contains(used))
          mapping.map(used, scalars.lookup(used));
    });
    bool isVector = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
    });
    if (isVector)
      cloneOnVectors(&inner, mapping);
    else
      b.clone(inner, mapping);
  }
}

void NestEmitter::emitCompute(TensorId tensor) {
  linalg::LinalgOp op = fusion.getOp(tensor);
  State &state = states[tensor];
  bool isReduction = schedule.getTensor(tensor).hasReduction(schedule);
  b.setLoc(op.getLoc());

  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    mapping.map(argument, readOperand(state.compute, *operand));
  }
  for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    BlockArgument argument = op.getMatchingBlockArgument(&init);
    if (!state.accs.empty()) {
      mapping.map(argument, state.accs[i]);
    } else if (isReduction) {
      mapping.map(argument, createLoad(state.compute, state.buffers[i],
                                       getBufferIndices(state.compute, i)));
    } else if (!argument.use_empty()) {
      mapping.map(argument, readOperand(state.compute, init));
    }
  }

  SmallVector<Value> results;
  if (lane && isReducedByLane(tensor, *lane)) {
    results = reduceLanes(tensor, mapping);
  } else {
    cloneBody(tensor, mapping, llvm::SmallPtrSet<Operation *, 1>());
    for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
      Value result = mapping.lookupOrNull(yielded);
      results.push_back(result ? result : getScalar(yielded));
    }
  }

  if (!state.accs.empty()) {
    // A lane beyond the last element of a split reduction adds nothing.
    Value mask = lane ? getMask(state.compute) : Value();
    for (auto [acc, result] : llvm::zip_equal(state.accs, results)) {
      if (!isa<VectorType>(acc.getType()))
        acc = result;
      else if (mask)
        acc = arith::SelectOp::create(b, mask, toVector(result), acc);
      else
        acc = toVector(result);
    }
    return;
  }
  store(state.compute, results);
  if (!isReduction && state.form != Form::Memory)
    setValues(tensor, results);
}
