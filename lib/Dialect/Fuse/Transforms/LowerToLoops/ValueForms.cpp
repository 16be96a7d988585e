//===- ValueForms.cpp - Forms of values: vectors and memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueForms.h"
#include "../FusionViews.h"
#include "../ReductionCombiner.h"
#include "StatementIndices.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the op's body can be computed on vectors.
static bool hasVectorBody(linalg::LinalgOp op) {
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
  return llvm::all_of(op.getBlock()->getArgumentTypes(),
                      VectorType::isValidElementType);
}

/// Whether the statement of the tensor can have a lane for each iteration.
static bool canVectorize(const NestContext &context, TensorId tensor,
                         ClassId loop) {
  linalg::LinalgOp op = context.fusion.getOp(tensor);
  if (!isLoopOf(context.classes, loop, tensor) || !hasVectorBody(op))
    return false;
  for (const IndexBound &bound : context.states[tensor].compute.bounds) {
    std::optional<AffineExpr> factor = getCoefficient(bound.index, loop);
    auto constant = factor ? dyn_cast<AffineConstantExpr>(*factor) : nullptr;
    if (!constant || constant.getValue() < 0)
      return false;
  }
  if (isReductionLoopOf(context.schedule, context.classes, loop, tensor))
    for (unsigned i = 0, e = op->getNumResults(); i != e; ++i)
      if (!getCombiner(op, i))
        return false;
  return true;
}

/// All statements in the loop must have lanes; no vectors of vectors.
static void chooseVectorLoops(NestContext &context) {
  const LoopClasses &classes = context.classes;
  std::vector<bool> &isVectorLoop = context.isVectorLoop;
  for (ClassId id = 0; id < classes.size(); ++id)
    // verifyLoopTypes has seen that its extent is constant.
    isVectorLoop[id] =
        classes[id].type == LoopType::Vectorize && getNumLanes(classes, id) > 1;
  context.nest.walk([&](const LoopNode &node, ArrayRef<ClassId> loops) {
    if (node.kind == LoopNode::Kind::Alloc)
      return;
    for (ClassId loop : loops) {
      if (!isVectorLoop[loop])
        continue;
      isVectorLoop[loop] =
          node.kind == LoopNode::Kind::Loop
              ? !isVectorLoop[node.loopClass] &&
                    classes[node.loopClass].type != LoopType::Parallel
              : canVectorize(context, node.tensor, loop);
    }
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether each reader of the tensor wants just the lane that it computes.
static bool isReadByLane(const NestContext &context, TensorId tensor) {
  const LoopClasses &classes = context.classes;
  ClassId own =
      classes.getClass(tensor, context.states[tensor].privateLoops.front());
  for (Value result : context.fusion.getOp(tensor)->getResults()) {
    for (OpOperand &use : result.getUses()) {
      std::optional<TensorId> reader = context.fusion.getTensor(use.getOwner());
      if (isView(use.getOwner()))
        return false;
      if (!reader)
        continue; // what is yielded
      if (!isReadOperand(context.fusion.getOp(*reader), use))
        continue;
      SmallVector<AffineExpr> read =
          getReadIndices(context, context.states[*reader].compute, use);
      auto dim = read.size() == 1 ? dyn_cast<AffineDimExpr>(read[0]) : nullptr;
      if (!dim || !context.isVectorLoop[dim.getPosition()] ||
          !isLoopOf(classes, dim.getPosition(), *reader) ||
          getNumLanes(classes, dim.getPosition()) != getNumLanes(classes, own))
        return false;
    }
  }
  return true;
}

/// Whether a tensor that is computed deeper than it is stored is read outside
/// of the loops that it is computed in.
static bool isReadOutside(const NestContext &context, TensorId tensor) {
  const Schedule &schedule = context.schedule;
  const LoopClasses &classes = context.classes;
  const Tensor &info = schedule.getTensor(tensor);
  for (unsigned i = info.computeAt; i < info.loop.size(); ++i) {
    // A reduction's value is complete after its loops. A broadcast is in a loop
    // if another tensor has that.
    ClassId around = classes.getClass(tensor, i);
    if (!classes[around].hasLoop ||
        schedule.getAxis(info.loop[i]).isReduction())
      continue;
    for (TensorId consumer : schedule.getConsumers(tensor))
      if (!llvm::is_contained(classes.getLoopsAround(consumer), around))
        return true;
  }
  return false;
}

static ValueForm chooseForm(const NestContext &context, TensorId tensor) {
  const TensorState &state = context.states[tensor];
  if (state.privateLoops.empty())
    return isReadOutside(context, tensor) ? ValueForm::Memory
                                          : ValueForm::Scalar;
  // The buffer of an output is indexed by its logical axes.
  bool isVector = state.privateLoops.size() == 1 && !state.isWhole &&
                  context.isVectorLoop[context.classes.getClass(
                      tensor, state.privateLoops.front())] &&
                  isReadByLane(context, tensor);
  return isVector ? ValueForm::Vector : ValueForm::Memory;
}

/// `init`: of the tensor's accumulator.
static void chooseAccumulatorForm(NestContext &context, const LoopNode &init) {
  TensorState &state = context.states[init.tensor];
  if (init.axes.empty())
    return; // a scalar
  bool isVector =
      init.axes.size() == 1 && context.isVectorLoop[context.classes.getClass(
                                   init.tensor, init.axes.front())];
  unsigned numResults = context.fusion.getOp(init.tensor)->getNumResults();
  for (unsigned i = 0; i != numResults; ++i)
    isVector &= bool(context.fusion.getFillValue(init.tensor, i));
  state.accForm = isVector ? ValueForm::Vector : ValueForm::Memory;
  if (!isVector)
    state.form = ValueForm::Memory;
}

void fuse::chooseForms(NestContext &context) {
  chooseVectorLoops(context);
  for (TensorId tensor : context.schedule.getProgramOrder())
    if (!context.schedule.getTensor(tensor).isInput)
      context.states[tensor].form = chooseForm(context, tensor);
  context.nest.walk([&](const LoopNode &node, ArrayRef<ClassId>) {
    if (node.kind == LoopNode::Kind::Init)
      chooseAccumulatorForm(context, node);
  });
}
