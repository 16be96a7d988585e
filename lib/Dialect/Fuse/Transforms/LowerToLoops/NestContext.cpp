//===- NestContext.cpp - State of loop emission -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestContext.h"

#include "../FusionViews.h"

using namespace mlir;
using namespace mlir::fuse;

NestContext::NestContext(const FusionSchedule &fusion,
                         const LoopClasses &classes, const LoopNest &nest,
                         const IRMapping &buffers, const IRMapping &scalars,
                         IndexBuilder &index)
    : fusion(fusion), schedule(fusion.schedule), classes(classes), nest(nest),
      buffers(buffers), scalars(scalars), index(index), b(index.getBuilder()),
      ranges(classes), lanes(schedule, classes, index),
      states(schedule.getNumTensors()), isVectorLoop(classes.size()) {
  addStatements();
}

Value NestContext::getReadBase(Value operand) const {
  Operation *op = operand.getDefiningOp();
  while (!buffers.contains(operand) && op && isView(op)) {
    operand = getViewSource(op);
    op = operand.getDefiningOp();
  }
  return operand;
}

void NestContext::addBounds(Statement &statement) {
  for (IndexBound bound : statement.solver->getBounds()) {
    bound.index = ranges.simplify(bound.index);
    // Without the quotient, loops can be split at the bound.
    while (auto quotient = dyn_cast<AffineBinaryOpExpr>(bound.index)) {
      if (quotient.getKind() != AffineExprKind::FloorDiv)
        break;
      bound.bound = bound.bound * quotient.getRHS();
      bound.index = quotient.getLHS();
    }
    if (!ranges.isBelow(bound.index, bound.bound))
      statement.bounds.push_back(bound);
  }
}

void NestContext::addStatements() {
  for (TensorId tensor : schedule.getProgramOrder()) {
    TensorState &state = states[tensor];
    const Tensor &info = schedule.getTensor(tensor);
    if (info.isInput)
      continue;
    for (unsigned i = info.computeAt, e = info.loop.size(); i < e; ++i)
      if (schedule.getAxis(info.loop[i]).kind == AxisKind::Iteration)
        state.privateLoops.push_back(i);
    state.buffers.resize(fusion.getOp(tensor)->getNumResults());
    state.compute.tensor = state.init.tensor = tensor;
    state.compute.solver =
        std::make_unique<IndexSolver>(schedule, classes, tensor);
    addBounds(state.compute);
  }
  nest.walk([&](const LoopNode &node, ArrayRef<ClassId>) {
    if (node.kind != LoopNode::Kind::Init)
      return;
    Statement &init = states[node.tensor].init;
    init.solver = std::make_unique<IndexSolver>(schedule, classes, node.tensor,
                                                ArrayRef<unsigned>(node.axes));
    addBounds(init);
  });
}

void NestContext::setValues(TensorId tensor, ArrayRef<Value> values) {
  states[tensor].values.assign(values.begin(), values.end());
  known.push_back(tensor);
}

void NestContext::forgetValues(size_t numKnown) {
  for (TensorId tensor : ArrayRef(known).drop_front(numKnown))
    states[tensor].values.clear();
  known.truncate(numKnown);
}
