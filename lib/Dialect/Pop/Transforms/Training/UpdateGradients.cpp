//===- UpdateGradients.cpp - Gradients of updated weights -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a weight is updated, its gradient is summed over the parts of a batch
// and combined over replicas.
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"
#include "ShardedParts.h"
#include "UpdateBuilder.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

using namespace mlir;
using namespace mlir::pop;

ReplicaGroupsAttr UpdateBuilder::getGroups(const Parameter &parameter) {
  if (VariableOp variable = parameter.variable)
    return variable.getGroupsAttr();
  return function.getArgAttrOfType<ReplicaGroupsAttr>(
      parameter.argument, PopDialect::kGroupsAttrName);
}

GradientReduction
UpdateBuilder::getReduction(const Parameter &parameter) const {
  bool isReduced = settings.reduce != GradientReduction::None;
  return isReduced && parameter.getSharding() ? GradientReduction::Gradient
                                              : settings.reduce;
}

ReplicaGroupsAttr
UpdateBuilder::getReplicasOfPart(const Parameter &parameter) const {
  func::FuncOp trained = function;
  int64_t replicas =
      ipu::getTargetModel(trained->getParentOfType<ModuleOp>()).replicas;
  ReplicaGroupsAttr sharding = parameter.getSharding();
  if (sharding.getGroupSize() == replicas)
    return {};
  // verifySharding() has resolved the groups before.
  ipu::ReplicaGroups groups = *ipu::resolveReplicaGroups(
      sharding, replicas, [&] { return trained.emitOpError(); });
  return getGroupsOfEqualIndices(b.getContext(), groups);
}

Value UpdateBuilder::reduce(const Parameter &parameter, Value gradient) {
  Location loc = getLoc(parameter);
  if (parameter.getSharding()) {
    // Gradients of parts that were gathered are sums over the replicas of a
    // group already.
    if (ReplicaGroupsAttr others = getReplicasOfPart(parameter))
      gradient = AllReduceOp::create(b, loc, ipu::CollectiveOperator::Add,
                                     gradient, others);
    if (settings.mean == GradientMean::None)
      return gradient;
    PopBuilder inner(b, loc);
    auto module = function->getParentOfType<ModuleOp>();
    return inner.div(
        gradient, inner.splatLike(double(ipu::getTargetModel(module).replicas),
                                  gradient));
  }
  auto kind = settings.mean == GradientMean::None
                  ? ipu::CollectiveOperator::Add
                  : ipu::CollectiveOperator::Mean;
  return AllReduceOp::create(b, loc, kind, gradient, getGroups(parameter));
}

Value UpdateBuilder::getCounter() {
  if (counter)
    return getHere(counter);
  counter = buildShared([&] {
    State state = addShared(kCounterState);
    PopBuilder inner(b, getLocOfSettings());
    Value one = inner.splatLike(1.0, state.value);
    Value count =
        inner.splatLike(double(settings.accumulationFactor), state.value);
    states.update(state,
                  inner.create<RemOp>(inner.add(state.value, one), count));
    return state.value;
  });
  return getHere(counter);
}

Value UpdateBuilder::combine(const Parameter &parameter, Value gradient) {
  Location loc = getLoc(parameter);
  GradientReduction reduction = getReduction(parameter);
  if (reduction == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  if (accumulates()) {
    Type elementType = parameter.type.getElementType();
    if (auto asked = dyn_cast_or_null<TypeAttr>(
            parameter.optimizer.getSetting("accumulator")))
      elementType = asked.getValue();
    auto type = RankedTensorType::get(parameter.type.getShape(), elementType);
    auto whole =
        RankedTensorType::get(parameter.getWholeType().getShape(), elementType);
    // Until they are reduced, accumulators differ.
    ReplicaGroupsAttr groups = getGroups(parameter);
    if (reduction == GradientReduction::Accumulator)
      groups = ReplicaGroupsAttr::getStrided(b.getContext(), 1, 1);
    State state = addState({(kAccumulatorState + parameter.name).str(), whole,
                            getZeros(whole), groups, /*placement=*/{},
                            parameter.getSharding()},
                           parameter);
    bool isMean = settings.mean == GradientMean::Running;
    auto kind = isMean ? AccumulateKind::Mean : AccumulateKind::Add;
    if (!isAccumulatorType(parameter.type.getElementType(), elementType))
      gradient = CastOp::create(b, loc, type, gradient);
    Value step = isMean ? getCounter() : Value();
    gradient = states.accumulate(state, kind, gradient, /*factor=*/1.0, step);
    context = ExecutionContext::AccumulateOuter;
    gradient = states.readAccumulated(loc, state, gradient);
    states.update(state, ConstantOp::create(b, loc, getZeros(type)));
  }
  context = ExecutionContext::AccumulateOuter;
  if (reduction == GradientReduction::Accumulator)
    gradient = reduce(parameter, gradient);
  return gradient;
}

Value UpdateBuilder::getScaledByReplicas(double factor) {
  Value &scaled = scaledByReplicas[factor];
  if (scaled)
    return getHere(scaled);
  Location loc = getLocOfSettings();
  ExecutionContext outer =
      std::exchange(context, ExecutionContext::OptimizerFromHost);
  scaled = buildShared([&] {
    Value own = PopBuilder(b, loc).splat(factor, b.getF32Type());
    return AllReduceOp::create(b, loc, ipu::CollectiveOperator::Add, own,
                               ReplicaGroupsAttr())
        .getResult();
  });
  context = outer;
  return getHere(scaled);
}

FailureOr<Value> UpdateBuilder::accumulateVelocity(const Parameter &parameter,
                                                   State &velocity,
                                                   Value gradient) {
  double factor = 1;
  for (StringRef name : {"dampening", "velocity_scaling", "loss_scale"}) {
    std::optional<double> constant = parameter.optimizer.getConstant(name);
    if (!constant)
      return function.emitOpError()
             << "adds gradients of '" << parameter.name
             << "' to the velocity of 'sgd1'; expects setting '" << name
             << "' to be constant, or optimizer 'sgd2'";
    factor = name == "dampening"    ? factor * (1 - *constant)
             : name == "loss_scale" ? factor / *constant
                                    : factor * *constant;
  }
  if (settings.mean == GradientMean::Running)
    return function.emitOpError()
           << "adds gradients of '" << parameter.name
           << "' to the velocity of 'sgd1', which cannot be a running mean; "
              "expects option 'mean' to be none or post, or optimizer 'sgd2'";
  if (settings.mean == GradientMean::Post)
    factor /= double(settings.accumulationFactor);
  GradientReduction reduction = getReduction(parameter);
  bool isReduced = reduction == GradientReduction::Accumulator;
  // The mean over replicas leaves what all of them have from the last update.
  Value scaled;
  if (isReduced && settings.mean == GradientMean::None) {
    if (ReplicaGroupsAttr groups = getGroups(parameter))
      factor *= double(groups.getGroupSize());
    else
      scaled = getScaledByReplicas(factor);
  }
  Location loc = getLoc(parameter);
  if (reduction == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  auto type = cast<RankedTensorType>(velocity.value.getType());
  if (!isAccumulatorType(parameter.type.getElementType(),
                         type.getElementType()))
    gradient = CastOp::create(b, loc, type, gradient);
  Value sum = states.accumulate(velocity, AccumulateKind::Add, gradient,
                                scaled ? 1.0 : factor, /*step=*/{}, scaled);
  context = ExecutionContext::AccumulateOuter;
  sum = states.readAccumulated(loc, velocity, sum);
  if (isReduced)
    sum = AllReduceOp::create(b, loc, ipu::CollectiveOperator::Mean, sum,
                              getGroups(parameter))
              .getResult();
  return sum;
}
