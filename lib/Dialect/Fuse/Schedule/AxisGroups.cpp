//===- AxisGroups.cpp - Groups of axes with equal values ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule. Out: the partition of its axes that AxisGroups.h describes.
// The partition is computed by union-find over edges and then over equal
// transforms, until no group changes.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/AxisGroups.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::fuse;

SmallVector<AxisId> mlir::fuse::getSources(const Schedule &schedule,
                                           TensorId tensor,
                                           ArrayRef<AxisId> axes) {
  if (schedule.getTensor(tensor).frozen.empty())
    return schedule.getRoots(axes);
  SmallVector<AxisId> ends = schedule.getLogicalWithReductions(tensor);
  SmallVector<AxisId> sources;
  SmallVector<AxisId> worklist(axes);
  llvm::SmallDenseSet<AxisId, 16> seen;
  while (!worklist.empty()) {
    AxisId axis = worklist.pop_back_val();
    if (!seen.insert(axis).second)
      continue;
    std::optional<ExprId> definition = schedule.getAxis(axis).definition;
    if (!definition || llvm::is_contained(ends, axis))
      sources.push_back(axis);
    else
      llvm::append_range(worklist, schedule.getExpr(*definition).inputs);
  }
  return sources;
}

bool AxisGroups::unite(AxisId a, AxisId b) {
  auto find = [&](AxisId axis) {
    while (parents[axis] != axis)
      axis = parents[axis] = parents[parents[axis]];
    return axis;
  };
  a = find(a);
  b = find(b);
  if (a == b)
    return false;
  if (b < a)
    std::swap(a, b);
  parents[b] = a;
  concrete[a] = concrete[a] || concrete[b];
  return true;
}

void AxisGroups::uniteEdges(const Schedule &schedule) {
  auto uniteShared = [&](TensorId producer, TensorId consumer,
                         ArrayRef<AxisId> sources) {
    PairwiseMap map = getPairwiseMap(schedule, producer, consumer);
    for (AxisId source : sources)
      if (auto *it = map.producerToConsumer.find(source);
          it != map.producerToConsumer.end())
        unite(source, it->second);
  };
  for (TensorId id : schedule.getProgramOrder()) {
    const Tensor &tensor = schedule.getTensor(id);
    ArrayRef<TensorId> consumers = schedule.getConsumers(id);
    if (tensor.isInput || consumers.empty())
      continue;
    // Positions may be out of range: that is for findViolations to tell.
    auto getSharedSources = [&](unsigned position) {
      ArrayRef<AxisId> loop = tensor.loop;
      return getSources(
          schedule, id,
          loop.take_front(std::min<size_t>(position, loop.size())));
    };
    if (tensor.computeAt) {
      SmallVector<AxisId> sources = getSharedSources(tensor.computeAt);
      for (TensorId consumer : consumers)
        uniteShared(id, consumer, sources);
    }
    if (tensor.computeWith)
      uniteShared(id, consumers.front(), getSharedSources(*tensor.computeWith));
  }
}

bool AxisGroups::uniteTransforms(const Schedule &schedule,
                                 ArrayRef<ExprId> exprs) {
  using Key = std::tuple<unsigned, int64_t, bool, AxisId, AxisId>;
  std::map<Key, ExprId> known;
  bool hasChanged = false;
  for (ExprId id : exprs) {
    const AxisExpr &expr = schedule.getExpr(id);
    bool isConcrete = llvm::any_of(
        expr.inputs, [&](AxisId axis) { return this->isConcrete(axis); });
    if (isConcrete)
      for (AxisId output : expr.outputs)
        concrete[getGroup(output)] = true;
    bool isMerge = expr.kind == AxisExpr::Kind::Merge;
    if (isMerge && isConcrete)
      for (unsigned i : {0, 1})
        if (!this->isConcrete(expr.inputs[i]))
          hasChanged |= unite(expr.outputs[0], expr.inputs[1 - i]);
    Key key(unsigned(expr.kind), expr.factor, expr.inner,
            getGroup(expr.inputs.front()), getGroup(expr.inputs.back()));
    auto [it, isNew] = known.try_emplace(key, id);
    if (isNew)
      continue;
    for (auto [a, b] :
         llvm::zip_equal(expr.outputs, schedule.getExpr(it->second).outputs))
      hasChanged |= unite(a, b);
  }
  return hasChanged;
}

void AxisGroups::setExtents(const Schedule &schedule, ArrayRef<ExprId> exprs) {
  extents.resize(parents.size());
  AffineExpr one = getAffineConstantExpr(1, schedule.getContext());
  for (AxisId axis = 0; axis < parents.size(); ++axis) {
    AffineExpr &extent = extents[getGroup(axis)];
    const Axis &data = schedule.getAxis(axis);
    if (!isConcrete(axis))
      extent = one;
    else if (!extent && !data.definition && !data.isBroadcast())
      extent = data.extent;
  }
  auto set = [&](AxisId axis, AffineExpr value) {
    AffineExpr &extent = extents[getGroup(axis)];
    if (!extent)
      extent = value;
  };
  for (ExprId id : exprs) {
    const AxisExpr &expr = schedule.getExpr(id);
    // Of a broadcast that no axis of an iteration space makes concrete.
    for (AxisId input : expr.inputs)
      set(input, schedule.getAxis(input).extent);
    AffineExpr first = getExtent(expr.inputs[0]);
    if (expr.kind == AxisExpr::Kind::Merge) {
      set(expr.outputs[0], first * getExtent(expr.inputs[1]));
      continue;
    }
    AffineExpr given =
        getAffineConstantExpr(expr.factor, schedule.getContext());
    AffineExpr other = first.ceilDiv(expr.factor);
    set(expr.outputs[0], expr.inner ? other : given);
    set(expr.outputs[1], expr.inner ? given : other);
  }
  for (AxisId axis = 0; axis < parents.size(); ++axis)
    set(axis, schedule.getAxis(axis).extent);
}

AxisGroups AxisGroups::build(const Schedule &schedule) {
  AxisGroups groups;
  unsigned numAxes = schedule.getNumAxes();
  groups.parents.resize(numAxes);
  groups.concrete.resize(numAxes);
  for (AxisId axis = 0; axis < numAxes; ++axis) {
    groups.parents[axis] = axis;
    groups.concrete[axis] = !schedule.getAxis(axis).isBroadcast();
  }
  groups.uniteEdges(schedule);

  SmallVector<ExprId> exprs;
  for (TensorId id : schedule.getProgramOrder()) {
    const Tensor &tensor = schedule.getTensor(id);
    SmallVector<AxisId> axes(tensor.loop);
    for (const SmallVector<AxisId> &logical : tensor.logical)
      llvm::append_range(axes, logical);
    llvm::append_range(exprs, schedule.getHistory(axes));
  }
  llvm::sort(exprs);
  exprs.erase(llvm::unique(exprs), exprs.end());
  while (groups.uniteTransforms(schedule, exprs))
    ;
  for (AxisId axis = 0; axis < numAxes; ++axis)
    groups.parents[axis] = groups.getGroup(axis);
  groups.setExtents(schedule, exprs);
  return groups;
}
