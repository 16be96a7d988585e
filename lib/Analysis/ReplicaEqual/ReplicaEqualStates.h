//===- ReplicaEqualStates.h - States of memory ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree holds the nodes of the atoms of one memory location between two ops.
// It is a binary tree over the atoms, and it shares equal parts with the trees
// of other program points. A leaf represents any number of atoms. A write or a
// read of adjacent atoms takes time that is logarithmic in the number of atoms.
//
// In functions, the partition of an atom is the meet of two partitions: of the
// values written to it and, as long as they may remain, of the values at the
// start of the call. The two partitions are stored separately, so that each
// call keeps the values that its callee did not replace.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H

#include "ReplicaEqualAtoms.h"
#include "ReplicaEqualGraph.h"

namespace mlir::ipu::replica_equal {

/// The contents of some atoms.
struct Cell {
  /// The values that were written to them since the start of the function.
  Node written = kAll;
  /// Their values at the start of the function, or `kAll` if they were
  /// replaced.
  Node kept = kAll;
};

/// The contents of the atoms of a memory location: the number of a tree.
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

  /// The meet of the contents of atoms.
  Node read(MemoryState state, ArrayRef<AtomRange> atoms);
  /// Replaces the contents of atoms.
  void write(MemoryState &state, ArrayRef<AtomRange> atoms, Cell cell);
  /// Adds possible contents to atoms.
  void add(MemoryState &state, ArrayRef<AtomRange> atoms, Node written);
  /// Gives all cells of atoms a new node for written values.
  void addNodes(MemoryState &state, ArrayRef<AtomRange> atoms);
  /// Adds the written values in `from` as inputs of the nodes for written
  /// values in `to`.
  void addInputs(MemoryState to, MemoryState from, ArrayRef<AtomRange> atoms);
  /// The contents after one of two paths.
  MemoryState join(MemoryState a, MemoryState b);
  /// Visits cells in order.
  void forEachCell(MemoryState state, ArrayRef<AtomRange> atoms,
                   function_ref<void(AtomRange, Cell)> visit) const;

private:
  struct Tree {
    Cell cell;
    /// 0 for a leaf, which is not a part of a tree of its own.
    unsigned left = 0, right = 0;
    /// The meet of the whole tree, after the first query.
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
  /// Applies `fn` once to each leaf of these atoms.
  void changeLeaves(MemoryState &state, ArrayRef<AtomRange> atoms, LeafFn fn);

  EquationGraph &graph;
  std::vector<Tree> trees;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSTATES_H
