//===- AccumulatorEmitter.cpp - Accumulators of reductions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulatorEmitter.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<TensorId>
AccumulatorEmitter::getCarried(ArrayRef<TensorId> tensors) const {
  SmallVector<TensorId> carried;
  for (TensorId tensor : tensors)
    if (!context.states[tensor].accs.empty())
      carried.push_back(tensor);
  return carried;
}

SmallVector<Value>
AccumulatorEmitter::getValues(ArrayRef<TensorId> tensors) const {
  SmallVector<Value> values;
  for (TensorId tensor : tensors)
    llvm::append_range(values, context.states[tensor].accs);
  return values;
}

void AccumulatorEmitter::setValues(ArrayRef<TensorId> tensors,
                                   ValueRange values) {
  for (TensorId tensor : tensors) {
    SmallVector<Value> &accs = context.states[tensor].accs;
    size_t count = accs.size();
    accs = SmallVector<Value>(values.take_front(count));
    values = values.drop_front(count);
  }
}

//===----------------------------------------------------------------------===//
// Beginnings
//===----------------------------------------------------------------------===//

LogicalResult AccumulatorEmitter::emitInit(const LoopNode &node) {
  TensorId tensor = node.tensor;
  switch (context.states[tensor].accForm) {
  case ValueForm::Memory:
    return emitInitLoops(tensor, node.axes);
  case ValueForm::Scalar:
    return emitInitValues(tensor);
  case ValueForm::Vector:
    if (context.lanes)
      return emitInitValues(tensor);
    return context.lanes.run(
        context.classes.getClass(tensor, node.axes.front()),
        [&] { return emitInitValues(tensor); });
  }
  llvm_unreachable("no form");
}

LogicalResult AccumulatorEmitter::emitInitValues(TensorId tensor) {
  FailureOr<SmallVector<Value>> values = getGuardedInitialValues(tensor);
  if (failed(values))
    return failure();
  const VectorLanes &lanes = context.lanes;
  if (lanes.areLoopOf(tensor) && !lanes.areReductionLoopOf(tensor))
    for (Value &value : *values)
      value = vectors.toVector(value);
  context.states[tensor].accs = std::move(*values);
  return success();
}

FailureOr<SmallVector<Value>>
AccumulatorEmitter::getGuardedInitialValues(TensorId tensor) {
  SmallVector<IndexBound> open =
      bounds.getOpenBounds(context.states[tensor].init);
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  bool isConstant = true;
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
    isConstant &= bool(context.fusion.getFillValue(tensor, i));
  if (isConstant || open.empty())
    return statements.getInitialValues(tensor);
  return context.index.createIf(
      open,
      [&]() -> FailureOr<SmallVector<Value>> {
        return statements.getInitialValues(tensor);
      },
      [&](ValueRange results) {
        return llvm::map_to_vector(results, [&](Value value) {
          return statements.createZero(value.getType());
        });
      });
}

LogicalResult AccumulatorEmitter::emitInitLoops(TensorId tensor,
                                                ArrayRef<unsigned> axes) {
  if (axes.empty()) {
    storeGuarded(tensor, [&] { return statements.getInitialValues(tensor); });
    return success();
  }
  ClassId loop = context.classes.getClass(tensor, axes.front());
  auto body = [&](Value iv, ValueRange) -> FailureOr<SmallVector<Value>> {
    context.index.bind(loop, iv);
    if (failed(emitInitLoops(tensor, axes.drop_front())))
      return failure();
    context.index.unbind(loop);
    return SmallVector<Value>();
  };
  AxisId axis = context.schedule.getTensor(tensor).loop[axes.front()];
  return context.index.createLoop(context.b.getAffineConstantExpr(0),
                                  context.classes.getGroups().getExtent(axis),
                                  /*isParallel=*/false, {}, body);
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void AccumulatorEmitter::storeGuarded(
    TensorId tensor, function_ref<SmallVector<Value>()> getValues) {
  const Statement &init = context.states[tensor].init;
  SmallVector<IndexBound> open = bounds.getOpenBounds(init);
  if (open.empty())
    return statements.store(init, getValues());
  auto write = [&]() -> FailureOr<SmallVector<Value>> {
    statements.store(init, getValues());
    return SmallVector<Value>();
  };
  (void)context.index.createIf(open, write,
                               [](ValueRange) { return SmallVector<Value>(); });
}

LogicalResult AccumulatorEmitter::finish(TensorId tensor) {
  TensorState &state = context.states[tensor];
  if (state.accs.empty())
    return success(); // in memory
  SmallVector<Value> values = std::move(state.accs);
  state.accs.clear();
  if (state.form != ValueForm::Memory)
    context.setValues(tensor, values);
  if (llvm::none_of(state.buffers, [](Value v) { return bool(v); }))
    return success();
  auto write = [&] {
    storeGuarded(tensor, [&] { return values; });
    return success();
  };
  // What was summed in vectors has them along its one inner loop.
  if (state.accForm == ValueForm::Vector && !context.lanes)
    for (ClassId loop : context.classes.getClasses(tensor))
      if (context.isVectorLoop[loop])
        return context.lanes.run(loop, write);
  return write();
}
