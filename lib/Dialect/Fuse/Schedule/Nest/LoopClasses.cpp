//===- LoopClasses.cpp - Classes of axes that share a loop ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule with positions. Out: the classes of axes that share a loop,
// the extent of each loop, and the nesting of loops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include <queue>

using namespace mlir;
using namespace mlir::fuse;

/// Calls `unite` with the loops that `tensor` shares with its consumers.
static void
forEachShared(const Schedule &schedule, TensorId id,
              llvm::function_ref<void(unsigned, TensorId, unsigned)> unite) {
  const Tensor &tensor = schedule.getTensor(id);
  for (auto [i, consumer] : llvm::enumerate(schedule.getConsumers(id))) {
    unsigned count = tensor.computeAt;
    if (i == 0)
      count = std::max(count, tensor.computeWith.value_or(0));
    if (count == 0)
      continue;
    for (auto [position, partner] :
         llvm::enumerate(matchLoops(schedule, id, consumer, count)))
      if (partner)
        unite(position, consumer, *partner);
  }
}

LoopClasses LoopClasses::build(const Schedule &schedule) {
  LoopClasses result;
  result.groups = AxisGroups::build(schedule);
  unsigned numTensors = schedule.getNumTensors();
  std::vector<unsigned> base(numTensors), parents;
  for (TensorId id = 0; id < numTensors; ++id) {
    base[id] = parents.size();
    for (size_t i = 0; i < schedule.getTensor(id).loop.size(); ++i)
      parents.push_back(parents.size());
  }
  auto find = [&](unsigned node) {
    while (parents[node] != node)
      node = parents[node] = parents[parents[node]];
    return node;
  };
  for (TensorId id : schedule.getProgramOrder())
    if (!schedule.getTensor(id).isInput)
      forEachShared(schedule, id,
                    [&](unsigned position, TensorId other, unsigned partner) {
                      parents[find(base[other] + partner)] =
                          find(base[id] + position);
                    });

  std::vector<std::optional<ClassId>> numbers(parents.size());
  result.numbers.resize(numTensors);
  for (TensorId id : schedule.getProgramOrder()) {
    for (size_t i = 0; i < schedule.getTensor(id).loop.size(); ++i) {
      std::optional<ClassId> &number = numbers[find(base[id] + i)];
      if (!number) {
        number = result.classes.size();
        result.classes.emplace_back();
      }
      result.classes[*number].members.push_back({id, unsigned(i)});
      result.numbers[id].push_back(*number);
    }
  }
  for (LoopClass &loopClass : result.classes)
    result.setPromoted(schedule, loopClass);
  result.setParents(schedule);
  return result;
}

SmallVector<AxisId> LoopClasses::getSourceGroups(const Schedule &schedule,
                                                 TensorId tensor,
                                                 unsigned position) const {
  SmallVector<AxisId> result;
  AxisId axis = schedule.getTensor(tensor).loop[position];
  for (AxisId source : getSources(schedule, tensor, axis))
    if (groups.isConcrete(source))
      result.push_back(groups.getGroup(source));
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

void LoopClasses::setPromoted(const Schedule &schedule, LoopClass &loopClass) {
  loopClass.hasLoop = false;
  std::optional<AxisId> best;
  // Of the group of `best`, if needed.
  SmallVector<AxisId> sources;
  const LoopClass::Member *bestMember = nullptr;
  llvm::SmallDenseSet<AxisId, 4> seen;
  for (const LoopClass::Member &member : loopClass.members) {
    AxisId axis = schedule.getTensor(member.tensor).loop[member.position];
    const Axis &data = schedule.getAxis(axis);
    if (loopClass.type == LoopType::Serial)
      loopClass.type = data.loopType;
    if (data.isBroadcast())
      continue;
    loopClass.hasLoop = true;
    if (!seen.insert(groups.getGroup(axis)).second)
      continue;
    if (best && sources.empty())
      sources =
          getSourceGroups(schedule, bestMember->tensor, bestMember->position);
    SmallVector<AxisId> others;
    if (best) {
      others = getSourceGroups(schedule, member.tensor, member.position);
      if (others.size() <= sources.size() || !llvm::includes(others, sources))
        continue;
    }
    best = axis;
    bestMember = &member;
    sources = others;
  }
  const LoopClass::Member &first = loopClass.members.front();
  loopClass.promoted =
      best.value_or(schedule.getTensor(first.tensor).loop[first.position]);
  loopClass.extent = loopClass.hasLoop
                         ? groups.getExtent(loopClass.promoted)
                         : getAffineConstantExpr(1, schedule.getContext());
}

//===----------------------------------------------------------------------===//
// Which loop is in which
//===----------------------------------------------------------------------===//

SmallVector<std::pair<ClassId, ClassId>>
LoopClasses::getDirectOrder(const Schedule &schedule) const {
  SmallVector<std::pair<ClassId, ClassId>> order;
  for (TensorId id : schedule.getProgramOrder()) {
    if (schedule.getTensor(id).isInput)
      continue;
    std::optional<ClassId> outer;
    for (ClassId inner : numbers[id]) {
      if (!classes[inner].hasLoop)
        continue;
      if (outer)
        order.push_back({*outer, inner});
      outer = inner;
    }
  }
  llvm::sort(order);
  order.erase(llvm::unique(order), order.end());
  return order;
}

bool LoopClasses::isAround(ClassId outer, ClassId inner) const {
  std::optional<ClassId> at = inner;
  while (at && *at != outer)
    at = classes[*at].parent;
  return at.has_value();
}

ClassId LoopClasses::joinPaths(ClassId deepest, ClassId added) {
  if (isAround(added, deepest))
    return deepest;
  ClassId top = added;
  while (classes[top].parent && !isAround(*classes[top].parent, deepest))
    top = *classes[top].parent;
  classes[top].parent = deepest;
  return added;
}

void LoopClasses::setParents(const Schedule &schedule) {
  SmallVector<std::pair<ClassId, ClassId>> order = getDirectOrder(schedule);
  std::vector<unsigned> missing(size());
  std::vector<SmallVector<ClassId, 2>> outers(size()), inners(size());
  for (auto [outer, inner] : order) {
    ++missing[inner];
    outers[inner].push_back(outer);
    inners[outer].push_back(inner);
  }
  // The first in program order of those that can be next.
  std::priority_queue<ClassId, std::vector<ClassId>, std::greater<>> ready;
  for (ClassId id = 0; id < size(); ++id)
    if (!missing[id])
      ready.push(id);
  unsigned numDone = 0;
  for (; !ready.empty(); ++numDone) {
    ClassId id = ready.top();
    ready.pop();
    for (ClassId outer : outers[id])
      classes[id].parent =
          classes[id].parent ? joinPaths(*classes[id].parent, outer) : outer;
    for (ClassId inner : inners[id])
      if (--missing[inner] == 0)
        ready.push(inner);
  }
  hasOrder = numDone == size();
}

SmallVector<ClassId> LoopClasses::getLoopsAround(TensorId tensor) const {
  SmallVector<ClassId> loops;
  std::optional<ClassId> at;
  for (ClassId id : numbers[tensor])
    if (classes[id].hasLoop)
      at = id;
  for (; at; at = classes[*at].parent)
    loops.push_back(*at);
  std::reverse(loops.begin(), loops.end());
  return loops;
}
