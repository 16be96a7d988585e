//===- ReplicaEqualStates.h - States of memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At a point between two ops, a tree contains the nodes of the atoms of one
// memory location; ReplicaEqualGraph.h defines nodes. The tree is a binary tree
// over the atoms, and it shares equal subtrees with the trees of other program
// points. A leaf represents any number of atoms. A write or a read of adjacent
// atoms takes time that is logarithmic in the number of atoms.
//
// In a function, the partition of an atom is the meet of two partitions. One is
// the partition of the values that the function wrote to the atom. The other is
// the partition of the values at the start of the call, as long as the atom may
// still contain these values. The two partitions are stored separately, so that
// each call keeps the values that its callee did not replace.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H

#include "ReplicaEqualAtoms.h"
#include "ReplicaEqualGraph.h"

namespace mlir::ipu::replica_equal {

/// The contents of some atoms.
struct Cell {
  /// The values that were written to the atoms since the start of the function.
  Node written = kAll;
  /// The values of the atoms at the start of the function, or `kAll` if the
  /// function has replaced all of these values.
  Node kept = kAll;
};

/// The contents of the atoms of a memory location. `tree` is the number of a
/// tree.
struct MemoryState {
  unsigned tree = 0;
  unsigned numAtoms = 1;

  bool operator==(const MemoryState &other) const {
    return tree == other.tree && numAtoms == other.numAtoms;
  }
};

class MemoryStates {
public:
  explicit MemoryStates(EquationGraph &graph) : graph(graph), trees(1) {}

  /// Returns the meet of the contents of `atoms`.
  Node read(MemoryState state, ArrayRef<AtomRange> atoms);
  /// Replaces the contents of `atoms` by `cell`.
  void write(MemoryState &state, ArrayRef<AtomRange> atoms, Cell cell);
  /// Records that `atoms` may also contain the values of `written`.
  void add(MemoryState &state, ArrayRef<AtomRange> atoms, Node written);
  /// Gives all cells of `atoms` new nodes for written values, one node for
  /// each.
  void addNodes(MemoryState &state, ArrayRef<AtomRange> atoms);
  /// Adds the nodes for written values in `from` as inputs of the nodes for
  /// written values in `to`.
  void addInputs(MemoryState to, MemoryState from, ArrayRef<AtomRange> atoms);
  /// Returns the contents after a point that two paths reach with the contents
  /// `a` and `b`.
  MemoryState join(MemoryState a, MemoryState b);
  /// Calls `visit` for all cells of `atoms` in ascending order.
  void forEachCell(MemoryState state, ArrayRef<AtomRange> atoms,
                   function_ref<void(AtomRange, Cell)> visit) const;

private:
  struct Tree {
    Cell cell;
    /// The numbers of the two subtrees; 0 for a leaf. Tree 0 is never a
    /// subtree.
    unsigned left = 0, right = 0;
    /// The meet of all cells of the tree. It is computed by the first query.
    std::optional<Node> meet;

    bool isLeaf() const { return left == 0; }
  };
  using LeafFn = function_ref<unsigned(unsigned)>;
  using CellFn = function_ref<void(AtomRange, Cell)>;

  unsigned addLeaf(Cell cell);
  unsigned addInner(unsigned left, unsigned right);
  Node getMeet(unsigned tree);
  void collect(unsigned tree, AtomRange own, AtomRange range,
               SmallVectorImpl<Node> &nodes);
  unsigned replace(unsigned tree, AtomRange own, AtomRange range, unsigned by);
  unsigned change(unsigned tree, AtomRange own, AtomRange range, LeafFn fn);
  void visit(unsigned tree, AtomRange own, AtomRange range, CellFn fn) const;
  void addInputs(unsigned to, unsigned from, AtomRange own, AtomRange range);
  unsigned join(unsigned a, unsigned b,
                llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> &known);
  /// Replaces each leaf of `atoms` by the result of `fn`. `fn` is called once
  /// for each leaf.
  void changeLeaves(MemoryState &state, ArrayRef<AtomRange> atoms, LeafFn fn);

  EquationGraph &graph;
  std::vector<Tree> trees;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
