//===- ReplicaEqualStates.h - States of memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of the atoms of one memory location, between two ops: a binary tree
// over the atoms, which shares equal parts with the trees of other program
// points. A leaf stands for any number of atoms. A write or a read of adjacent
// atoms costs the logarithm of the number of atoms.
//
// In functions, the partition of an atom is the meet of the values written to
// it and, as long as these may remain, of the values at the start of the call.
// The two are kept apart, so that each call keeps the values that its callee
// did not replace.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H

#include "ReplicaEqualAtoms.h"
#include "ReplicaEqualGraph.h"

namespace mlir::ipu::replica_equal {

/// What some atoms hold.
struct Cell {
  /// What was written to them since the function was called.
  Node written = kAll;
  /// What they held then, or `kAll` if it was replaced.
  Node kept = kAll;
};

/// What the atoms of a memory location hold: a tree, by number.
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

  /// The meet of what atoms hold.
  Node read(MemoryState state, ArrayRef<AtomRange> atoms);
  /// Replaces what atoms hold.
  void write(MemoryState &state, ArrayRef<AtomRange> atoms, Cell cell);
  /// Atoms hold this, or what they held.
  void add(MemoryState &state, ArrayRef<AtomRange> atoms, Node written);
  /// Gives all cells of atoms a new node for what is written to them.
  void addNodes(MemoryState &state, ArrayRef<AtomRange> atoms);
  /// Nodes of `to` get what is written in `from`, whose cells they hold.
  void addInputs(MemoryState to, MemoryState from, ArrayRef<AtomRange> atoms);
  /// What is held after one of two ways.
  MemoryState join(MemoryState a, MemoryState b);
  /// Visits cells in order.
  void forEachCell(MemoryState state, ArrayRef<AtomRange> atoms,
                   function_ref<void(AtomRange, Cell)> visit) const;

private:
  struct Tree {
    Cell cell;
    /// 0 of a leaf, which is no part of a tree of its own.
    unsigned left = 0, right = 0;
    /// The meet of all of it, once it was asked for.
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
  /// Applies `fn` once to each leaf of atoms.
  void changeLeaves(MemoryState &state, ArrayRef<AtomRange> atoms, LeafFn fn);

  EquationGraph &graph;
  std::vector<Tree> trees;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
