//===- LoopTree.h - Tree of shared loops ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree of loops that positions define, extended by one shared loop at a
// time. A step is refused if statements would have no order, so the tree is
// always legal. Private to the library: computeAt and inlining choose positions
// with it, and verifyLegality checks the result independently.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"

namespace mlir::fuse {

class LoopTree {
public:
  /// Starts without shared loops.
  explicit LoopTree(const Schedule &schedule);

  /// Shares the loops of `tensor` up to `position` with the corresponding loops
  /// of `consumers` (by default all consumers), as far as is legal, and returns
  /// the position that was reached. `position` is at most getMaxPosition. With
  /// `hoist`, trailing loops over broadcasts are not shared.
  unsigned raise(TensorId tensor, unsigned position, bool hoist,
                 Violation *why = nullptr);
  unsigned raise(TensorId tensor, unsigned position, bool hoist,
                 ArrayRef<TensorId> consumers, Violation *why);

  /// Returns the present position, with or without hoisting.
  unsigned getPosition(TensorId tensor) const { return positions[tensor]; }

private:
  /// A loop of a tensor, and then the loop that it shares: a union-find tree
  /// without path compression, so that steps can be undone.
  using Node = unsigned;
  /// Direct contents of a loop: a loop or, from numLoops on, a statement.
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
  /// Returns the enclosing loop of a loop; none at the top.
  Node getParent(Node root) const;
  /// Returns the item of `parent` that contains the statement of `tensor`, or
  /// none if `parent` does not contain it.
  Item getItem(TensorId tensor, Node parent) const;
  ArrayRef<TensorId> getTensors(const Item &item) const;

  bool share(TensorId tensor, unsigned position, ArrayRef<Node> loops,
             Violation *why);
  /// Merges several loops to one, if that is legal, and returns it.
  std::optional<Node> merge(TensorId tensor, unsigned position,
                            ArrayRef<Node> loops, Violation *why);
  /// Searches for a path between two of `loops` through other items of
  /// `parent`.
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
  /// Indexed by node: its tensor, and all tensors whose statements it contains.
  std::vector<TensorId> owner;
  std::vector<std::vector<TensorId>> inside;
  std::vector<TensorId> identity;
  std::vector<std::optional<unsigned>> firstReduction;
  /// Indexed by item: if one item reads another and both are directly in the
  /// same loop, its rank is higher. Searches stay between the ranks of the
  /// loops that are merged.
  std::vector<double> rank;
  /// Indexed by node: bounds of the ranks of its direct contents.
  std::vector<double> lowest, highest;
  /// Marks of the searches, indexed by item.
  std::vector<unsigned> seen;
  unsigned epoch = 0;

  /// The previous value of a variable.
  struct Change {
    enum class Kind { Link, Inside, Rank, Lowest, Highest } kind;
    unsigned index;
    double old;
  };
  std::vector<Change> journal;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_COMPUTEAT_LOOPTREE_H
