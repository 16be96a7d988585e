//===- LoopTreeMerge.cpp - Merging of shared loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loops of a LoopTree. Out: one loop that replaces them, or the reason why
// the loops cannot be merged. The items of the new loop are then in topological
// order, and so are the items of the loop around it.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleViolations.h"
#include "LoopTree.h"
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

Violation
LoopTree::describe(TensorId tensor, unsigned position, std::string reason,
                   ArrayRef<std::pair<TensorId, TensorId>> path) const {
  auto name = [&](TensorId t) { return quote(schedule.getTensor(t).name); };
  Violation violation;
  violation.tensor = tensor;
  AxisId axis = schedule.getTensor(tensor).loop[position];
  violation.text = "loop '" + schedule.formatAxis(axis) + "' of " +
                   name(tensor) +
                   " cannot be shared with all consumers: " + std::move(reason);
  for (auto [from, to] : path)
    violation.notes.push_back({to, name(to) + " reads " + name(from)});
  return violation;
}

bool LoopTree::isReduction(TensorId tensor, ArrayRef<Node> loops) const {
  return firstReduction[tensor] &&
         llvm::is_contained(loops,
                            find(getNode(tensor, *firstReduction[tensor])));
}

/// A depth-first search over what a loop holds, from some of its loops to any
/// of them.
struct LoopTree::Search {
  struct Visit {
    Item item;
    /// The edge that led here, always from producer to consumer.
    std::pair<TensorId, TensorId> edge;
    std::optional<unsigned> previous;
  };

  Search(LoopTree &tree, ArrayRef<Node> loops, Node parent, bool forward)
      : tree(tree), loops(loops), parent(parent), forward(forward) {
    ++tree.epoch;
    for (Node loop : loops) {
      first = std::min(first, tree.rank[loop]);
      last = std::max(last, tree.rank[loop]);
    }
  }

  /// Looks at what `from` leads to. True if a path is found.
  bool expand(TensorId from, std::optional<unsigned> previous) {
    SmallVector<TensorId> producers;
    if (!forward)
      producers = tree.schedule.getProducers(from);
    ArrayRef<TensorId> next =
        forward ? tree.schedule.getConsumers(from) : ArrayRef(producers);
    for (TensorId to : next) {
      Item item = tree.getItem(to, parent);
      if (item == none)
        continue;
      auto edge = forward ? std::pair(from, to) : std::pair(to, from);
      if (item < tree.numLoops && llvm::is_contained(loops, item)) {
        if (previous) {
          setPath(edge, *previous);
          return true;
        }
        if (tree.isReduction(edge.first, loops)) {
          path = {edge};
          reduction = edge.first;
          return true;
        }
      } else if (tree.seen[item] != tree.epoch) {
        tree.seen[item] = tree.epoch;
        if (forward ? tree.rank[item] > last : tree.rank[item] < first) {
          beyond.push_back(item);
          continue;
        }
        stack.push_back(visits.size());
        visits.push_back({item, edge, previous});
      }
    }
    return false;
  }

  bool run(Node start) {
    for (TensorId tensor : tree.inside[start])
      if (expand(tensor, std::nullopt))
        return true;
    while (!stack.empty()) {
      unsigned top = stack.pop_back_val();
      Item item = visits[top].item;
      for (TensorId tensor : tree.getTensors(item))
        if (expand(tensor, top))
          return true;
    }
    return false;
  }

  void setPath(std::pair<TensorId, TensorId> last,
               std::optional<unsigned> previous) {
    path = {last};
    for (; previous; previous = visits[*previous].previous)
      path.push_back(visits[*previous].edge);
    if (forward)
      std::reverse(path.begin(), path.end());
  }

  LoopTree &tree;
  ArrayRef<Node> loops;
  Node parent;
  bool forward;
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();
  std::vector<Visit> visits;
  /// What was not visited, as it cannot lead back.
  SmallVector<Item> beyond;
  SmallVector<unsigned> stack;
  SmallVector<std::pair<TensorId, TensorId>> path;
  std::optional<TensorId> reduction;
};

bool LoopTree::runSearch(TensorId tensor, unsigned position, Search &search,
                         Node big, Violation *why) {
  for (Node loop : search.loops) {
    if (loop == big || !search.run(loop))
      continue;
    if (!why)
      return false;
    std::string from =
        quote(schedule.getTensor(search.path.front().first).name);
    std::string to = quote(schedule.getTensor(search.path.back().second).name);
    *why = describe(tensor, position,
                    search.reduction
                        ? to + " reads " + from +
                              ", which is complete only after that loop"
                        : "a path from " + from + " to " + to +
                              " leaves the loop and enters it again",
                    search.path);
    return false;
  }
  return true;
}

/// Numbers what `parent` holds anew, in the order that it has.
void LoopTree::renumber(Node parent) {
  SmallVector<Item> items;
  ++epoch;
  for (TensorId t : parent == none ? identity : inside[parent])
    if (Item item = getItem(t, parent); item != none && seen[item] != epoch) {
      seen[item] = epoch;
      items.push_back(item);
    }
  llvm::sort(items, [&](Item a, Item b) { return rank[a] < rank[b]; });
  for (auto [i, item] : llvm::enumerate(items))
    setRank(item, i);
  if (parent != none) {
    addChildRank(parent, 0);
    addChildRank(parent, items.size());
  }
}

/// Gives all that comes after loops which are now `big` a higher rank than
/// that, or, of a search backwards, all that comes before them a lower one.
void LoopTree::moveBeside(Search &search, Node big) {
  double sign = search.forward ? 1 : -1;
  auto isOnWrongSide = [&](Item item) {
    return sign * rank[item] < sign * rank[big];
  };
  SmallVector<Item> moved, fixed(search.beyond);
  for (const Search::Visit &visit : search.visits)
    (isOnWrongSide(visit.item) ? moved : fixed).push_back(visit.item);
  if (moved.empty())
    return;
  llvm::sort(moved, [&](Item a, Item b) { return rank[a] < rank[b]; });
  for (bool isRenumbered : {false, true}) {
    double limit = rank[big] + sign * double(2 * moved.size() + 2);
    for (Item item : fixed)
      if (sign * rank[item] < sign * limit)
        limit = rank[item];
    // Half of the room is left for the next ones.
    double half = (limit - rank[big]) / 2;
    double step = half / double(moved.size() + 1);
    if (std::abs(step) < 1e-6 && !isRenumbered) {
      renumber(search.parent);
      continue;
    }
    double start = search.forward ? rank[big] + half : limit;
    for (auto [i, item] : llvm::enumerate(moved))
      setRank(item, start + std::abs(step) * double(i + 1));
    break;
  }
  if (search.parent != none)
    for (Item item : moved)
      addChildRank(search.parent, rank[item]);
}

/// Puts what `from` holds before what `into` holds, or after, as the loops
/// themselves are.
void LoopTree::moveChildren(Node from, Node into) {
  double shift = rank[from] < rank[into] ? lowest[into] - 1 - highest[from]
                                         : highest[into] + 1 - lowest[from];
  ++epoch;
  for (TensorId t : inside[from])
    // A tensor that goes on in loops of consumers, after one of extent 1 that
    // these do not have, is no item of the latter.
    if (Item item = getItem(t, from); item != none && seen[item] != epoch) {
      seen[item] = epoch;
      setRank(item, rank[item] + shift);
      addChildRank(into, rank[item]);
    }
}

std::optional<LoopTree::Node> LoopTree::merge(TensorId tensor,
                                              unsigned position,
                                              ArrayRef<Node> loops,
                                              Violation *why) {
  if (loops.size() == 1)
    return loops.front();
  Node parent = getParent(loops.front());
  for (Node loop : loops.drop_front())
    if (getParent(loop) != parent) {
      if (why)
        *why = describe(tensor, position,
                        "'" + schedule.getTensor(owner[loops.front()]).name +
                            "' and '" + schedule.getTensor(owner[loop]).name +
                            "' have this loop inside of different loops",
                        {});
      return std::nullopt;
    }
  Node big = *llvm::max_element(loops, [&](Node a, Node b) {
    return inside[a].size() < inside[b].size();
  });
  Search after(*this, loops, parent, /*forward=*/true);
  if (!runSearch(tensor, position, after, big, why))
    return std::nullopt;
  Search before(*this, loops, parent, /*forward=*/false);
  if (!runSearch(tensor, position, before, big, why))
    return std::nullopt;
  // Next to the big one first.
  SmallVector<Node> others(loops);
  llvm::sort(others, [&](Node a, Node b) {
    return std::abs(rank[a] - rank[big]) < std::abs(rank[b] - rank[big]);
  });
  for (Node other : others)
    if (other != big) {
      moveChildren(other, big);
      addInside(big, inside[other]);
      join(other, big);
    }
  moveBeside(after, big);
  moveBeside(before, big);
  return big;
}
