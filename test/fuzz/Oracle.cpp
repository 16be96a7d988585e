//===- Oracle.cpp - Legality of requests ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions are set as requested, without the limits that the library computes
// first, and the result is checked. If other tensors have to move too, their
// positions are tried one after another.
//
//===----------------------------------------------------------------------===//

#include "RandomRequests.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::fuzz;

using Kind = Request::Kind;

/// How many combinations of positions are tried.
static constexpr unsigned kMaxTrials = 128;

static bool isNest(const Schedule &schedule) {
  LoopClasses classes = LoopClasses::build(schedule);
  LoopNest nest;
  return !verifyLegality(schedule, classes) &&
         !buildLoopNest(schedule, classes, nest);
}

static void raise(Tensor &tensor, unsigned position) {
  tensor.computeAt = std::max(tensor.computeAt, position);
  if (tensor.computeWith)
    tensor.computeWith = std::max(*tensor.computeWith, tensor.computeAt);
}

//===----------------------------------------------------------------------===//
// computeAt
//===----------------------------------------------------------------------===//

/// Where each tensor is to be computed, by the loops as they are.
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

namespace {
struct ComputeAtRequest {
  TensorId producer, consumer;
  unsigned position;
  /// Tensors that have to be where they are asked to be; and others that may
  /// have to move as well.
  SmallVector<TensorId> strict, others;
  /// The same loops as those of the consumer in all of these.
  llvm::BitVector withEqualLoops;
};
} // namespace

static std::optional<ComputeAtRequest> getComputeAt(const Schedule &schedule,
                                                    const Request &request) {
  ComputeAtRequest result;
  result.producer = *schedule.lookup(request.tensor);
  result.consumer = *schedule.lookup(request.consumer);
  auto position =
      schedule.normalizePosition(result.consumer, request.numbers[0]);
  llvm::BitVector after = getDescendants(schedule, result.producer);
  if (!position || result.producer == result.consumer ||
      !after.test(result.consumer))
    return std::nullopt;
  result.position = *position;
  llvm::BitVector affected =
      getAffected(schedule, result.producer, result.consumer);
  llvm::BitVector before = getAncestors(schedule, result.consumer);
  result.withEqualLoops = affected;
  for (TensorId t : affected.set_bits()) {
    for (TensorId consumer : schedule.getConsumers(t))
      result.withEqualLoops.set(consumer);
    if (schedule.getTensor(t).isInput)
      continue;
    bool isBetween = after.test(t) && before.test(t) && t != result.consumer;
    (isBetween ? result.strict : result.others).push_back(t);
  }
  for (TensorId t : affected.set_bits())
    if (schedule.getTensor(t).isInput)
      result.withEqualLoops.reset(t);
  return result;
}

/// Whether the positions can be had with these loops.
static bool canRaiseAll(const Schedule &schedule,
                        const ComputeAtRequest &request) {
  std::vector<unsigned> targets =
      getTargets(schedule, request.consumer, request.position);
  Schedule base = schedule;
  for (TensorId t : request.strict)
    raise(base.getTensor(t), targets[t]);
  // Other tensors: from where they are asked to be down to where they are.
  SmallVector<unsigned> steps(request.others.size());
  for (unsigned trial = 0; trial < kMaxTrials; ++trial) {
    Schedule attempt = base;
    for (auto [t, step] : llvm::zip_equal(request.others, steps))
      raise(attempt.getTensor(t), targets[t] - step);
    if (isNest(attempt))
      return true;
    // The next combination.
    unsigned digit = 0;
    for (; digit < steps.size(); ++digit) {
      TensorId t = request.others[digit];
      if (targets[t] > schedule.getTensor(t).computeAt + steps[digit]) {
        ++steps[digit];
        break;
      }
      steps[digit] = 0;
    }
    if (digit == steps.size())
      return false;
  }
  return isNest(base);
}

static bool isComputeAtAllowed(const Schedule &schedule,
                               const Request &request) {
  std::optional<ComputeAtRequest> computeAt = getComputeAt(schedule, request);
  if (!computeAt)
    return false;
  Schedule replayed = schedule;
  if (!propagate(replayed, computeAt->consumer, computeAt->position,
                 &computeAt->withEqualLoops))
    return canRaiseAll(replayed, *computeAt);
  return false;
}

//===----------------------------------------------------------------------===//
// All requests
//===----------------------------------------------------------------------===//

/// Whether trailing loops are left: how deep is deep enough is not known then.
static bool isHoisted(const Request &request) {
  return request.hoist.value_or(request.kind == Kind::MostInlined);
}

static bool isTransformAllowed(const Schedule &schedule,
                               const Request &request) {
  TensorId id = *schedule.lookup(request.tensor);
  const Tensor &tensor = schedule.getTensor(id);
  auto isFree = [&](int64_t axis) {
    auto position = schedule.normalizeAxis(id, axis);
    return position && *position >= schedule.getNumFrozenLoops(id) &&
           schedule.getAxis(tensor.loop[*position]).loopType ==
               LoopType::Serial;
  };
  if (request.kind == Kind::Reorder) {
    for (auto [to, from] : llvm::enumerate(request.numbers))
      if (int64_t(to) != from && to < schedule.getNumFrozenLoops(id))
        return false;
    return true;
  }
  if (!llvm::all_of(request.numbers, isFree))
    return false;
  if (request.kind == Kind::Split)
    return request.factor > 0;
  auto getAxis = [&](int64_t axis) {
    return tensor.loop[*schedule.normalizeAxis(id, axis)];
  };
  AxisId outer = getAxis(request.numbers[0]),
         inner = getAxis(request.numbers[1]);
  return outer != inner && schedule.getAxis(outer).isReduction() ==
                               schedule.getAxis(inner).isReduction();
}

std::optional<bool> fuzz::isAllowed(const Schedule &schedule,
                                    const Request &request) {
  TensorId id = *schedule.lookup(request.tensor);
  const Tensor &tensor = schedule.getTensor(id);
  switch (request.kind) {
  case Kind::Split:
  case Kind::Merge:
  case Kind::Reorder:
    return isTransformAllowed(schedule, request);
  case Kind::RFactor:
  case Kind::SetType:
  case Kind::Propagate:
    return std::nullopt;
  case Kind::ComputeAt:
  case Kind::BestEffort:
  case Kind::Recompute:
    return isComputeAtAllowed(schedule, request);
  case Kind::MostInlined:
    if (isHoisted(request))
      return std::nullopt;
    return getComputeAt(schedule, request).has_value();
  case Kind::InlineMost:
    if (isHoisted(request))
      return std::nullopt;
    return true;
  case Kind::InlineAt:
  case Kind::ComputeWith: {
    auto position = schedule.normalizePosition(id, request.numbers[0]);
    if (!position || (tensor.isInput && *position > 0))
      return false;
    Schedule result = schedule;
    Tensor &changed = result.getTensor(id);
    if (request.kind == Kind::InlineAt) {
      raise(changed, *position);
      return isNest(result);
    }
    if (*position < tensor.computeAt || schedule.getConsumers(id).empty())
      return false;
    changed.computeWith = *position;
    return isNest(result);
  }
  }
  llvm_unreachable("unknown kind");
}

/// Whether no single tensor could be computed deeper.
static bool isDeepest(const Schedule &schedule,
                      function_ref<bool(TensorId)> isConcerned) {
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
    const Tensor &tensor = schedule.getTensor(t);
    if (tensor.isInput || !isConcerned(t) || schedule.getConsumers(t).empty())
      continue;
    for (unsigned p = tensor.computeAt + 1; p <= tensor.loop.size(); ++p) {
      Schedule deeper = schedule;
      raise(deeper.getTensor(t), p);
      if (isNest(deeper))
        return false;
    }
  }
  return true;
}

bool fuzz::isFulfilled(const Schedule &before, const Schedule &schedule,
                       const Request &request) {
  if (isHoisted(request))
    return true;
  if (request.kind == Kind::InlineMost)
    return isDeepest(schedule, [](TensorId) { return true; });
  if (request.kind == Kind::MostInlined) {
    TensorId producer = *schedule.lookup(request.tensor);
    return isDeepest(schedule, [&](TensorId t) { return t == producer; });
  }
  if (request.kind == Kind::BestEffort) {
    TensorId producer = *schedule.lookup(request.tensor);
    TensorId consumer = *schedule.lookup(request.consumer);
    auto position = schedule.normalizePosition(consumer, request.numbers[0]);
    if (before.getTensor(producer).isInput)
      return true;
    return schedule.getTensor(producer).computeAt >=
               getTargets(schedule, consumer, *position)[producer] ||
           !isComputeAtAllowed(before, request);
  }
  return true;
}
