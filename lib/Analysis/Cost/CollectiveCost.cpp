//===- CollectiveCost.cpp - Cycles of collectives ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a collective, its groups of replicas, and the tile mappings of its
// variables. Out: the cost of moving data around a ring or, if that is less,
// from each replica to each other replica.
//
//===----------------------------------------------------------------------===//

#include "CostDetail.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;

/// The IPUs of a machine, which share a gateway (DOC, M2000 and Bow-2000).
static constexpr int64_t kMachineIPUs = 4;

namespace {
/// How often which part of the elements of an IPU goes over its links, and is
/// combined with what is there.
struct Way {
  /// Times that replicas wait for each other, and tensors that an IPU sends, in
  /// parts of the group's size.
  int64_t waits = 0;
  int64_t sentParts = 0;
  /// Parts that are combined, one after the other.
  int64_t combinedParts = 0;
  /// The sent parts that leave the IPUs that links connect, and the number of
  /// IPUs of a machine that send such parts at the same time.
  int64_t gatewayParts = 0, gatewaySenders = 0;
};

class CollectiveCost {
public:
  CollectiveCost(const TargetModel &target, CollectiveOp op,
                 const ReplicaGroups &groups)
      : target(target), op(op), groups(groups),
        groupSize(groups.getGroupSize()) {
    MemRefType source = op.getSource().getType();
    MemRefType result = op.getTarget().getType();
    larger =
        source.getNumElements() < result.getNumElements() ? result : source;
  }

  StepCostAttr get();

private:
  bool reduces() const {
    return op.getReductionAttr() &&
           *op.getReduction() != CollectiveOperator::Local;
  }
  int64_t getDomain(int64_t replica) const;
  int64_t getLinkedReplicas() const;
  int64_t getRingSenders() const;
  void addGateways(Way &way, bool isRing) const;
  SmallVector<Way> getLinkWays() const;
  SmallVector<Way> getWays() const;
  Count getPartElements(Count elements, int64_t parts) const {
    return (elements.divideCeil(groupSize)) * parts;
  }
  Count getCombineCycles(Count elementsOfTile) const;
  Count getCycles(const Way &way, Count elementsOfIPU) const;

  const TargetModel &target;
  mutable CollectiveOp op;
  const ReplicaGroups &groups;
  int64_t groupSize;
  /// Of source and target.
  MemRefType larger;
};
} // namespace

/// Returns the number of the domain of a replica. Links connect the IPUs of a
/// domain.
int64_t CollectiveCost::getDomain(int64_t replica) const {
  return replica / std::max<int64_t>(target.link_ipus / target.ipus, 1);
}

/// Returns the least number of replicas of a group that are in the domain of
/// one of them.
int64_t CollectiveCost::getLinkedReplicas() const {
  int64_t least = groupSize;
  for (int64_t group = 0; group < groups.getNumGroups(); ++group) {
    llvm::SmallDenseMap<int64_t, int64_t> members;
    for (int64_t replica : groups.members(group))
      ++members[getDomain(replica)];
    for (auto [domain, number] : members)
      least = std::min(least, number);
  }
  return least;
}

/// Returns the greatest number of IPUs of a machine that send to another domain
/// if all groups send around rings.
int64_t CollectiveCost::getRingSenders() const {
  llvm::SmallDenseMap<int64_t, int64_t> senders;
  int64_t most = 0;
  for (int64_t group = 0; group < groups.getNumGroups(); ++group) {
    ArrayRef<int64_t> ring = groups.members(group);
    for (auto [index, replica] : llvm::enumerate(ring)) {
      if (getDomain(replica) == getDomain(ring[(index + 1) % groupSize]) &&
          target.ipus <= target.link_ipus)
        continue;
      int64_t &number = senders[replica * target.ipus / kMachineIPUs];
      number = std::min(number + target.ipus, kMachineIPUs);
      most = std::max(most, number);
    }
  }
  return most;
}

/// Sets the parts that pass gateways: all parts that are sent around a ring
/// pass from one IPU of each machine to the next one, and otherwise those to
/// replicas that links do not connect.
void CollectiveCost::addGateways(Way &way, bool isRing) const {
  int64_t linked = getLinkedReplicas(), others = groupSize - 1;
  if (linked == groupSize && target.ipus <= target.link_ipus)
    return;
  way.gatewayParts = isRing || others == 0
                         ? way.sentParts
                         : (Count(way.sentParts) * (groupSize - linked))
                               .divideCeil(others)
                               .get();
  way.gatewaySenders = isRing ? getRingSenders() : kMachineIPUs;
}

/// Returns the ways that data can go. The collective takes the first of the
/// ways with the fewest cycles.
SmallVector<Way> CollectiveCost::getWays() const {
  SmallVector<Way> ways = getLinkWays();
  // If there are two ways, the first one is a ring.
  for (auto [number, way] : llvm::enumerate(ways))
    addGateways(way, /*isRing=*/number == 0 && ways.size() > 1);
  return ways;
}

/// Returns the ways that data can go if links connect all IPUs.
SmallVector<Way> CollectiveCost::getLinkWays() const {
  int64_t g = groupSize, others = g - 1;
  int64_t combined = reduces() ? others : 0;
  Way oneShot{2, others * g, combined * g};
  switch (op.getKind()) {
  case CollectiveKind::AllReduce:
    // Each replica makes one part, and then sends it around.
    if (!reduces())
      return {Way{}};
    return {Way{2 * others, 2 * others, combined}, oneShot};
  case CollectiveKind::ReduceScatter:
    if (!reduces())
      return {Way{}};
    return {Way{others, others, combined}, oneShot};
  case CollectiveKind::AllGather:
    return {Way{others, others, 0}, oneShot};
  case CollectiveKind::Broadcast:
    // Parts to all, and then around.
    return {Way{2 * others, 2 * others, 0}, oneShot};
  case CollectiveKind::AllToAll:
    return {Way{2, others, 0}};
  case CollectiveKind::Permute:
    return {Way{2, g, 0}};
  }
  llvm_unreachable("unknown kind of collective");
}

/// Floats narrower than f32 are combined in f32.
Count CollectiveCost::getCombineCycles(Count elementsOfTile) const {
  Type type = larger.getElementType();
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    type = Float32Type::get(op.getContext());
  SmallVector<StringRef, 2> names;
  switch (*op.getReduction()) {
  case CollectiveOperator::Mul:
    names = {"mul"};
    break;
  case CollectiveOperator::Min:
    names = {"min"};
    break;
  case CollectiveOperator::Max:
    names = {"max"};
    break;
  case CollectiveOperator::LogicalAnd:
    names = {"and"};
    break;
  case CollectiveOperator::LogicalOr:
    names = {"or"};
    break;
  case CollectiveOperator::SquareAdd:
    names = {"mul", "add"};
    break;
  default:
    names = {"add"};
  }
  Count cycles;
  int64_t sizes[] = {elementsOfTile.get()};
  VertexOperand operand{sizes, type};
  for (StringRef name : names) {
    CodeletCost cost;
    cost.name = name;
    if (CodeletCostAttr formula =
            getCodeletCost(cost, type, /*scalarOperand=*/false))
      cycles += getVertexCycles(target, formula, {operand, operand}, {operand});
  }
  return cycles;
}

Count CollectiveCost::getCycles(const Way &way, Count elementsOfIPU) const {
  Count bytes = getPartElements(elementsOfIPU, way.sentParts) *
                getStoredBytes(larger.getElementType());
  Count wait = Count(target.sync_ipus_cycles) +
               target.getLatencyCycles(target.link_latency_ns);
  Count gatewayBytes = getPartElements(elementsOfIPU, way.gatewayParts) *
                       getStoredBytes(larger.getElementType()) *
                       way.gatewaySenders;
  int64_t transfer = std::max(
      target.getTransferCycles(bytes.get(), target.link_bytes_per_second),
      target.getTransferCycles(gatewayBytes.get(),
                               target.gateway_bytes_per_second));
  Count cycles = wait * way.waits + transfer;
  if (way.combinedParts == 0)
    return cycles;
  // Parts are split evenly over all tiles, and combined once for each member.
  int64_t others = groupSize - 1;
  Count part = getPartElements(elementsOfIPU, way.combinedParts / others);
  return cycles + getCombineCycles(part.divideCeil(target.tiles)) * others;
}

StepCostAttr CollectiveCost::get() {
  TileCounts elements =
      getElementsPerTile(getTileMapping(larger), target.getTilesPerReplica());
  int64_t elementBytes = getStoredBytes(larger.getElementType());
  SmallVector<Count> ofIPU = getCountsOfIPUs(target, elements);
  Count most;
  for (Count count : ofIPU)
    most = std::max(most, count);
  SmallVector<Way> ways = getWays();
  // On one replica nothing goes over links.
  Way best = groupSize == 1 ? Way{} : ways.front();
  for (const Way &way : ways)
    if (groupSize > 1 && getCycles(way, most) < getCycles(best, most))
      best = way;
  SmallVector<int64_t> ipuFloor;
  for (Count count : ofIPU)
    ipuFloor.push_back(count.get() == 0 ? 0 : getCycles(best, count).get());
  // Each tile sends what it holds to the links, or copies it.
  TileCounts tileCycles =
      TileCounts::combine({&elements}, [&](ArrayRef<int64_t> values) {
        return (Count(values[0]) * elementBytes)
            .divideCeil(target.exchange_bytes_per_cycle)
            .get();
      });
  Count all = larger.getNumElements();
  bool countsFlops = isa<FloatType>(larger.getElementType());
  return makeStepCost(
      op.getContext(), target, tileCycles, ipuFloor,
      target.exchange_setup_cycles,
      countsFlops ? getPartElements(all, best.combinedParts).get() : 0,
      (getPartElements(all, best.sentParts) * elementBytes).get());
}

StepCostAttr mlir::ipu::getCollectiveCost(const TargetModel &target,
                                          CollectiveOp op,
                                          const ReplicaGroups &groups) {
  return CollectiveCost(target, op, groups).get();
}
