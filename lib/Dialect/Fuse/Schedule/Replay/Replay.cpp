//===- Replay.cpp - Replay of transforms along an edge --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a prefix of the loops of one tensor. Out: loops of its producer or
// consumer that start with the corresponding loops, followed by as much of the
// former schedule as possible. The algorithm is that of nvFuser's
// TransformReplay.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "../ScheduleViolations.h"
#include "BestEffortReplay.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// One replay: from `target`, whose loops are known, to `replay`.
class Replayer {
public:
  Replayer(Schedule &schedule, TensorId producer, TensorId consumer,
           ReplayDirection direction);

  MaybeViolation run(unsigned position, ReplayResult &result);

private:
  /// Makes the transforms of the targets that the replay side lacks.
  MaybeViolation apply();
  MaybeViolation createMerge(const AxisExpr &expr);
  MaybeViolation takeFront(SmallVectorImpl<AxisId> &front);
  /// What the front leaves, with the former schedule of the replay side.
  SmallVector<AxisId> replaySelf(ArrayRef<AxisId> front);
  MaybeViolation checkFrozen(ArrayRef<AxisId> loop) const;

  /// `axes` and all axes that they are made of, down to `roots`.
  AxisSet getAncestors(ArrayRef<AxisId> axes, ArrayRef<AxisId> roots) const;
  Violation fail(AxisId axis, StringRef why) const;

  Schedule &schedule;
  ReplayDirection direction;
  TensorId target, replay;
  /// From target to replay axes.
  llvm::MapVector<AxisId, AxisId> pairs;
  SmallVector<AxisId> targetRoots, replayRoots;
  Forwarding targetForwarding, replayForwarding;

  SmallVector<AxisId> targets;
  llvm::MapVector<AxisId, AxisId> map;
  /// Leaves that correspond to nothing.
  SmallVector<AxisId> dangling;
  AxisList leaves;
};

} // namespace

Replayer::Replayer(Schedule &schedule, TensorId producer, TensorId consumer,
                   ReplayDirection direction)
    : schedule(schedule), direction(direction) {
  PairwiseMap edge = getPairwiseMap(schedule, producer, consumer);
  SmallVector<AxisId> logical = schedule.getLogicalWithReductions(producer);
  ArrayRef<AxisId> root = schedule.getTensor(consumer).root;
  Forwarding ofProducer = Forwarding::compute(
      schedule, schedule.getTensor(producer).loop, edge.squeezed);
  Forwarding ofConsumer = Forwarding::compute(
      schedule, schedule.getTensor(consumer).loop, edge.consumerOnly);
  if (direction == ReplayDirection::ProducerAsConsumer) {
    target = consumer;
    replay = producer;
    pairs = edge.consumerToProducer;
    targetRoots.assign(root.begin(), root.end());
    replayRoots = logical;
    targetForwarding = std::move(ofConsumer);
    replayForwarding = std::move(ofProducer);
    return;
  }
  target = producer;
  replay = consumer;
  pairs = edge.producerToConsumer;
  targetRoots = logical;
  replayRoots.assign(root.begin(), root.end());
  targetForwarding = std::move(ofProducer);
  replayForwarding = std::move(ofConsumer);
}

Violation Replayer::fail(AxisId axis, StringRef why) const {
  const Tensor &from = schedule.getTensor(target);
  return {"the loops of tensor " + quote(schedule.getTensor(replay).name) +
              " cannot be transformed like the loops of tensor " +
              quote(from.name) + " for loop " +
              quote(schedule.getAxis(axis).name) + ": " + why.str(),
          replay,
          {{target, "its loops are " + schedule.format(target)},
           {replay, "its loops are " + schedule.format(replay)}}};
}

AxisSet Replayer::getAncestors(ArrayRef<AxisId> axes,
                               ArrayRef<AxisId> roots) const {
  AxisSet ancestors;
  AxisSet stop(roots.begin(), roots.end());
  SmallVector<AxisId> worklist(axes);
  while (!worklist.empty()) {
    AxisId axis = worklist.pop_back_val();
    if (!ancestors.insert(axis).second || stop.contains(axis))
      continue;
    if (std::optional<ExprId> definition = schedule.getAxis(axis).definition)
      llvm::append_range(worklist, schedule.getExpr(*definition).inputs);
  }
  return ancestors;
}

//===----------------------------------------------------------------------===//
// Making transforms
//===----------------------------------------------------------------------===//

MaybeViolation Replayer::createMerge(const AxisExpr &expr) {
  AxisId outer = map[expr.inputs[0]], inner = map[expr.inputs[1]];
  const Axis &outerAxis = schedule.getAxis(outer);
  const Axis &innerAxis = schedule.getAxis(inner);
  if (outerAxis.isReduction() != innerAxis.isReduction()) {
    const Axis &reduction = outerAxis.isReduction() ? outerAxis : innerAxis;
    const Axis &other = outerAxis.isReduction() ? innerAxis : outerAxis;
    return fail(expr.outputs.front(), "reduction " + quote(reduction.name) +
                                          " cannot be merged with " +
                                          quote(other.name) +
                                          ", which is not a reduction");
  }
  map[expr.outputs.front()] = schedule.makeMerge(outer, inner);
  return std::nullopt;
}

MaybeViolation Replayer::apply() {
  for (ExprId id : schedule.getHistory(targets, targetRoots)) {
    // A copy: making axes moves the expressions.
    AxisExpr expr = schedule.getExpr(id);
    if (targetForwarding.pass(expr, map))
      continue;
    if (!llvm::all_of(expr.inputs, [&](AxisId axis) {
          auto *it = map.find(axis);
          return it != map.end() && leaves.contains(it->second);
        }))
      continue;
    if (expr.kind == AxisExpr::Kind::Merge) {
      if (MaybeViolation violation = createMerge(expr))
        return violation;
    } else {
      auto [outer, inner] =
          schedule.makeSplit(map[expr.inputs[0]], expr.factor, expr.inner);
      map[expr.outputs[0]] = outer;
      map[expr.outputs[1]] = inner;
    }
    for (AxisId input : expr.inputs)
      leaves.erase(map[input]);
    for (AxisId output : expr.outputs)
      leaves.insert(map[output]);
  }
  return std::nullopt;
}

MaybeViolation Replayer::takeFront(SmallVectorImpl<AxisId> &front) {
  AxisSet roots(targetRoots.begin(), targetRoots.end());
  for (AxisId axis : targets) {
    auto *it = map.find(axis);
    if (it != map.end() && leaves.contains(it->second)) {
      front.push_back(it->second);
      continue;
    }
    // What is made of axes that the replay side lacks is not missed there.
    if (llvm::none_of(getAncestors(axis, targetRoots), [&](AxisId ancestor) {
          return roots.contains(ancestor) && !pairs.contains(ancestor);
        }))
      return fail(axis, "the loop has no counterpart");
  }
  for (AxisId axis : front)
    leaves.erase(axis);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The whole replay
//===----------------------------------------------------------------------===//

SmallVector<AxisId> Replayer::replaySelf(ArrayRef<AxisId> front) {
  SmallVector<AxisId> rest = leaves.take();
  llvm::append_range(rest, dangling);
  SmallVector<AxisId> used(front);
  llvm::append_range(used, rest);
  AxisSet covered = getAncestors(used, replayRoots);
  for (AxisId axis : replayRoots)
    if (!covered.contains(axis))
      rest.push_back(axis);

  llvm::MapVector<AxisId, AxisId> identity;
  for (AxisId axis : rest)
    identity[axis] = axis;
  const SmallVector<AxisId> old = schedule.getTensor(replay).loop;
  BestEffortReplay::Request request;
  request.replayLoop = old;
  request.targets = old;
  BestEffortReplay self(schedule, request, identity);

  AxisList order;
  for (AxisId axis : schedule.getTensor(target).loop)
    if (auto *it = map.find(axis); it != map.end())
      if (self.leaves.contains(it->second))
        order.insert(it->second);
  for (AxisId axis : old)
    if (self.leaves.contains(axis))
      order.insert(axis);
  for (AxisId axis : self.leaves.take())
    order.insert(axis);
  return order.take();
}

MaybeViolation Replayer::checkFrozen(ArrayRef<AxisId> loop) const {
  for (ExprId id : schedule.getTensor(replay).frozen)
    for (AxisId axis : schedule.getExpr(id).inputs)
      if (llvm::is_contained(loop, axis))
        return fail(
            axis,
            "an rfactor has transformed the loop, so the loop cannot change");
  return std::nullopt;
}

MaybeViolation Replayer::run(unsigned position, ReplayResult &result) {
  const Tensor &from = schedule.getTensor(target);
  if (position > from.loop.size())
    return Violation{"position " + std::to_string(position) + " of tensor " +
                         quote(from.name) + " is out of range: expected 0 to " +
                         std::to_string(from.loop.size()),
                     target,
                     {}};
  // A producer's reductions are nothing to the consumer.
  bool isProducer = direction == ReplayDirection::ConsumerAsProducer;
  for (AxisId axis : ArrayRef(from.loop).take_front(position))
    if (!isProducer || !schedule.getAxis(axis).isReduction())
      targets.push_back(axis);

  AxisSet needed = getAncestors(targets, targetRoots);
  llvm::MapVector<AxisId, AxisId> start;
  for (auto [axis, image] : pairs)
    if (needed.contains(axis))
      start[axis] = image;
  BestEffortReplay::Request request;
  request.replayLoop = schedule.getTensor(replay).loop;
  request.targets = targets;
  request.targetRoots = targetRoots;
  request.replayForwarding = &replayForwarding;
  request.targetForwarding = &targetForwarding;
  request.frozen = schedule.getTensor(replay).frozen;
  BestEffortReplay found(schedule, request, start);
  if (found.contradicted)
    return fail(*found.contradicted,
                "an rfactor has transformed the loop in another way");

  AxisSet images;
  for (auto [axis, image] : found.map)
    if (found.leaves.contains(image) && images.insert(image).second) {
      map[axis] = image;
      leaves.insert(image);
    }
  for (AxisId axis : found.leaves.take())
    if (!images.contains(axis))
      dangling.push_back(axis);

  SmallVector<AxisId> front;
  if (MaybeViolation violation = apply())
    return violation;
  if (MaybeViolation violation = takeFront(front))
    return violation;
  result.position = front.size();
  result.loop = front;
  llvm::append_range(result.loop, replaySelf(front));
  return checkFrozen(result.loop);
}

static MaybeViolation replayEdge(Schedule &schedule, TensorId producer,
                                 TensorId consumer, unsigned position,
                                 ReplayDirection direction,
                                 ReplayResult &result) {
  if (!llvm::is_contained(schedule.getProducers(consumer), producer))
    return Violation{"tensor " + quote(schedule.getTensor(consumer).name) +
                         " does not read tensor " +
                         quote(schedule.getTensor(producer).name),
                     consumer,
                     {}};
  return Replayer(schedule, producer, consumer, direction)
      .run(position, result);
}

MaybeViolation mlir::fuse::replayProducerAsConsumer(Schedule &schedule,
                                                    TensorId producer,
                                                    TensorId consumer,
                                                    unsigned position,
                                                    ReplayResult &result) {
  return replayEdge(schedule, producer, consumer, position,
                    ReplayDirection::ProducerAsConsumer, result);
}

MaybeViolation mlir::fuse::replayConsumerAsProducer(Schedule &schedule,
                                                    TensorId consumer,
                                                    TensorId producer,
                                                    unsigned position,
                                                    ReplayResult &result) {
  return replayEdge(schedule, producer, consumer, position,
                    ReplayDirection::ConsumerAsProducer, result);
}

MaybeViolation mlir::fuse::installLoops(Schedule &schedule, TensorId tensor,
                                        ArrayRef<AxisId> loop) {
  Tensor &changed = schedule.getTensor(tensor);
  if (ArrayRef<AxisId>(changed.loop) == loop)
    return std::nullopt;
  unsigned frozen = schedule.getNumFrozenLoops(tensor);
  if (!schedule.isSamePrefix(changed.loop, loop, frozen)) {
    SmallVector<AxisId> wanted(loop);
    std::swap(changed.loop, wanted);
    std::string asked = schedule.format(tensor);
    std::swap(changed.loop, wanted);
    return Violation{"the loops " + schedule.format(tensor) +
                         " would have to become " + asked + ", but the first " +
                         std::to_string(frozen) +
                         (frozen == 1 ? " loop is" : " loops are") + " frozen",
                     tensor, schedule.explainFrozenLoops(tensor)};
  }
  // Of equal loops the old ones stay, with names and loop types.
  SmallVector<AxisId> installed(changed.loop.begin(),
                                changed.loop.begin() + frozen);
  llvm::append_range(installed, loop.drop_front(frozen));
  changed.loop = std::move(installed);
  return std::nullopt;
}
