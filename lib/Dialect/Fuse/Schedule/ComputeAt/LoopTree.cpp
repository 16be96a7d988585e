//===- LoopTree.cpp - Tree of shared loops --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop has the statements inside of it and the loop around it. A tensor
// without shared loops can always join the loops of all of its consumers: no
// path leaves these loops and comes back. Only if loops of several consumers
// become one, the merge must be checked: no path may lead from one of these
// loops to another through a statement outside of them, and no statement inside
// may read a reduction over these loops. The search for such a path starts from
// the smaller loops. It visits only statements of the loop around them, with
// ranks between the ranks of the merged loops. A rank is a position in the
// topological order of the direct contents of a loop. A merge repairs this
// order incrementally, like the algorithm of Pearce and Kelly.
//
//===----------------------------------------------------------------------===//

#include "LoopTree.h"
#include "../ScheduleViolations.h"

using namespace mlir;
using namespace mlir::fuse;

LoopTree::LoopTree(const Schedule &schedule)
    : schedule(schedule), positions(schedule.getNumTensors()) {
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
    ArrayRef<AxisId> loop = schedule.getTensor(t).loop;
    base.push_back(owner.size());
    owner.insert(owner.end(), loop.size(), t);
    identity.push_back(t);
    const auto *first = llvm::find_if(
        loop, [&](AxisId a) { return schedule.getAxis(a).isReduction(); });
    firstReduction.push_back(
        first == loop.end() ? std::nullopt
                            : std::optional<unsigned>(first - loop.begin()));
  }
  numLoops = owner.size();
  inside.resize(numLoops);
  for (Node node = 0; node < numLoops; ++node) {
    link.push_back(node);
    inside[node].push_back(owner[node]);
    rank.push_back(schedule.getOrdinal(owner[node]));
  }
  lowest = highest = rank;
  for (TensorId t : identity)
    rank.push_back(schedule.getOrdinal(t));
  seen.resize(rank.size());
}

LoopTree::Node LoopTree::getParent(Node root) const {
  return root == base[owner[root]] ? none : find(root - 1);
}

LoopTree::Item LoopTree::getItem(TensorId tensor, Node parent) const {
  if (schedule.getTensor(tensor).isInput)
    return none;
  unsigned numOwn = schedule.getTensor(tensor).loop.size();
  Node root = numOwn ? find(getNode(tensor, numOwn - 1)) : none;
  if (root == parent)
    return numLoops + tensor;
  while (root != none) {
    Node around = getParent(root);
    if (around == parent)
      return root;
    root = around;
  }
  return none;
}

ArrayRef<TensorId> LoopTree::getTensors(const Item &item) const {
  if (item < numLoops)
    return inside[item];
  return ArrayRef<TensorId>(identity[item - numLoops]);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

void LoopTree::addInside(Node root, ArrayRef<TensorId> tensors) {
  journal.push_back({Change::Kind::Inside, root, double(inside[root].size())});
  inside[root].insert(inside[root].end(), tensors.begin(), tensors.end());
}

void LoopTree::join(Node node, Node into) {
  journal.push_back({Change::Kind::Link, node, 0});
  link[node] = into;
}

void LoopTree::setRank(Item item, double value) {
  journal.push_back({Change::Kind::Rank, item, rank[item]});
  rank[item] = value;
}

void LoopTree::addChildRank(Node root, double value) {
  if (value < lowest[root]) {
    journal.push_back({Change::Kind::Lowest, root, lowest[root]});
    lowest[root] = value;
  }
  if (value > highest[root]) {
    journal.push_back({Change::Kind::Highest, root, highest[root]});
    highest[root] = value;
  }
}

void LoopTree::rollback(size_t mark) {
  while (journal.size() > mark) {
    Change change = journal.back();
    journal.pop_back();
    switch (change.kind) {
    case Change::Kind::Link:
      link[change.index] = change.index;
      break;
    case Change::Kind::Inside:
      inside[change.index].resize(size_t(change.old));
      break;
    case Change::Kind::Rank:
      rank[change.index] = change.old;
      break;
    case Change::Kind::Lowest:
      lowest[change.index] = change.old;
      break;
    case Change::Kind::Highest:
      highest[change.index] = change.old;
      break;
    }
  }
}

bool LoopTree::share(TensorId tensor, unsigned position, ArrayRef<Node> loops,
                     Violation *why) {
  SmallVector<Node> roots;
  for (Node loop : loops)
    if (Node root = find(loop); !llvm::is_contained(roots, root))
      roots.push_back(root);
  Node own = find(getNode(tensor, position));
  if (roots.empty())
    return true;
  bool isFree = inside[own].size() == 1 && !llvm::is_contained(roots, own);
  if (!isFree && !llvm::is_contained(roots, own))
    roots.push_back(own);
  std::optional<Node> merged = merge(tensor, position, roots, why);
  if (!merged)
    return false;
  if (!isFree)
    return true;
  // The loops that come with the shared one are around this tensor too.
  for (Node around = *merged; around != none; around = getParent(around)) {
    bool isInside = false;
    for (unsigned i = 0; i < position; ++i)
      isInside |= find(getNode(tensor, i)) == around;
    if (isInside)
      break;
    addInside(around, tensor);
  }
  join(own, *merged);
  if (Item item = getItem(tensor, *merged); item != none) {
    setRank(item, lowest[*merged] - 1);
    addChildRank(*merged, lowest[*merged] - 1);
  }
  return true;
}

unsigned LoopTree::raise(TensorId tensor, unsigned position, bool hoist,
                         Violation *why) {
  return raise(tensor, position, hoist, schedule.getConsumers(tensor), why);
}

unsigned LoopTree::raise(TensorId tensor, unsigned position, bool hoist,
                         ArrayRef<TensorId> consumers, Violation *why) {
  const Tensor &data = schedule.getTensor(tensor);
  unsigned start = positions[tensor];
  if (data.isInput || consumers.empty() || position <= start)
    return start;
  SmallVector<SmallVector<std::optional<unsigned>>> matches;
  for (TensorId consumer : consumers)
    matches.push_back(matchLoops(schedule, tensor, consumer, position));
  unsigned reached = start;
  size_t mark = journal.size();
  for (; reached < position; ++reached) {
    SmallVector<Node> loops;
    for (auto [consumer, match] : llvm::zip(consumers, matches))
      if (reached < match.size() && match[reached])
        loops.push_back(getNode(consumer, *match[reached]));
    if (!loops.empty() && loops.size() != consumers.size()) {
      if (why)
        *why = describe(tensor, reached,
                        "some consumers have no corresponding loop", {});
      break;
    }
    if (!share(tensor, reached, loops, why))
      break;
    if (hoist && schedule.getAxis(data.loop[reached]).isBroadcast())
      continue;
    mark = journal.size();
    positions[tensor] = reached + 1;
  }
  rollback(mark);
  return reached;
}
