//===- ComputeAt.cpp - computeAt ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule and a request. Out: the schedule with equal loop prefixes and
// deeper positions, or, if the request is not legal, the unchanged schedule and
// the reason. The algorithm first finds the affected tensors, then makes their
// loops equal, and then chooses positions.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleViolations.h"
#include "Inliner.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Gives the tensors that `hops` lead to loops like the first `position` ones
/// of `reference`, where they do not have them yet. `positions`: for each
/// tensor, how many of its loops correspond to those. If `skip`, tensors that
/// cannot get such loops keep theirs.
static MaybeViolation replayAlong(Schedule &schedule, TensorId reference,
                                  unsigned position, ArrayRef<Hop> hops,
                                  bool skip, std::vector<unsigned> &positions) {
  positions.assign(schedule.getNumTensors(), 0);
  positions[reference] = position;
  for (const Hop &hop : hops) {
    bool toProducer = hop.direction == ReplayDirection::ProducerAsConsumer;
    TensorId producer = toProducer ? hop.to : hop.from;
    TensorId consumer = toProducer ? hop.from : hop.to;
    unsigned from = positions[hop.from];
    if (auto match =
            matchPosition(schedule, producer, consumer, from, hop.direction)) {
      positions[hop.to] = *match;
      continue;
    }
    ReplayResult result;
    MaybeViolation violation =
        toProducer ? replayProducerAsConsumer(schedule, producer, consumer,
                                              from, result)
                   : replayConsumerAsProducer(schedule, consumer, producer,
                                              from, result);
    if (!violation)
      violation = installLoops(schedule, hop.to, result.loop);
    if (violation && !skip)
      return violation;
    positions[hop.to] = violation ? matchClosest(schedule, producer, consumer,
                                                 from, hop.direction)
                                  : result.position;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static MaybeViolation checkRequest(const Schedule &schedule, TensorId producer,
                                   TensorId consumer, int64_t position,
                                   unsigned &normalized) {
  if (producer == consumer ||
      !getDescendants(schedule, producer).test(consumer)) {
    Violation violation;
    violation.tensor = consumer;
    violation.text = quote(schedule.getTensor(consumer).name) +
                     " is not a consumer of " +
                     quote(schedule.getTensor(producer).name) +
                     ", neither directly nor through other tensors";
    std::string readers;
    for (TensorId reader : schedule.getConsumers(producer))
      readers += (readers.empty() ? " is read by " : ", ") +
                 quote(schedule.getTensor(reader).name);
    violation.notes.push_back(
        {producer, quote(schedule.getTensor(producer).name) +
                       (readers.empty() ? " is read by no tensor" : readers)});
    return violation;
  }
  auto p = schedule.normalizePosition(consumer, position);
  if (!p)
    return makeRangeViolation(schedule, consumer, position);
  normalized = *p;
  return std::nullopt;
}

/// Makes the loops of all affected tensors, and of their consumers, equal.
static MaybeViolation makeLoopsEqual(Schedule &schedule, TensorId producer,
                                     TensorId consumer, unsigned position,
                                     const llvm::BitVector &affected, bool skip,
                                     std::vector<unsigned> &targets) {
  // Inputs are not computed, so whatever loops they have. The producer, if it
  // is one, says what the branches that read it have in common.
  auto mayVisit = [&](const Hop &hop) {
    return (!schedule.getTensor(hop.to).isInput || hop.to == producer) &&
           (affected.test(hop.to) ||
            (hop.direction == ReplayDirection::ConsumerAsProducer &&
             affected.test(hop.from)));
  };
  MaybeViolation violation =
      replayAlong(schedule, consumer, position,
                  getMaxInformationTree(schedule, consumer, position, mayVisit),
                  skip, targets);
  Tensor &data = schedule.getTensor(producer);
  if (data.isInput)
    data.loop = data.root;
  return violation;
}

namespace {

/// Positions of the tensors that a computeAt affects.
struct Placement {
  Placement(const Schedule &schedule, const llvm::BitVector &affected,
            const llvm::BitVector &strict, ArrayRef<unsigned> targets,
            InlineMode mode, bool hoist)
      : schedule(schedule), affected(affected), strict(strict),
        targets(targets), mode(mode), hoist(hoist) {}

  /// Consumers first; with `strictFirst`, all that must reach their target
  /// before all others. The violation of the first one, in
  /// program order, that does not.
  MaybeViolation run(Schedule &result, bool strictFirst) const {
    Inliner inliner(schedule, mode, hoist);
    SmallVector<TensorId> order;
    for (TensorId t : affected.set_bits())
      if (!schedule.getTensor(t).isInput)
        order.push_back(t);
    auto getRank = [&](TensorId t) {
      return std::pair(strictFirst && strict.test(t), schedule.getOrdinal(t));
    };
    llvm::sort(order,
               [&](TensorId a, TensorId b) { return getRank(a) > getRank(b); });
    for (TensorId t : order)
      inliner.raise(t, getTarget(t));
    inliner.raiseRefused();
    MaybeViolation violation;
    for (TensorId t : order) {
      Violation why;
      unsigned reached =
          strict.test(t) ? inliner.raise(t, getTarget(t), &why) : getTarget(t);
      // What comes first in program order is reported.
      if (reached < getTarget(t) &&
          (!violation ||
           schedule.getOrdinal(t) < schedule.getOrdinal(violation->tensor)))
        violation = makeDepthViolation(schedule, t, getTarget(t), reached,
                                       std::move(why));
    }
    result = schedule;
    inliner.write(result);
    return violation;
  }

  unsigned getTarget(TensorId t) const {
    return mode == InlineMode::MostInlined
               ? unsigned(schedule.getTensor(t).loop.size())
               : targets[t];
  }

  const Schedule &schedule;
  const llvm::BitVector &affected;
  const llvm::BitVector &strict;
  ArrayRef<unsigned> targets;
  InlineMode mode;
  bool hoist;
};

} // namespace

MaybeViolation mlir::fuse::computeAt(Schedule &schedule, TensorId producer,
                                     TensorId consumer, int64_t request,
                                     const ComputeAtOptions &options) {
  unsigned position = 0;
  if (auto violation =
          checkRequest(schedule, producer, consumer, request, position))
    return violation;
  if (options.mode == InlineMode::MostInlined)
    position = schedule.getTensor(consumer).loop.size();
  llvm::BitVector affected = getAffected(schedule, producer, consumer);
  llvm::BitVector strict = getDescendants(schedule, producer);
  strict &= getAncestors(schedule, consumer);
  strict.reset(consumer);

  Schedule replayed = schedule;
  std::vector<unsigned> targets;
  bool isStandard = options.mode == InlineMode::Standard;
  if (auto violation = makeLoopsEqual(replayed, producer, consumer, position,
                                      affected, /*skip=*/!isStandard, targets))
    return violation;
  Placement placement(
      replayed, affected, strict, targets, options.mode,
      options.hoist.value_or(options.mode == InlineMode::MostInlined));
  Schedule result = replayed;
  MaybeViolation violation = placement.run(result, /*strictFirst=*/false);
  if (violation && options.mode != InlineMode::MostInlined) {
    Schedule other = replayed;
    if (!placement.run(other, /*strictFirst=*/true)) {
      result = std::move(other);
      violation.reset();
    }
  }
  if (violation && isStandard)
    return violation;
  if (auto met = makeLegal(result, replayed); met && isStandard)
    return met;
  schedule = std::move(result);
  return std::nullopt;
}

MaybeViolation mlir::fuse::propagate(Schedule &schedule, TensorId reference,
                                     int64_t request,
                                     const llvm::BitVector *only) {
  auto position = schedule.normalizePosition(reference, request);
  if (!position)
    return makeRangeViolation(schedule, reference, request);
  Schedule result = schedule;
  auto hops = getMaxInformationTree(
      schedule, reference, *position,
      [&](const Hop &hop) { return !only || only->test(hop.to); });
  std::vector<unsigned> positions;
  if (auto violation = replayAlong(result, reference, *position, hops,
                                   /*skip=*/false, positions))
    return violation;
  schedule = std::move(result);
  return std::nullopt;
}

std::optional<Recomputation>
mlir::fuse::planRecomputation(const Schedule &schedule, TensorId producer,
                              TensorId consumer, int64_t request) {
  unsigned position = 0;
  if (schedule.getTensor(producer).isInput ||
      checkRequest(schedule, producer, consumer, request, position))
    return std::nullopt;
  Schedule trial = schedule;
  if (!computeAt(trial, producer, consumer, request))
    return std::nullopt;
  trial = schedule;
  llvm::BitVector affected = getAffected(schedule, producer, consumer);
  std::vector<unsigned> targets;
  if (makeLoopsEqual(trial, producer, consumer, position, affected,
                     /*skip=*/false, targets))
    return std::nullopt;
  Inliner inliner(trial, InlineMode::Standard, /*hoist=*/false);
  for (TensorId t : llvm::reverse(schedule.getProgramOrder()))
    if (affected.test(t) && t != producer && !schedule.getTensor(t).isInput)
      inliner.raise(t, targets[t]);

  // The last consumer that leads to `consumer` stays; of the others those that
  // can stay with it.
  llvm::BitVector leads = getAncestors(schedule, consumer);
  SmallVector<TensorId> order(schedule.getConsumers(producer));
  llvm::sort(order, [&](TensorId a, TensorId b) {
    return std::pair(leads.test(a), schedule.getOrdinal(a)) >
           std::pair(leads.test(b), schedule.getOrdinal(b));
  });
  Recomputation result;
  SmallVector<TensorId> kept;
  for (TensorId c : order) {
    kept.push_back(c);
    Inliner attempt = inliner;
    if (attempt.raise(producer, targets[producer], kept) >= targets[producer])
      continue;
    kept.pop_back();
    result.consumers.push_back(c);
  }
  if (kept.empty() || !leads.test(kept.front()) || result.consumers.empty())
    return std::nullopt;
  llvm::sort(result.consumers, [&](TensorId a, TensorId b) {
    return schedule.getOrdinal(a) < schedule.getOrdinal(b);
  });
  result.work = getAffineConstantExpr(1, schedule.getContext());
  for (AxisId axis : schedule.getTensor(producer).root)
    result.work = result.work * schedule.getAxis(axis).extent;
  return result;
}
