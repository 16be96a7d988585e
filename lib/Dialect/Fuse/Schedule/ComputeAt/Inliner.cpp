//===- Inliner.cpp - Positions for given loops ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule and the requested positions. Out: the schedule with the legal
// positions closest to the requested ones. A request for one tensor can also be
// refused, with the reason.
//
//===----------------------------------------------------------------------===//

#include "Inliner.h"
#include "../ScheduleViolations.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

using namespace mlir;
using namespace mlir::fuse;

Violation mlir::fuse::makeRangeViolation(const Schedule &schedule,
                                         TensorId tensor, int64_t position) {
  int64_t size = schedule.getTensor(tensor).loop.size();
  Violation violation;
  violation.tensor = tensor;
  violation.text = "position " + std::to_string(position) + " of " +
                   quote(schedule.getTensor(tensor).name) +
                   " is out of range: expected " + std::to_string(-size - 1) +
                   " to " + std::to_string(size) + " for the loops " +
                   schedule.format(tensor);
  return violation;
}

Violation mlir::fuse::makeDepthViolation(const Schedule &schedule,
                                         TensorId tensor, unsigned wanted,
                                         unsigned max, Violation reason) {
  reason.text = quote(schedule.getTensor(tensor).name) +
                " cannot be computed at position " + std::to_string(wanted) +
                ", only at positions up to " + std::to_string(max) + ": " +
                reason.text;
  reason.tensor = tensor;
  return reason;
}

MaybeViolation mlir::fuse::makeLegal(Schedule &schedule,
                                     const Schedule &before) {
  MaybeViolation first;
  while (auto violation =
             verifyLegality(schedule, LoopClasses::build(schedule))) {
    if (!first)
      first = violation;
    SmallVector<TensorId> named = {violation->tensor};
    for (const Violation::Note &note : violation->notes)
      named.push_back(note.tensor);
    bool hasChanged = false;
    auto lower = [&](TensorId t) {
      const Tensor &old = before.getTensor(t);
      Tensor &tensor = schedule.getTensor(t);
      if (tensor.computeAt <= old.computeAt)
        return;
      hasChanged = true;
      tensor.computeAt = old.computeAt;
      tensor.computeWith = old.computeWith;
    };
    for (TensorId t : named)
      lower(t);
    for (TensorId t = 0; !hasChanged && t < schedule.getNumTensors(); ++t)
      lower(t);
    if (!hasChanged)
      break;
  }
  return first;
}

/// For each tensor, how many of its loops correspond to the first `position`
/// ones of `reference`.
static std::vector<unsigned> getTargets(const Schedule &schedule,
                                        TensorId reference, unsigned position) {
  std::vector<unsigned> targets(schedule.getNumTensors());
  targets[reference] = position;
  for (const Hop &hop : getMaxInformationTree(
           schedule, reference, position, [](const Hop &) { return true; })) {
    bool toProducer = hop.direction == ReplayDirection::ProducerAsConsumer;
    targets[hop.to] = matchClosest(schedule, toProducer ? hop.to : hop.from,
                                   toProducer ? hop.from : hop.to,
                                   targets[hop.from], hop.direction);
  }
  return targets;
}

MaybeViolation mlir::fuse::inlineAt(Schedule &schedule, TensorId tensor,
                                    int64_t request) {
  auto position = schedule.normalizePosition(tensor, request);
  if (!position)
    return makeRangeViolation(schedule, tensor, request);
  if (schedule.getTensor(tensor).isInput && *position > 0) {
    Violation violation;
    violation.tensor = tensor;
    violation.text = quote(schedule.getTensor(tensor).name) +
                     " is an input of the fusion, and no op computes it";
    return violation;
  }
  Schedule result = schedule;
  Inliner inliner(schedule, InlineMode::Standard, /*hoist=*/false);
  Violation why;
  unsigned reached = inliner.raise(tensor, *position, &why);
  if (reached < *position)
    return makeDepthViolation(schedule, tensor, *position, reached,
                              std::move(why));
  inliner.write(result);
  if (auto met = makeLegal(result, schedule))
    return met;
  schedule = std::move(result);
  return std::nullopt;
}

static void inlineUpTo(Schedule &schedule, ArrayRef<unsigned> targets,
                       const llvm::BitVector *only, bool hoist) {
  Schedule result = schedule;
  Inliner inliner(schedule, InlineMode::MostInlined, hoist);
  for (TensorId t : llvm::reverse(schedule.getProgramOrder()))
    if (!schedule.getTensor(t).isInput && (!only || only->test(t)))
      inliner.raise(t, targets[t]);
  inliner.raiseRefused();
  inliner.write(result);
  makeLegal(result, schedule);
  schedule = std::move(result);
}

void mlir::fuse::inlineAllAt(Schedule &schedule, TensorId reference,
                             int64_t request, const llvm::BitVector *only,
                             bool hoist) {
  if (auto position = schedule.normalizePosition(reference, request))
    inlineUpTo(schedule, getTargets(schedule, reference, *position), only,
               hoist);
}

void mlir::fuse::inlineMost(Schedule &schedule, const llvm::BitVector *only,
                            bool hoist) {
  std::vector<unsigned> targets;
  targets.reserve(schedule.getNumTensors());
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t)
    targets.push_back(schedule.getTensor(t).loop.size());
  inlineUpTo(schedule, targets, only, hoist);
}

MaybeViolation mlir::fuse::computeWith(Schedule &schedule, TensorId tensor,
                                       int64_t request) {
  auto position = schedule.normalizePosition(tensor, request);
  if (!position)
    return makeRangeViolation(schedule, tensor, request);
  const Tensor &data = schedule.getTensor(tensor);
  Violation violation;
  violation.tensor = tensor;
  if (data.isInput || schedule.getConsumers(tensor).empty()) {
    violation.text =
        quote(schedule.getTensor(tensor).name) +
        (data.isInput ? " is an input of the fusion" : " has no consumer") +
        " and cannot be computed with a consumer";
    return violation;
  }
  if (*position < data.computeAt) {
    violation.text =
        quote(schedule.getTensor(tensor).name) + " is stored at position " +
        std::to_string(data.computeAt) +
        " and cannot be computed outside of that position, at position " +
        std::to_string(*position);
    return violation;
  }
  TensorId consumer = schedule.getConsumers(tensor).front();
  unsigned max = getMaxComputeWith(schedule, tensor, consumer, &violation);
  if (*position > max)
    return makeDepthViolation(schedule, tensor, *position, max, violation);
  Schedule result = schedule;
  result.getTensor(tensor).computeWith = *position;
  if (auto illegal = verifyLegality(result, LoopClasses::build(result)))
    return illegal;
  schedule = std::move(result);
  return std::nullopt;
}
