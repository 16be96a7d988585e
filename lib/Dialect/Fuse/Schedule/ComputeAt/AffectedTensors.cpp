//===- AffectedTensors.cpp - Tensors that a computeAt affects -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a producer and one of its (transitive) consumers. Out: the tensors that
// must get equal loops. These are all tensors on paths from the producer to the
// first tensor, at or after the consumer, to which all uses of the producer
// lead. That tensor is a post-dominator of the producer, so no path is
// enumerated.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"

using namespace mlir;
using namespace mlir::fuse;

llvm::BitVector mlir::fuse::getDescendants(const Schedule &schedule,
                                           TensorId tensor) {
  llvm::BitVector reached(schedule.getNumTensors());
  reached.set(tensor);
  for (TensorId t :
       schedule.getProgramOrder().drop_front(schedule.getOrdinal(tensor)))
    if (reached.test(t))
      for (TensorId consumer : schedule.getConsumers(t))
        reached.set(consumer);
  return reached;
}

llvm::BitVector mlir::fuse::getAncestors(const Schedule &schedule,
                                         TensorId tensor) {
  llvm::BitVector reached(schedule.getNumTensors());
  reached.set(tensor);
  ArrayRef<TensorId> order = schedule.getProgramOrder();
  for (TensorId t :
       llvm::reverse(order.take_front(size_t(schedule.getOrdinal(tensor)) + 1)))
    if (llvm::any_of(schedule.getConsumers(t),
                     [&](TensorId c) { return reached.test(c); }))
      reached.set(t);
  return reached;
}

namespace {

/// The post-dominator tree of what follows a tensor. All tensors without
/// consumers lead to a virtual sink. Each node has, beside its parent, a jump
/// to a farther ancestor, which makes a search for a common ancestor
/// logarithmic.
class PostDominators {
public:
  explicit PostDominators(const Schedule &schedule)
      : sink(schedule.getNumTensors()), nodes(size_t(sink) + 1) {
    nodes[sink] = {sink, sink, 0};
    for (TensorId t : llvm::reverse(schedule.getProgramOrder())) {
      ArrayRef<TensorId> consumers = schedule.getConsumers(t);
      unsigned parent = consumers.empty() ? sink : consumers.front();
      for (TensorId consumer : consumers)
        parent = getCommonAncestor(parent, consumer);
      add(t, parent);
    }
  }

  /// The sink if there is none.
  unsigned getParent(unsigned node) const { return nodes[node].parent; }
  bool isSink(unsigned node) const { return node == sink; }

private:
  struct Node {
    unsigned parent = 0;
    unsigned jump = 0;
    unsigned depth = 0;
  };

  void add(unsigned node, unsigned parent) {
    const Node &p = nodes[parent];
    const Node &j = nodes[p.jump];
    bool isEven = p.depth - j.depth == j.depth - nodes[j.jump].depth;
    nodes[node] = {parent, isEven ? j.jump : parent, p.depth + 1};
  }

  unsigned getCommonAncestor(unsigned a, unsigned b) const {
    if (nodes[a].depth < nodes[b].depth)
      std::swap(a, b);
    while (nodes[a].depth > nodes[b].depth)
      a = nodes[nodes[a].jump].depth >= nodes[b].depth ? nodes[a].jump
                                                       : nodes[a].parent;
    while (a != b) {
      bool far = nodes[a].jump != nodes[b].jump;
      a = far ? nodes[a].jump : nodes[a].parent;
      b = far ? nodes[b].jump : nodes[b].parent;
    }
    return a;
  }

  unsigned sink;
  std::vector<Node> nodes;
};

} // namespace

llvm::BitVector mlir::fuse::getAffected(const Schedule &schedule,
                                        TensorId producer, TensorId consumer) {
  PostDominators tree(schedule);
  llvm::BitVector afterConsumer = getDescendants(schedule, consumer);
  llvm::BitVector affected = getDescendants(schedule, producer);
  unsigned join = tree.getParent(producer);
  while (!tree.isSink(join) && !afterConsumer.test(join))
    join = tree.getParent(join);
  if (!tree.isSink(join)) {
    affected &= getAncestors(schedule, join);
    affected.reset(join);
    return affected;
  }
  for (TensorId t : affected.set_bits())
    if (schedule.getConsumers(t).empty())
      affected.reset(t);
  return affected;
}
