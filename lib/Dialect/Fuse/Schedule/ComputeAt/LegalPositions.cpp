//===- LegalPositions.cpp - Legal computeAt positions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a tensor and its consumers. Out: the deepest position that each consumer
// alone allows. LoopTree handles limits that depend on the positions of other
// tensors.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleViolations.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace mlir::fuse;

StringRef mlir::fuse::stringifyInlineMode(InlineMode mode) {
  switch (mode) {
  case InlineMode::Standard:
    return "standard";
  case InlineMode::BestEffort:
    return "best_effort";
  case InlineMode::MostInlined:
    return "most_inlined";
  }
  llvm_unreachable("unknown mode");
}

std::optional<InlineMode> mlir::fuse::symbolizeInlineMode(StringRef name) {
  for (InlineMode mode :
       {InlineMode::Standard, InlineMode::BestEffort, InlineMode::MostInlined})
    if (name == stringifyInlineMode(mode))
      return mode;
  return std::nullopt;
}

static std::string describeLoop(const Schedule &schedule, TensorId tensor,
                                unsigned position) {
  AxisId axis = schedule.getTensor(tensor).loop[position];
  return "loop '" + schedule.formatAxis(axis) + "' of " +
         quote(schedule.getTensor(tensor).name);
}

/// Whether nothing may be computed inside of such a loop.
static bool isClosed(LoopType type, InlineMode mode) {
  return type == LoopType::Vectorize ||
         (type == LoopType::Unroll && mode != InlineMode::Standard);
}

/// The first axis that `axis` is made of, itself included, that consumers
/// cannot share.
static std::optional<AxisId> findUnmappable(const Schedule &schedule,
                                            const RootDomainMap &map,
                                            TensorId tensor, AxisId axis) {
  if (!map.isMappable(tensor, axis))
    return axis;
  if (std::optional<ExprId> definition = schedule.getAxis(axis).definition)
    for (AxisId input : schedule.getExpr(*definition).inputs)
      if (auto found = findUnmappable(schedule, map, tensor, input))
        return found;
  return std::nullopt;
}

/// The limit by the tensor's own loops.
static unsigned getMaxBySelf(const Schedule &schedule, const RootDomainMap *map,
                             TensorId tensor, InlineMode mode, Violation *why) {
  ArrayRef<AxisId> loop = schedule.getTensor(tensor).loop;
  for (unsigned i = 0; i < loop.size(); ++i) {
    const Axis &axis = schedule.getAxis(loop[i]);
    std::optional<AxisId> found =
        map ? findUnmappable(schedule, *map, tensor, loop[i]) : std::nullopt;
    if (found && why)
      *why = map->explain(schedule, tensor, *found);
    if (found)
      return i;
    bool closed = isClosed(axis.loopType, mode);
    if (!axis.isReduction() && !closed)
      continue;
    if (why) {
      why->tensor = tensor;
      why->text = describeLoop(schedule, tensor, i);
      if (closed)
        why->text +=
            " is of type '" + stringifyLoopType(axis.loopType).str() + "'";
      else
        why->text +=
            " is a reduction, whose result is complete only after the loop";
    }
    return i;
  }
  return loop.size();
}

/// The limit by one consumer, up to `count`.
static unsigned getMaxByConsumer(const Schedule &schedule, TensorId tensor,
                                 TensorId consumer, unsigned count,
                                 InlineMode mode, Violation *why) {
  auto matches = matchLoops(schedule, tensor, consumer, count);
  const Tensor &reader = schedule.getTensor(consumer);
  unsigned end = reader.startsFrom(tensor) ? reader.getFirstReduction(schedule)
                                           : reader.loop.size();
  for (unsigned i = 0; i < count; ++i) {
    bool hasMatch = i < matches.size() && matches[i];
    AxisId axis = schedule.getTensor(tensor).loop[i];
    // A loop of extent 1 that the consumer has not is no loop.
    if (i < matches.size() && !matches[i] &&
        schedule.getAxis(axis).isBroadcast())
      continue;
    LoopType type = LoopType::Serial;
    if (hasMatch)
      type = schedule.getAxis(schedule.getTensor(consumer).loop[*matches[i]])
                 .loopType;
    bool isInside = hasMatch && *matches[i] >= end;
    if (hasMatch && !isInside && !isClosed(type, mode))
      continue;
    if (!why)
      return i;
    why->tensor = tensor;
    why->text = describeLoop(schedule, tensor, i);
    if (isInside)
      why->text += " corresponds to " +
                   describeLoop(schedule, consumer, *matches[i]) + ", but " +
                   quote(reader.name) +
                   " reads this tensor as the initial value of its reduction, "
                   "before the outermost reduction loop";
    else if (hasMatch)
      why->text += " corresponds to " +
                   describeLoop(schedule, consumer, *matches[i]) +
                   ", which is of type '" + stringifyLoopType(type).str() + "'";
    else
      why->text += " has no counterpart in the loops of its consumer " +
                   quote(schedule.getTensor(consumer).name);
    why->notes.push_back(
        {consumer, "the consumer has the loops " + schedule.format(consumer)});
    return i;
  }
  return count;
}

unsigned mlir::fuse::getMaxPosition(const Schedule &schedule,
                                    const RootDomainMap &map, TensorId tensor,
                                    InlineMode mode, Violation *why) {
  unsigned max = getMaxBySelf(schedule, &map, tensor, mode, why);
  for (TensorId consumer : schedule.getConsumers(tensor)) {
    Violation reason;
    unsigned byConsumer =
        getMaxByConsumer(schedule, tensor, consumer, max, mode, &reason);
    if (byConsumer < max && why)
      *why = std::move(reason);
    max = std::min(max, byConsumer);
  }
  return max;
}

unsigned mlir::fuse::getMaxComputeWith(const Schedule &schedule,
                                       TensorId tensor, TensorId consumer,
                                       Violation *why) {
  unsigned max = getMaxBySelf(schedule, /*map=*/nullptr, tensor,
                              InlineMode::Standard, why);
  Violation reason;
  unsigned byConsumer = getMaxByConsumer(schedule, tensor, consumer, max,
                                         InlineMode::Standard, &reason);
  if (byConsumer < max && why)
    *why = std::move(reason);
  return byConsumer;
}
