//===- MaxInformationTree.cpp - Order of propagation ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a reference tensor and the number of its relevant loops. Out: hops to all
// other tensors, each along the edges that preserve most of the axes of these
// loops. The hops form nvFuser's maximum-information spanning tree, which
// Prim's algorithm computes.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include <queue>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What a tensor knows of one root axis of the reference.
struct AxisInformation {
  /// Axes that carry it: root axes, or logical ones if `isLogical`.
  SmallVector<AxisId, 2> axes;
  bool isLogical = false;
  /// Nothing of the axis was lost on the way.
  bool isComplete = true;
};
/// For each root axis of the reference that its loops are made of.
using Information = SmallVector<AxisInformation, 4>;

struct Candidate {
  Hop hop;
  Information information;
  unsigned numSurviving = 0;
  unsigned numComplete = 0;
  /// Of equal candidates the one added first is taken: the fewest hops.
  unsigned order = 0;

  bool operator<(const Candidate &other) const {
    return std::tie(numSurviving, numComplete, other.order) <
           std::tie(other.numSurviving, other.numComplete, order);
  }
};

} // namespace

static bool dependsOn(const Schedule &schedule, AxisId axis, AxisId ancestor) {
  if (axis == ancestor)
    return true;
  std::optional<ExprId> definition = schedule.getAxis(axis).definition;
  return definition &&
         llvm::any_of(schedule.getExpr(*definition).inputs, [&](AxisId input) {
           return dependsOn(schedule, input, ancestor);
         });
}

/// The axes of `to` that depend on one of `axes` (or that one of `axes` depends
/// on, if `backwards`). A list of which all are in `to` stays as it is.
static SmallVector<AxisId, 2> translate(const Schedule &schedule,
                                        ArrayRef<AxisId> axes,
                                        ArrayRef<AxisId> to, bool backwards) {
  SmallVector<AxisId, 2> result;
  for (AxisId candidate : to)
    if (llvm::any_of(axes, [&](AxisId axis) {
          return backwards ? dependsOn(schedule, axis, candidate)
                           : dependsOn(schedule, candidate, axis);
        }))
      result.push_back(candidate);
  return result;
}

static AxisInformation mapAxes(ArrayRef<AxisId> axes, bool isComplete,
                               bool isLogical,
                               const llvm::MapVector<AxisId, AxisId> &map) {
  AxisInformation result;
  result.isLogical = isLogical;
  result.isComplete = isComplete;
  for (AxisId axis : axes) {
    const auto *it = map.find(axis);
    if (it == map.end())
      result.isComplete = false;
    else
      result.axes.push_back(it->second);
  }
  return result;
}

/// What of `from` survives the hop.
static Information carry(const Schedule &schedule, const Hop &hop,
                         const Information &from) {
  bool toConsumer = hop.direction == ReplayDirection::ConsumerAsProducer;
  PairwiseMap map = toConsumer ? getPairwiseMap(schedule, hop.from, hop.to)
                               : getPairwiseMap(schedule, hop.to, hop.from);
  const Tensor &tensor = schedule.getTensor(hop.from);
  Information result;
  for (const AxisInformation &axis : from) {
    SmallVector<AxisId, 2> axes = axis.axes;
    if (!tensor.frozen.empty() && axis.isLogical != toConsumer)
      axes = translate(schedule, axes,
                       toConsumer ? ArrayRef<AxisId>(tensor.logical.front())
                                  : ArrayRef<AxisId>(tensor.root),
                       /*backwards=*/!toConsumer);
    result.push_back(
        mapAxes(axes, axis.isComplete, /*isLogical=*/!toConsumer,
                toConsumer ? map.producerToConsumer : map.consumerToProducer));
  }
  return result;
}

std::vector<Hop> mlir::fuse::getMaxInformationTree(
    const Schedule &schedule, TensorId reference, unsigned position,
    llvm::function_ref<bool(const Hop &)> mayVisit) {
  std::vector<Hop> tree;
  llvm::BitVector visited(schedule.getNumTensors());
  std::priority_queue<Candidate> candidates;
  unsigned order = 0;

  auto addHop = [&](const Hop &hop, const Information &from) {
    if (visited.test(hop.to) || !mayVisit(hop))
      return;
    Candidate candidate{hop, carry(schedule, hop, from)};
    for (const AxisInformation &axis : candidate.information) {
      candidate.numSurviving += !axis.axes.empty();
      candidate.numComplete += !axis.axes.empty() && axis.isComplete;
    }
    candidate.order = order++;
    if (candidate.numSurviving)
      candidates.push(std::move(candidate));
  };
  auto visit = [&](TensorId tensor, const Information &information) {
    visited.set(tensor);
    for (TensorId producer : schedule.getProducers(tensor))
      addHop({tensor, producer, ReplayDirection::ProducerAsConsumer},
             information);
    for (TensorId consumer : schedule.getConsumers(tensor))
      addHop({tensor, consumer, ReplayDirection::ConsumerAsProducer},
             information);
  };

  Information information;
  ArrayRef<AxisId> loop = schedule.getTensor(reference).loop;
  for (AxisId axis : schedule.getRoots(loop.take_front(position)))
    information.push_back({{axis}});
  visit(reference, information);
  while (!candidates.empty()) {
    Candidate best = candidates.top();
    candidates.pop();
    if (visited.test(best.hop.to))
      continue;
    tree.push_back(best.hop);
    visit(best.hop.to, best.information);
  }
  return tree;
}
