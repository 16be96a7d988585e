//===- CollectiveSearch.cpp - Search for the cheapest plan of a reshard ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: the digits of each dimension before and after, and a limit of the cost.
// Out: steps that cost less, if there are any. The search finds a shortest path
// in a graph whose nodes are arrangements of digits and whose edges are steps.
// All arrangements that one permutation can create are successors of a common
// node, which has only the number of digits of each size in each dimension.
// Digits that are in neither sharding ("free digits") are interchangeable if
// they have the same size: arrangements that differ only in free digits are one
// node.
//
//===----------------------------------------------------------------------===//

#include "CollectiveSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <numeric>
#include <queue>
#include <string>
#include <unordered_map>

using namespace mlir;
using namespace mlir::ipu::sharding;
using Kind = CollectiveStep::Kind;

namespace {
/// The digits of each dimension as characters, major to minor.
using Digits = SmallVector<std::string, 4>;

/// A node that has been reached.
struct Node {
  /// The digits of the arrangement. If `isPermuting` is set, the digits before
  /// the permutation.
  Digits dims;
  /// Whether devices still have the order of the first mesh, which a
  /// permutation must change.
  bool changesDevices = false;
  bool isPermuting = false;
  /// The cost of the path to the node, and the number of its exchanges.
  double cost = 0;
  unsigned numExchanges = 0;
  /// The previous node, and the kind of the step from it. The first node has no
  /// previous node.
  std::optional<size_t> parent;
  Kind kind = Kind::AllSlice;
  bool isDone = false;
};

class Search {
public:
  Search(ArrayRef<AxisList> in, ArrayRef<AxisList> out, ArrayRef<AxisRef> free,
         ArrayRef<int64_t> shape, bool changesDevices, double bound);

  std::optional<SmallVector<CollectiveStep>> run();
  /// Returns whether the search reached too many arrangements.
  bool isExhausted() const { return nodes.size() > kMaxSearchedArrangements; }

private:
  Digits encode(ArrayRef<AxisList> dims);
  AxisList decode(StringRef list) const;
  DimAxes decodeDims(ArrayRef<std::string> dims) const;
  int64_t getSize(char digit) const { return digits[digit].size; }
  int64_t countShards(StringRef list) const;
  int64_t countAllShards(ArrayRef<std::string> dims) const;
  /// Returns the size of a shard divided by its size at the start.
  double getVolume(ArrayRef<std::string> dims) const {
    return start / static_cast<double>(countAllShards(dims));
  }
  bool isAllowed(unsigned dim, int64_t numShards) const;
  double getLeastCost(ArrayRef<std::string> dims) const;
  bool isFree(char digit) const {
    return static_cast<size_t>(digit) >= firstFree;
  }
  bool isStandIn(StringRef unused, size_t i) const;
  void nameFreeDigits(Digits &dims) const;
  std::string getKey(const Node &node) const;

  void reach(Node node);
  void reachFrom(size_t parent, Kind kind, Digits dims, double cost);
  void expand(size_t index);
  void slice(size_t index);
  void gather(size_t index);
  void move(size_t index, unsigned source, Digits &dims, int64_t moved,
            llvm::SmallVectorImpl<bool> &isBusy);
  void arrange(size_t index, unsigned dim, Digits &dims, std::string &unused);
  SmallVector<CollectiveStep> getSteps(size_t index) const;
  CollectiveStep makeStep(ArrayRef<std::string> before,
                          const Node &after) const;

  AxisList digits;
  /// The index of the first free digit.
  size_t firstFree = 0;
  Digits out;
  SmallVector<int64_t> numShards;
  ArrayRef<int64_t> shape;
  double bound;
  /// The number of shards at the start.
  double start = 1;
  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> known;
  /// The cost, the number of exchanges and the index of a node. The index makes
  /// the order deterministic.
  using Entry = std::tuple<double, unsigned, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};
} // namespace

/// The tolerance of comparisons of costs.
static constexpr double kTolerance = 1e-9;

Search::Search(ArrayRef<AxisList> in, ArrayRef<AxisList> outDims,
               ArrayRef<AxisRef> free, ArrayRef<int64_t> shape,
               bool changesDevices, double bound)
    : shape(shape), bound(bound) {
  Node first;
  first.dims = encode(in);
  first.changesDevices = changesDevices;
  out = encode(outDims);
  firstFree = digits.size();
  digits.append(free.begin(), free.end());
  for (auto [a, b] : llvm::zip_equal(first.dims, out))
    numShards.push_back(std::lcm(countShards(a), countShards(b)));
  start = static_cast<double>(countAllShards(first.dims));
  reach(std::move(first));
}

Digits Search::encode(ArrayRef<AxisList> dims) {
  Digits encoded;
  for (const AxisList &dim : dims) {
    std::string &list = encoded.emplace_back();
    for (const AxisRef &digit : dim) {
      auto *it = llvm::find(digits, digit);
      list.push_back(static_cast<char>(it - digits.begin()));
      if (it == digits.end())
        digits.push_back(digit);
    }
  }
  return encoded;
}

AxisList Search::decode(StringRef list) const {
  AxisList axes;
  for (char digit : list)
    axes.push_back(digits[digit]);
  return axes;
}

DimAxes Search::decodeDims(ArrayRef<std::string> dims) const {
  DimAxes axes;
  for (const std::string &list : dims)
    axes.push_back(decode(list));
  return axes;
}

int64_t Search::countShards(StringRef list) const {
  int64_t product = 1;
  for (char digit : list)
    product *= getSize(digit);
  return product;
}

int64_t Search::countAllShards(ArrayRef<std::string> dims) const {
  int64_t product = 1;
  for (const std::string &list : dims)
    product *= countShards(list);
  return product;
}

/// Returns whether dimension `dim` may have `count` shards: `count` must divide
/// the least common multiple of its first and last numbers of shards, or the
/// size of the dimension.
bool Search::isAllowed(unsigned dim, int64_t count) const {
  return numShards[dim] % count == 0 ||
         (shape[dim] >= 0 && shape[dim] % count == 0);
}

/// Returns a lower bound of the cost of the steps from `dims` to `out`: the
/// part of its last shard that a device does not yet have. Along each
/// dimension, a device has at most the smaller one of the two shards.
double Search::getLeastCost(ArrayRef<std::string> dims) const {
  double kept = 1;
  for (auto [list, wanted] : llvm::zip_equal(dims, out))
    kept *= std::min(1.0, static_cast<double>(countShards(wanted)) /
                              static_cast<double>(countShards(list)));
  return getVolume(out) * (1 - kept);
}

/// Returns whether the free digit at `i` can be skipped, because an unused free
/// digit before it has the same size.
bool Search::isStandIn(StringRef unused, size_t i) const {
  return isFree(unused[i]) &&
         llvm::any_of(unused.take_front(i), [&](char other) {
           return isFree(other) && getSize(other) == getSize(unused[i]);
         });
}

/// Replaces free digits, in the order of the arrangement, by the first unused
/// free digit of their size.
void Search::nameFreeDigits(Digits &dims) const {
  std::string names;
  for (std::string &list : dims)
    for (char &digit : list) {
      if (!isFree(digit))
        continue;
      char name = static_cast<char>(firstFree);
      while (getSize(name) != getSize(digit) ||
             names.find(name) != std::string::npos)
        ++name;
      names += name;
      digit = name;
    }
}

std::string Search::getKey(const Node &node) const {
  std::string key(1, node.isPermuting ? 'p' : node.changesDevices ? 'c' : 's');
  Digits dims = node.dims;
  nameFreeDigits(dims);
  for (std::string &list : dims) {
    if (node.isPermuting)
      llvm::sort(list, [&](char a, char b) {
        return std::make_pair(getSize(a), a) < std::make_pair(getSize(b), b);
      });
    for (char digit : list)
      key += node.isPermuting ? std::to_string(getSize(digit)) + ","
                              : std::string(1, digit);
    key += '\xff';
  }
  return key;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void Search::reach(Node node) {
  if (node.cost + getLeastCost(node.dims) >= bound - kTolerance && node.parent)
    return;
  auto [it, isNew] = known.try_emplace(getKey(node), nodes.size());
  if (!isNew) {
    Node &old = nodes[it->second];
    bool isBetter = node.cost < old.cost - kTolerance ||
                    (node.cost < old.cost + kTolerance &&
                     node.numExchanges < old.numExchanges);
    if (old.isDone || !isBetter)
      return;
    old = std::move(node);
    queue.emplace(old.cost, old.numExchanges, it->second);
    return;
  }
  queue.emplace(node.cost, node.numExchanges, nodes.size());
  nodes.push_back(std::move(node));
}

void Search::reachFrom(size_t parent, Kind kind, Digits dims, double cost) {
  Node node;
  node.dims = std::move(dims);
  node.changesDevices = nodes[parent].changesDevices;
  node.cost = nodes[parent].cost + cost;
  node.numExchanges =
      nodes[parent].numExchanges + (kind == Kind::AllSlice ? 0 : 1);
  node.parent = parent;
  node.kind = kind;
  reach(std::move(node));
}

/// Reaches the nodes with one more digit at the end of a dimension. A digit
/// that is gathered again later may allow a permutation to replace several
/// moves.
void Search::slice(size_t index) {
  std::string used, unused;
  for (const std::string &list : nodes[index].dims)
    used += list;
  for (char digit = 0; digit < static_cast<char>(digits.size()); ++digit)
    if (used.find(digit) == std::string::npos)
      unused.push_back(digit);
  for (auto [i, digit] : llvm::enumerate(unused)) {
    if (isStandIn(unused, i))
      continue;
    for (unsigned dim = 0; dim < out.size(); ++dim) {
      Digits dims = nodes[index].dims;
      dims[dim].push_back(digit);
      if (isAllowed(dim, countShards(dims[dim])))
        reachFrom(index, Kind::AllSlice, std::move(dims), 0);
    }
  }
}

/// Reaches the nodes with fewer digits at the end of one dimension. Gathers of
/// several dimensions follow each other at the same cost.
void Search::gather(size_t index) {
  for (unsigned dim = 0; dim < out.size(); ++dim) {
    Digits dims = nodes[index].dims;
    double volume = getVolume(dims);
    while (!dims[dim].empty()) {
      dims[dim].pop_back();
      if (isAllowed(dim, countShards(dims[dim])))
        reachFrom(index, Kind::AllGather, dims, getVolume(dims) - volume);
    }
  }
}

/// Reaches the nodes after moves of the ends of dimension `source` and later
/// dimensions to other dimensions, in addition to the moves that are already in
/// `dims`.
void Search::move(size_t index, unsigned source, Digits &dims, int64_t moved,
                  llvm::SmallVectorImpl<bool> &isBusy) {
  if (source == out.size()) {
    if (moved > 1)
      reachFrom(index, Kind::AllToAll, dims,
                getVolume(dims) * (1 - 1.0 / static_cast<double>(moved)));
    return;
  }
  move(index, source + 1, dims, moved, isBusy);
  if (isBusy[source])
    return;
  std::string from = dims[source];
  isBusy[source] = true;
  for (unsigned target = 0; target < out.size(); ++target) {
    if (isBusy[target])
      continue;
    isBusy[target] = true;
    std::string to = dims[target];
    for (size_t kept = 0; kept < from.size(); ++kept) {
      dims[source] = from.substr(0, kept);
      dims[target] = to + from.substr(kept);
      if (isAllowed(source, countShards(dims[source])) &&
          isAllowed(target, countShards(dims[target])))
        move(index, source + 1, dims, moved * countShards(from.substr(kept)),
             isBusy);
    }
    dims[target] = to;
    isBusy[target] = false;
  }
  dims[source] = from;
  isBusy[source] = false;
}

/// Reaches the nodes with all digits, in all orders, that have the same number
/// of digits of each size in each dimension as node `index`.
void Search::arrange(size_t index, unsigned dim, Digits &dims,
                     std::string &unused) {
  if (nodes.size() > kMaxSearchedArrangements)
    return;
  if (dim == out.size()) {
    Node node;
    node.dims = dims;
    node.cost = nodes[index].cost;
    node.numExchanges = nodes[index].numExchanges;
    node.parent = nodes[index].parent;
    node.kind = Kind::CollectivePermute;
    reach(std::move(node));
    return;
  }
  const std::string &places = nodes[index].dims[dim];
  if (dims[dim].size() == places.size()) {
    arrange(index, dim + 1, dims, unused);
    return;
  }
  auto count = [&](StringRef list, int64_t size) {
    return llvm::count_if(list,
                          [&](char digit) { return getSize(digit) == size; });
  };
  for (size_t i = 0; i < unused.size(); ++i) {
    char digit = unused[i];
    if (isStandIn(unused, i))
      continue;
    if (count(dims[dim], getSize(digit)) >=
        count(nodes[index].dims[dim], getSize(digit)))
      continue;
    unused.erase(i, 1);
    dims[dim].push_back(digit);
    arrange(index, dim, dims, unused);
    dims[dim].pop_back();
    unused.insert(i, 1, digit);
  }
}

void Search::expand(size_t index) {
  if (nodes[index].isPermuting) {
    Digits dims(out.size());
    std::string unused;
    for (size_t i = 0; i < digits.size(); ++i)
      unused.push_back(static_cast<char>(i));
    arrange(index, 0, dims, unused);
    return;
  }
  slice(index);
  Digits dims = nodes[index].dims;
  SmallVector<bool> isBusy(out.size(), false);
  move(index, 0, dims, /*moved=*/1, isBusy);
  gather(index);
  Node permuting = nodes[index];
  permuting.isPermuting = true;
  permuting.isDone = false;
  permuting.cost += getVolume(permuting.dims);
  ++permuting.numExchanges;
  // Arrangements after the permutation have this node as their previous node.
  permuting.parent = index;
  reach(std::move(permuting));
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

CollectiveStep Search::makeStep(ArrayRef<std::string> before,
                                const Node &after) const {
  CollectiveStep step{after.kind};
  step.result = merge(decodeDims(after.dims));
  if (after.kind == Kind::CollectivePermute)
    return step;
  if (after.kind != Kind::AllToAll) {
    for (auto [a, b] : llvm::zip_equal(before, after.dims))
      step.axes.push_back(merge(ArrayRef<AxisRef>(
          decode(a.size() < b.size() ? StringRef(b).substr(a.size())
                                     : StringRef(a).substr(b.size())))));
    return step;
  }
  for (unsigned source = 0; source < before.size(); ++source) {
    StringRef from = before[source];
    if (from.size() <= after.dims[source].size())
      continue;
    StringRef moved = from.substr(after.dims[source].size());
    for (unsigned target = 0; target < before.size(); ++target)
      if (StringRef(after.dims[target]) == before[target] + moved.str())
        step.moves.push_back(
            {merge(ArrayRef<AxisRef>(decode(moved))), source, target});
  }
  return step;
}

/// Returns the steps of the path to a node. Successive slices become one step,
/// and so do successive gathers.
SmallVector<CollectiveStep> Search::getSteps(size_t index) const {
  SmallVector<size_t> path = {index};
  while (std::optional<size_t> parent = nodes[path.back()].parent)
    path.push_back(*parent);
  SmallVector<CollectiveStep> steps;
  size_t before = path.pop_back_val();
  while (!path.empty()) {
    size_t next = path.pop_back_val();
    Kind kind = nodes[next].kind;
    bool canJoin = kind == Kind::AllSlice || kind == Kind::AllGather;
    while (canJoin && !path.empty() && nodes[path.back()].kind == kind)
      next = path.pop_back_val();
    steps.push_back(makeStep(nodes[before].dims, nodes[next]));
    before = next;
  }
  return steps;
}

std::optional<SmallVector<CollectiveStep>> Search::run() {
  if (getLeastCost(nodes.front().dims) >= bound - kTolerance)
    return std::nullopt;
  while (!queue.empty() && nodes.size() <= kMaxSearchedArrangements) {
    auto [cost, numExchanges, index] = queue.top();
    queue.pop();
    Node &node = nodes[index];
    if (node.isDone)
      continue;
    node.isDone = true;
    if (!node.isPermuting && !node.changesDevices && node.dims == out)
      return getSteps(index);
    expand(index);
  }
  return std::nullopt;
}

std::optional<SmallVector<CollectiveStep>>
mlir::ipu::sharding::searchCollectives(ArrayRef<AxisList> in,
                                       ArrayRef<AxisList> out,
                                       ArrayRef<AxisRef> free,
                                       ArrayRef<int64_t> shape,
                                       bool changesDevices, double bound) {
  SmallVector<AxisRef> digits;
  for (ArrayRef<AxisList> side : {in, out})
    for (const AxisList &dim : side)
      for (const AxisRef &digit : dim)
        if (!llvm::is_contained(digits, digit))
          digits.push_back(digit);
  // Digits of one device would be gathered and sliced again instead of moved,
  // because this has no cost.
  bool hasOnes = llvm::any_of(
      digits, [](const AxisRef &digit) { return digit.size == 1; });
  if (hasOnes || digits.size() > kMaxSearchedDigits)
    return std::nullopt;
  free = free.take_front(
      std::min(kMaxFreeDigits, kMaxSearchedDigits - digits.size()));
  // Add one free digit at a time, because there are fewer arrangements without
  // free digits.
  std::optional<SmallVector<CollectiveStep>> best;
  for (size_t numFree = 0; numFree <= free.size(); ++numFree) {
    Search search(in, out, free.take_front(numFree), shape, changesDevices,
                  bound);
    if (std::optional<SmallVector<CollectiveStep>> steps = search.run()) {
      bound = getCollectiveCost(in, *steps);
      best = std::move(steps);
    }
    if (search.isExhausted())
      break;
  }
  return best;
}

double mlir::ipu::sharding::getCollectiveCost(ArrayRef<AxisList> in,
                                              ArrayRef<CollectiveStep> steps) {
  auto getVolume = [](ArrayRef<AxisList> dims) {
    double volume = 1;
    for (const AxisList &dim : dims)
      volume /= static_cast<double>(getProduct(dim));
    return volume;
  };
  double start = getVolume(in), volume = start, cost = 0;
  for (const CollectiveStep &step : steps) {
    double before = volume;
    volume = getVolume(step.result);
    double moved = 1;
    for (const CollectiveStep::Move &move : step.moves)
      moved *= static_cast<double>(getProduct(move.axes));
    switch (step.kind) {
    case Kind::AllSlice:
      break;
    case Kind::CollectivePermute:
      cost += volume;
      break;
    case Kind::AllToAll:
      cost += volume * (1 - 1 / moved);
      break;
    case Kind::AllGather:
      cost += volume - before;
      break;
    }
  }
  return cost / start;
}
