//===- LoopTree.h - Tree of shared loops ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree of loops that the positions of a schedule define. Each step adds one
// shared loop. A step is refused if the statements would have no order, so the
// tree is always legal. This header is private to the library: computeAt and
// inlining use the tree to choose positions, and verifyLegality checks the
// result independently.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"

namespace mlir::fuse {

class LoopTree {
public:
  /// Creates the tree in which no loops are shared.
  explicit LoopTree(const Schedule &schedule);

  /// Shares the loops of `tensor` up to `position` with the corresponding loops
  /// of `consumers` (by default all consumers), as far as is legal, and returns
  /// the position that was reached. `position` must be at most getMaxPosition.
  /// With `hoist`, trailing loops over broadcasts are not shared. If the result
  /// is less than `position`, sets `why` to the reason, if `why` is not null.
  unsigned raise(TensorId tensor, unsigned position, bool hoist,
                 Violation *why = nullptr);
  unsigned raise(TensorId tensor, unsigned position, bool hoist,
                 ArrayRef<TensorId> consumers, Violation *why);

  /// Returns the position that `raise` has reached for `tensor`.
  unsigned getPosition(TensorId tensor) const { return positions[tensor]; }

private:
  /// A loop of one tensor. A union-find forest over the nodes represents which
  /// nodes share a loop. It has no path compression, so that steps can be
  /// undone.
  using Node = unsigned;
  /// An item directly in a loop. Numbers below `numLoops` are loops; other
  /// numbers are statements.
  using Item = unsigned;
  static constexpr unsigned none = ~0u;

  Node getNode(TensorId tensor, unsigned position) const {
    return base[tensor] + position;
  }
  Node find(Node node) const {
    while (link[node] != node)
      node = link[node];
    return node;
  }
  /// Returns the loop that encloses `root`, or `none` if `root` is an outermost
  /// loop.
  Node getParent(Node root) const;
  /// Returns the item of `parent` that contains the statement of `tensor`, or
  /// `none` if `parent` does not contain it.
  Item getItem(TensorId tensor, Node parent) const;
  ArrayRef<TensorId> getTensors(const Item &item) const;

  bool share(TensorId tensor, unsigned position, ArrayRef<Node> loops,
             Violation *why);
  /// Merges `loops` into one loop, and returns this loop. Returns std::nullopt
  /// if this is not legal.
  std::optional<Node> merge(TensorId tensor, unsigned position,
                            ArrayRef<Node> loops, Violation *why);
  /// The state of a search for a path between two loops that should be merged,
  /// through other items of the loop around them.
  struct Search;
  bool runSearch(TensorId tensor, unsigned position, Search &search, Node big,
                 Violation *why);
  void moveBeside(Search &search, Node big);
  void moveChildren(Node from, Node into);
  void renumber(Node parent);
  bool isReduction(TensorId tensor, ArrayRef<Node> loops) const;
  Violation describe(TensorId tensor, unsigned position, std::string reason,
                     ArrayRef<std::pair<TensorId, TensorId>> path) const;

  void join(Node node, Node into);
  void addInside(Node root, ArrayRef<TensorId> tensors);
  void setRank(Item item, double value);
  void addChildRank(Node root, double value);
  void rollback(size_t mark);

  const Schedule &schedule;
  unsigned numLoops = 0;
  std::vector<unsigned> base;
  std::vector<unsigned> positions;
  std::vector<Node> link;
  /// Indexed by node: the tensor of the node, and all tensors whose statements
  /// are in the loop.
  std::vector<TensorId> owner;
  std::vector<std::vector<TensorId>> inside;
  std::vector<TensorId> identity;
  std::vector<std::optional<unsigned>> firstReduction;
  /// Indexed by item: if two items are directly in the same loop and the first
  /// one reads the second one, the first one has the higher rank. Searches only
  /// visit items whose ranks are between the ranks of the loops that are
  /// merged.
  std::vector<double> rank;
  /// Indexed by node: the lowest and the highest rank of the items directly in
  /// the loop.
  std::vector<double> lowest, highest;
  /// Indexed by item: the number (`epoch`) of the last search that visited the
  /// item.
  std::vector<unsigned> seen;
  unsigned epoch = 0;

  /// A change that `rollback` undoes: the element of a vector that changed, and
  /// its previous value.
  struct Change {
    enum class Kind { Link, Inside, Rank, Lowest, Highest } kind;
    unsigned index;
    double old;
  };
  std::vector<Change> journal;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H
