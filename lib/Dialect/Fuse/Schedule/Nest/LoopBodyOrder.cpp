//===- LoopBodyOrder.cpp - Order of a loop's body ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopBodyOrder.h.
//
//===----------------------------------------------------------------------===//

#include "LoopBodyOrder.h"

#include <queue>

using namespace mlir;
using namespace mlir::fuse;

using Successors = std::vector<SmallVector<unsigned, 2>>;

LoopBodyOrder::LoopBodyOrder(const Schedule &schedule,
                             const LoopClasses &classes)
    : schedule(schedule), paths(schedule.getNumTensors()),
      depths(classes.size(), ~0u), itemOf(schedule.getNumTensors()),
      callOf(schedule.getNumTensors()), itemOfLoop(classes.size()),
      callOfLoop(classes.size()) {
  for (TensorId tensor : getStatements()) {
    paths[tensor] = classes.getLoopsAround(tensor);
    for (auto [depth, loop] : llvm::enumerate(paths[tensor]))
      depths[loop] = depth;
  }
}

std::vector<TensorId> LoopBodyOrder::getStatements() const {
  std::vector<TensorId> tensors;
  for (TensorId tensor : schedule.getProgramOrder())
    if (!schedule.getTensor(tensor).isInput)
      tensors.push_back(tensor);
  return tensors;
}

Successors LoopBodyOrder::getEdges(ArrayRef<BodyItem> items) {
  Successors edges(items.size());
  for (auto [i, item] : llvm::enumerate(items))
    for (TensorId tensor : item.tensors)
      for (TensorId consumer : schedule.getConsumers(tensor))
        if (callOf[consumer] == call && itemOf[consumer] != i)
          edges[i].push_back(itemOf[consumer]);
  for (auto &successors : edges) {
    llvm::sort(successors);
    successors.erase(llvm::unique(successors), successors.end());
  }
  return edges;
}

/// The strongly connected components with several nodes, each sorted, among
/// nodes with `isLeft` (Tarjan's algorithm without recursion).
static std::vector<SmallVector<unsigned>>
getComponents(const Successors &edges, const std::vector<bool> &isLeft) {
  struct Frame {
    unsigned node;
    unsigned next = 0;
  };
  std::vector<SmallVector<unsigned>> components;
  std::vector<unsigned> number(edges.size()), low(edges.size()), open;
  std::vector<bool> isOpen(edges.size());
  unsigned count = 0;
  std::vector<Frame> frames;
  auto enter = [&](unsigned node) {
    number[node] = low[node] = ++count;
    open.push_back(node);
    isOpen[node] = true;
    frames.push_back({node});
  };
  for (unsigned start = 0; start < edges.size(); ++start) {
    if (!isLeft[start] || number[start])
      continue;
    enter(start);
    while (!frames.empty()) {
      Frame &frame = frames.back();
      unsigned node = frame.node;
      if (frame.next < edges[node].size()) {
        unsigned next = edges[node][frame.next++];
        if (!isLeft[next])
          continue;
        if (!number[next])
          enter(next);
        else if (isOpen[next])
          low[node] = std::min(low[node], number[next]);
        continue;
      }
      frames.pop_back();
      if (!frames.empty())
        low[frames.back().node] = std::min(low[frames.back().node], low[node]);
      if (low[node] != number[node])
        continue;
      SmallVector<unsigned> component;
      unsigned member;
      do {
        member = open.back();
        open.pop_back();
        isOpen[member] = false;
        component.push_back(member);
      } while (member != node);
      llvm::sort(component);
      if (component.size() > 1)
        components.push_back(component);
    }
  }
  llvm::sort(components, [](const auto &a, const auto &b) {
    return a.front() < b.front();
  });
  return components;
}

std::vector<BodyItem>
LoopBodyOrder::getItems(ArrayRef<TensorId> tensors, unsigned depth,
                        std::vector<SmallVector<unsigned>> &cycles) {
  ++call;
  std::vector<BodyItem> items;
  for (TensorId tensor : tensors) {
    callOf[tensor] = call;
    itemOf[tensor] = items.size();
    if (paths[tensor].size() <= depth) {
      items.push_back({std::nullopt, {tensor}});
      continue;
    }
    ClassId loop = paths[tensor][depth];
    if (callOfLoop[loop] != call) {
      callOfLoop[loop] = call;
      itemOfLoop[loop] = items.size();
      items.push_back({loop, {}});
    }
    itemOf[tensor] = itemOfLoop[loop];
    items[itemOfLoop[loop]].tensors.push_back(tensor);
  }

  Successors edges = getEdges(items);
  std::vector<unsigned> missing(items.size());
  for (const auto &successors : edges)
    for (unsigned next : successors)
      ++missing[next];
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned i = 0; i < items.size(); ++i)
    if (!missing[i])
      ready.push(i);
  std::vector<bool> isLeft(items.size(), true);
  std::vector<BodyItem> sorted;
  while (!ready.empty()) {
    unsigned item = ready.top();
    ready.pop();
    isLeft[item] = false;
    sorted.push_back(std::move(items[item]));
    for (unsigned next : edges[item])
      if (--missing[next] == 0)
        ready.push(next);
  }
  cycles = getComponents(edges, isLeft);
  std::vector<unsigned> newIndex(items.size());
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isLeft[i])
      continue;
    newIndex[i] = sorted.size();
    sorted.push_back(std::move(items[i]));
  }
  for (SmallVector<unsigned> &cycle : cycles)
    for (unsigned &item : cycle)
      item = newIndex[item];
  return sorted;
}
