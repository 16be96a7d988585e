//===- LoopMatching.cpp - Correspondence of loops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the corresponding loops of the two tensors of an edge, and converts
// positions in the loops of one tensor to positions in the loops of the other
// tensor, without changes of loops.
//
//===----------------------------------------------------------------------===//

#include "BestEffortReplay.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Pairwise map
//===----------------------------------------------------------------------===//

PairwiseMap mlir::fuse::getPairwiseMap(const Schedule &schedule,
                                       TensorId producer, TensorId consumer) {
  const Tensor &reader = schedule.getTensor(consumer);
  const Tensor &source = schedule.getTensor(producer);
  AxisMap toProducer, toConsumer;
  AxisSet unmappable;
  for (const Operand &operand : reader.operands) {
    if (operand.producer != producer)
      continue;
    for (auto [axis, read] :
         llvm::zip(source.logical[operand.result], operand.axes)) {
      if (!read) {
        auto extent =
            dyn_cast<AffineConstantExpr>(schedule.getAxis(axis).extent);
        if (operand.opaque || !extent || extent.getValue() != 1)
          unmappable.insert(axis);
        continue;
      }
      // Two reads, or two dimensions of one (a diagonal), that disagree.
      AxisId other = toProducer.try_emplace(*read, axis).first->second;
      if (other != axis ||
          toConsumer.try_emplace(axis, *read).first->second != *read) {
        unmappable.insert(axis);
        unmappable.insert(other);
      }
    }
  }

  PairwiseMap map;
  for (AxisId axis : source.logical.front()) {
    auto it = toConsumer.find(axis);
    if (it == toConsumer.end() || unmappable.contains(axis)) {
      map.producerOnly.push_back(axis);
      (unmappable.contains(axis) ? map.unmappable : map.squeezed)
          .push_back(axis);
      continue;
    }
    map.producerToConsumer[axis] = it->second;
    map.consumerToProducer[it->second] = axis;
  }
  for (AxisId axis : reader.root)
    if (!map.consumerToProducer.contains(axis))
      map.consumerOnly.push_back(axis);
  return map;
}

//===----------------------------------------------------------------------===//
// Walking two loop lists
//===----------------------------------------------------------------------===//

namespace {

/// Which axes of a producer and a consumer correspond, and which have nothing
/// to correspond to.
class EdgeMatch {
public:
  EdgeMatch(const Schedule &schedule, TensorId producer, TensorId consumer)
      : schedule(schedule), producer(schedule.getTensor(producer)),
        consumer(schedule.getTensor(consumer)),
        pairs(getPairwiseMap(schedule, producer, consumer)) {
    Forwarding ofProducer =
        Forwarding::compute(schedule, this->producer.loop, pairs.squeezed);
    Forwarding ofConsumer =
        Forwarding::compute(schedule, this->consumer.loop, pairs.consumerOnly);
    BestEffortReplay::Request request;
    request.replayLoop = this->producer.loop;
    request.targets = this->consumer.loop;
    request.replayForwarding = &ofProducer;
    request.targetForwarding = &ofConsumer;
    BestEffortReplay found(schedule, request, pairs.consumerToProducer);
    for (auto [target, replay] : found.map)
      unite(target, replay);
    for (const Forwarding *forwarding : {&ofProducer, &ofConsumer})
      for (auto [input, output] : forwarding->forward)
        unite(input, output);
  }

  bool areSame(AxisId a, AxisId b) const { return find(a) == find(b); }

  /// Made of new axes of the consumer only.
  bool isConsumerOnly(AxisId loop) const {
    return llvm::none_of(schedule.getRoots(loop), [&](AxisId axis) {
      return pairs.consumerToProducer.contains(axis);
    });
  }
  /// Made of squeezed axes of the producer only.
  bool isSqueezed(AxisId loop) const {
    if (pairs.squeezed.empty())
      return false;
    SmallVector<AxisId> worklist = {loop};
    while (!worklist.empty()) {
      AxisId axis = worklist.pop_back_val();
      if (llvm::is_contained(pairs.squeezed, axis))
        continue;
      std::optional<ExprId> definition = schedule.getAxis(axis).definition;
      if (!definition || pairs.producerToConsumer.contains(axis))
        return false;
      llvm::append_range(worklist, schedule.getExpr(*definition).inputs);
    }
    return true;
  }

  const Schedule &schedule;
  const Tensor &producer;
  const Tensor &consumer;

private:
  AxisId find(AxisId axis) const {
    for (auto it = parents.find(axis); it != parents.end();
         it = parents.find(axis))
      axis = it->second;
    return axis;
  }
  void unite(AxisId a, AxisId b) {
    a = find(a);
    b = find(b);
    if (a != b)
      parents[a] = b;
  }

  PairwiseMap pairs;
  AxisMap parents;
};

} // namespace

/// The position in the producer's loops for each of the consumer's, up to where
/// they correspond.
static SmallVector<unsigned> walkConsumer(const EdgeMatch &match) {
  SmallVector<unsigned> positions = {0};
  unsigned position = 0;
  ArrayRef<AxisId> loop = match.producer.loop;
  for (AxisId axis : match.consumer.loop) {
    if (!match.isConsumerOnly(axis)) {
      while (position < loop.size() && match.isSqueezed(loop[position]))
        ++position;
      if (position == loop.size() || !match.areSame(axis, loop[position]))
        break;
      ++position;
    }
    positions.push_back(position);
  }
  return positions;
}

/// The position in the consumer's loops for each of the producer's, up to where
/// they correspond, and in `partners` the loop for each of the producer's.
static SmallVector<unsigned>
walkProducer(const EdgeMatch &match,
             SmallVectorImpl<std::optional<unsigned>> &partners) {
  SmallVector<unsigned> positions = {0};
  unsigned position = 0;
  ArrayRef<AxisId> loop = match.consumer.loop;
  for (AxisId axis : match.producer.loop) {
    if (match.schedule.getAxis(axis).isReduction() || match.isSqueezed(axis)) {
      partners.push_back(std::nullopt);
      positions.push_back(positions.back());
      continue;
    }
    while (position < loop.size() && match.isConsumerOnly(loop[position]))
      ++position;
    if (position == loop.size() || !match.areSame(axis, loop[position]))
      break;
    partners.push_back(position);
    positions.push_back(++position);
  }
  return positions;
}

static SmallVector<unsigned> walk(const Schedule &schedule, TensorId producer,
                                  TensorId consumer,
                                  ReplayDirection direction) {
  EdgeMatch match(schedule, producer, consumer);
  if (direction == ReplayDirection::ProducerAsConsumer)
    return walkConsumer(match);
  SmallVector<std::optional<unsigned>> partners;
  return walkProducer(match, partners);
}

std::optional<unsigned> mlir::fuse::matchPosition(const Schedule &schedule,
                                                  TensorId producer,
                                                  TensorId consumer,
                                                  unsigned position,
                                                  ReplayDirection direction) {
  SmallVector<unsigned> positions =
      walk(schedule, producer, consumer, direction);
  if (position >= positions.size())
    return std::nullopt;
  return positions[position];
}

unsigned mlir::fuse::matchClosest(const Schedule &schedule, TensorId producer,
                                  TensorId consumer, unsigned position,
                                  ReplayDirection direction) {
  SmallVector<unsigned> positions =
      walk(schedule, producer, consumer, direction);
  return positions[std::min<size_t>(position, positions.size() - 1)];
}

SmallVector<std::optional<unsigned>>
mlir::fuse::matchLoops(const Schedule &schedule, TensorId producer,
                       TensorId consumer, unsigned count) {
  SmallVector<std::optional<unsigned>> partners;
  walkProducer(EdgeMatch(schedule, producer, consumer), partners);
  if (partners.size() > count)
    partners.truncate(count);
  return partners;
}
