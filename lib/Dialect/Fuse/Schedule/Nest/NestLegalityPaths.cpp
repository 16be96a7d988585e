//===- NestLegalityPaths.cpp - Paths that leave loops and come back -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grouped statements of each loop must have an order, and a statement may
// only read values that have already been computed.
//
//===----------------------------------------------------------------------===//

#include "NestLegality.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

using Condition = LegalityFinding::Condition;

/// Loops and statements in one body, each of which has to come before itself.
struct LegalityChecker::Cycle {
  ArrayRef<BodyItem> items;
  SmallVector<unsigned> members;
  /// The item of each tensor in the cycle.
  llvm::DenseMap<TensorId, unsigned> itemOf;

  unsigned getItem(ClassId loop) const;
  /// A path that leaves the item and enters it again, both ends included; empty
  /// if there is none.
  SmallVector<TensorId> findPathBack(const Schedule &schedule,
                                     unsigned item) const;
  /// All tensors outside of the item from which paths lead into it.
  llvm::DenseSet<TensorId> getAncestors(const Schedule &schedule,
                                        unsigned item) const;
};

/// Loops in a cycle that are looked at one by one.
static constexpr unsigned kMaxLoopsInCycle = 64;

void LegalityChecker::notePath(ArrayRef<TensorId> path,
                               LegalityFinding &finding) const {
  for (size_t i = 1; i < path.size(); ++i)
    finding.violation.notes.push_back(
        {path[i], quote(path[i]) + " reads " + quote(path[i - 1])});
}

std::optional<unsigned> LegalityChecker::getPosition(TensorId tensor,
                                                     ClassId loop) const {
  for (auto [i, own] : llvm::enumerate(classes.getClasses(tensor)))
    if (classes[own].hasLoop && classes.isAround(loop, own))
      return i;
  return std::nullopt;
}

bool LegalityChecker::reducesOver(TensorId tensor, ClassId loop) const {
  for (auto [i, own] : llvm::enumerate(classes.getClasses(tensor)))
    if (own == loop &&
        schedule.getAxis(schedule.getTensor(tensor).loop[i]).isReduction())
      return true;
  return false;
}

void LegalityChecker::takeOut(TensorId tensor, ClassId loop, bool producersOnly,
                              LegalityFinding &finding) {
  auto lower = [&](TensorId id) {
    std::optional<unsigned> position = getPosition(id, loop);
    if (!position || getSharedCount(id) <= *position)
      return false;
    for (const LoopClass::Member &member : finding.lower)
      if (member.tensor == id)
        return true;
    finding.lower.push_back({id, *position});
    return true;
  };
  if (!producersOnly && lower(tensor))
    return;
  bool isLowered = false;
  for (TensorId producer : schedule.getProducers(tensor))
    isLowered |= lower(producer);
  if (!isLowered && producersOnly)
    isLowered = lower(tensor);
  if (!isLowered && finding.lower.empty())
    for (TensorId id : schedule.getProgramOrder())
      if (bodyOrder->isInside(id, loop))
        lower(id);
}

//===----------------------------------------------------------------------===//
// Convexity
//===----------------------------------------------------------------------===//

unsigned LegalityChecker::Cycle::getItem(ClassId loop) const {
  return *llvm::find_if(
      members, [&](unsigned member) { return items[member].loop == loop; });
}

SmallVector<TensorId>
LegalityChecker::Cycle::findPathBack(const Schedule &schedule,
                                     unsigned item) const {
  llvm::DenseMap<TensorId, TensorId> previous;
  SmallVector<TensorId> queue(items[item].tensors.begin(),
                              items[item].tensors.end());
  for (size_t i = 0; i < queue.size(); ++i) {
    TensorId from = queue[i];
    bool isOutside = itemOf.lookup(from) != item;
    for (TensorId to : schedule.getConsumers(from)) {
      auto it = itemOf.find(to);
      if (it == itemOf.end())
        continue;
      if (it->second != item) {
        if (previous.try_emplace(to, from).second)
          queue.push_back(to);
        continue;
      }
      if (!isOutside)
        continue;
      SmallVector<TensorId> path = {to, from};
      while (itemOf.lookup(path.back()) != item)
        path.push_back(previous.lookup(path.back()));
      std::reverse(path.begin(), path.end());
      return path;
    }
  }
  return {};
}

llvm::DenseSet<TensorId>
LegalityChecker::Cycle::getAncestors(const Schedule &schedule,
                                     unsigned item) const {
  llvm::DenseSet<TensorId> ancestors;
  SmallVector<TensorId> worklist(items[item].tensors.begin(),
                                 items[item].tensors.end());
  while (!worklist.empty())
    for (TensorId producer : schedule.getProducers(worklist.pop_back_val())) {
      auto it = itemOf.find(producer);
      if (it != itemOf.end() && it->second != item &&
          ancestors.insert(producer).second)
        worklist.push_back(producer);
    }
  return ancestors;
}

bool LegalityChecker::checkConvexity(const Cycle &cycle, ClassId loop) {
  unsigned item = cycle.getItem(loop);
  SmallVector<TensorId> path = cycle.findPathBack(schedule, item);
  if (path.empty())
    return false;
  TensorId first = path.front(), last = path.back();
  bool isReduction = reducesOver(first, loop);
  std::string text =
      isReduction ? quote(last) + " depends on " + quote(first) +
                        " and is in loop " + quoteLoop(loop) + ", in which " +
                        quote(first) + " is still being reduced"
                  : quote(first) + " and " + quote(last) + " share loop " +
                        quoteLoop(loop) + ", but " + quote(path[1]) +
                        " on the path between them is outside of that loop";
  LegalityFinding &finding =
      add(isReduction ? Condition::Reduction : Condition::Convexity,
          isReduction ? last : path[1], std::move(text));
  notePath(path, finding);
  llvm::DenseSet<TensorId> leadBack = cycle.getAncestors(schedule, item);
  for (TensorId tensor : cycle.items[item].tensors)
    if (llvm::any_of(schedule.getConsumers(tensor), [&](TensorId consumer) {
          return leadBack.contains(consumer);
        }))
      takeOut(tensor, loop, /*producersOnly=*/false, finding);
  return true;
}

void LegalityChecker::addCycle(const Cycle &cycle) {
  // Breadth first over items, from the loop that begins last.
  unsigned start = cycle.members.front();
  for (unsigned member : cycle.members)
    if (cycle.items[member].loop)
      start = member;
  llvm::DenseMap<unsigned, std::pair<TensorId, TensorId>> edgeTo;
  SmallVector<unsigned> queue = {start};
  for (size_t i = 0; i < queue.size() && !edgeTo.count(start); ++i)
    for (TensorId from : cycle.items[queue[i]].tensors)
      for (TensorId to : schedule.getConsumers(from)) {
        auto it = cycle.itemOf.find(to);
        if (it != cycle.itemOf.end() && it->second != queue[i] &&
            edgeTo.try_emplace(it->second, from, to).second)
          queue.push_back(it->second);
      }
  SmallVector<std::pair<TensorId, TensorId>> edges;
  unsigned at = start;
  do {
    edges.push_back(edgeTo.lookup(at));
    at = cycle.itemOf.lookup(edges.back().first);
  } while (at != start);

  ClassId loop = *cycle.items[start].loop;
  LegalityFinding &finding =
      add(Condition::Convexity, edges.front().second,
          "loop " + quoteLoop(loop) + " of " + quote(edges.front().second) +
              " and " + quote(edges.back().first) +
              " would have to come before itself");
  for (auto [from, to] : llvm::reverse(edges)) {
    const BodyItem &item = cycle.items[cycle.itemOf.lookup(to)];
    finding.violation.notes.push_back(
        {to, quote(to) + " reads " + quote(from) +
                 (item.loop ? ", in loop " + quoteLoop(*item.loop) : "")});
  }
  for (TensorId tensor : cycle.items[start].tensors)
    if (llvm::any_of(schedule.getConsumers(tensor), [&](TensorId consumer) {
          auto it = cycle.itemOf.find(consumer);
          return it != cycle.itemOf.end() && it->second != start;
        }))
      takeOut(tensor, loop, /*producersOnly=*/false, finding);
}

void LegalityChecker::checkCycle(const Cycle &cycle) {
  bool isFound = false;
  unsigned numLoops = 0;
  for (unsigned member : cycle.members)
    if (cycle.items[member].loop && ++numLoops <= kMaxLoopsInCycle)
      isFound |= checkConvexity(cycle, *cycle.items[member].loop);
  if (!isFound)
    addCycle(cycle);
}

void LegalityChecker::checkBody(ArrayRef<TensorId> tensors, unsigned depth) {
  std::vector<SmallVector<unsigned>> cycles;
  std::vector<BodyItem> items = bodyOrder->getItems(tensors, depth, cycles);
  for (const SmallVector<unsigned> &members : cycles) {
    Cycle cycle;
    cycle.items = items;
    cycle.members = members;
    for (unsigned member : members)
      for (TensorId tensor : items[member].tensors)
        cycle.itemOf[tensor] = member;
    checkCycle(cycle);
  }
  for (const BodyItem &item : items)
    if (item.loop)
      checkBody(item.tensors, depth + 1);
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

void LegalityChecker::checkIteration(TensorId producer, TensorId consumer) {
  const Tensor &data = schedule.getTensor(producer);
  const AxisGroups &groups = classes.getGroups();
  std::optional<PairwiseMap> map;
  ArrayRef<ClassId> own = classes.getClasses(consumer);
  for (unsigned i = 0; i < data.loop.size(); ++i) {
    ClassId loop = classes.getClass(producer, i);
    AxisId axis = data.loop[i];
    if (i < data.computeAt || !classes[loop].hasLoop ||
        schedule.getAxis(axis).isBroadcast() ||
        !bodyOrder->isInside(consumer, loop))
      continue;
    if (schedule.getAxis(axis).isReduction()) {
      LegalityFinding &finding =
          add(Condition::Reduction, consumer,
              quote(consumer) + " depends on " + quote(producer) +
                  " and is in loop " + quoteLoop(loop) + ", in which " +
                  quote(producer) + " is still being reduced");
      notePath({producer, consumer}, finding);
      takeOut(producer, loop, /*producersOnly=*/true, finding);
      return;
    }
    const auto *partner = llvm::find(own, loop);
    SmallVector<AxisId> sources;
    // It reads by its root: of a partial tensor, its loops are pieces of that.
    if (partner != own.end())
      for (AxisId root : schedule.getRoots(
               {schedule.getTensor(consumer).loop[partner - own.begin()]}))
        sources.push_back(groups.getGroup(root));
    if (!map)
      map = getPairwiseMap(schedule, producer, consumer);
    bool isSame =
        llvm::all_of(getSources(schedule, producer, axis), [&](AxisId source) {
          auto *it = map->producerToConsumer.find(source);
          if (!groups.isConcrete(source) ||
              llvm::is_contained(map->squeezed, source))
            return true;
          return it != map->producerToConsumer.end() &&
                 groups.areSame(source, it->second) &&
                 llvm::is_contained(sources, groups.getGroup(source));
        });
    if (isSame)
      continue;
    LegalityFinding &finding =
        add(Condition::Iteration, consumer,
            quote(consumer) + " reads " + quote(producer) + " in loop " +
                quoteLoop(loop) +
                ", including elements that other iterations compute");
    for (TensorId end : {producer, consumer})
      finding.violation.notes.push_back(
          {end, "the loops of " + quote(end) + " are " + schedule.format(end)});
    takeOut(consumer, loop, /*producersOnly=*/true, finding);
    return;
  }
}

void LegalityChecker::checkPaths() {
  bodyOrder.emplace(schedule, classes);
  std::vector<TensorId> statements = bodyOrder->getStatements();
  for (TensorId producer : statements)
    for (TensorId consumer : schedule.getConsumers(producer))
      checkIteration(producer, consumer);
  checkBody(statements, 0);
}
