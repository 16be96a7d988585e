//===- ReplicaEqualStates.cpp - States of memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualStates.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

static std::pair<AtomRange, AtomRange> halve(AtomRange range) {
  unsigned middle = range.begin + (range.end - range.begin) / 2;
  return {{range.begin, middle}, {middle, range.end}};
}

static bool isApart(AtomRange a, AtomRange b) {
  return a.end <= b.begin || b.end <= a.begin;
}

static bool isIn(AtomRange inner, AtomRange outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

unsigned MemoryStates::addLeaf(Cell cell) {
  trees.push_back({cell, 0, 0, std::nullopt});
  return trees.size() - 1;
}

unsigned MemoryStates::addInner(unsigned left, unsigned right) {
  // Number 0 is a leaf, which is part of no other tree.
  if (left == right && trees[left].isLeaf())
    return left;
  for (unsigned *part : {&left, &right})
    if (*part == 0)
      *part = addLeaf({});
  trees.push_back({{}, left, right, std::nullopt});
  return trees.size() - 1;
}

Node MemoryStates::getMeet(unsigned tree) {
  if (trees[tree].meet)
    return *trees[tree].meet;
  // It belongs to no op: others read the same.
  OriginScope scope(graph, nullptr);
  Node meet =
      trees[tree].isLeaf()
          ? graph.addMeet({trees[tree].cell.written, trees[tree].cell.kept})
          : graph.addMeet(
                {getMeet(trees[tree].left), getMeet(trees[tree].right)});
  trees[tree].meet = meet;
  return meet;
}

void MemoryStates::collect(unsigned tree, AtomRange own, AtomRange range,
                           SmallVectorImpl<Node> &nodes) {
  if (isApart(own, range))
    return;
  if (isIn(own, range) || trees[tree].isLeaf())
    return nodes.push_back(getMeet(tree));
  auto [left, right] = halve(own);
  collect(trees[tree].left, left, range, nodes);
  collect(trees[tree].right, right, range, nodes);
}

unsigned MemoryStates::replace(unsigned tree, AtomRange own, AtomRange range,
                               unsigned by) {
  if (isApart(own, range))
    return tree;
  if (isIn(own, range))
    return by;
  auto [left, right] = halve(own);
  bool isLeaf = trees[tree].isLeaf();
  unsigned newLeft = replace(isLeaf ? tree : trees[tree].left, left, range, by);
  unsigned newRight =
      replace(isLeaf ? tree : trees[tree].right, right, range, by);
  return addInner(newLeft, newRight);
}

unsigned MemoryStates::change(unsigned tree, AtomRange own, AtomRange range,
                              LeafFn fn) {
  if (isApart(own, range))
    return tree;
  bool isLeaf = trees[tree].isLeaf();
  if (isIn(own, range) && isLeaf)
    return fn(tree);
  auto [left, right] = halve(own);
  unsigned newLeft = change(isLeaf ? tree : trees[tree].left, left, range, fn);
  unsigned newRight =
      change(isLeaf ? tree : trees[tree].right, right, range, fn);
  return addInner(newLeft, newRight);
}

void MemoryStates::visit(unsigned tree, AtomRange own, AtomRange range,
                         CellFn fn) const {
  if (isApart(own, range))
    return;
  if (trees[tree].isLeaf())
    return fn({std::max(own.begin, range.begin), std::min(own.end, range.end)},
              trees[tree].cell);
  auto [left, right] = halve(own);
  visit(trees[tree].left, left, range, fn);
  visit(trees[tree].right, right, range, fn);
}

void MemoryStates::addInputs(unsigned to, unsigned from, AtomRange own,
                             AtomRange range) {
  if (to == from || isApart(own, range))
    return;
  bool isLeaf = trees[from].isLeaf();
  if (trees[to].isLeaf()) {
    Node node = trees[to].cell.written;
    return visit(from, own, range, [&](AtomRange, Cell cell) {
      graph.addInput(node, cell.written);
    });
  }
  auto [left, right] = halve(own);
  addInputs(trees[to].left, isLeaf ? from : trees[from].left, left, range);
  addInputs(trees[to].right, isLeaf ? from : trees[from].right, right, range);
}

unsigned MemoryStates::join(
    unsigned a, unsigned b,
    llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> &known) {
  if (a == b)
    return a;
  auto found = known.find({a, b});
  if (found != known.end())
    return found->second;
  unsigned result;
  if (trees[a].isLeaf() && trees[b].isLeaf()) {
    Cell first = trees[a].cell, second = trees[b].cell;
    result = addLeaf({graph.addMeet({first.written, second.written}),
                      first.kept == kAll ? second.kept : first.kept});
  } else {
    auto part = [&](unsigned tree, unsigned Tree::*half) {
      return trees[tree].isLeaf() ? tree : trees[tree].*half;
    };
    unsigned left = join(part(a, &Tree::left), part(b, &Tree::left), known);
    unsigned right = join(part(a, &Tree::right), part(b, &Tree::right), known);
    result = addInner(left, right);
  }
  return known[{a, b}] = result;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

Node MemoryStates::read(MemoryState state, ArrayRef<AtomRange> atoms) {
  SmallVector<Node> nodes;
  for (AtomRange range : atoms)
    collect(state.tree, {0, state.numAtoms}, range, nodes);
  OriginScope scope(graph, nullptr);
  return graph.addMeet(nodes);
}

void MemoryStates::write(MemoryState &state, ArrayRef<AtomRange> atoms,
                         Cell cell) {
  unsigned leaf = addLeaf(cell);
  for (AtomRange range : atoms)
    state.tree = replace(state.tree, {0, state.numAtoms}, range, leaf);
}

void MemoryStates::changeLeaves(MemoryState &state, ArrayRef<AtomRange> atoms,
                                LeafFn fn) {
  llvm::SmallDenseMap<unsigned, unsigned> changed;
  auto changeOnce = [&](unsigned leaf) {
    auto found = changed.find(leaf);
    if (found != changed.end())
      return found->second;
    return changed[leaf] = fn(leaf);
  };
  for (AtomRange range : atoms)
    state.tree = change(state.tree, {0, state.numAtoms}, range, changeOnce);
}

void MemoryStates::add(MemoryState &state, ArrayRef<AtomRange> atoms,
                       Node written) {
  if (written == kAll)
    return;
  changeLeaves(state, atoms, [&](unsigned leaf) {
    Cell cell = trees[leaf].cell;
    return addLeaf({graph.addMeet({cell.written, written}), cell.kept});
  });
}

void MemoryStates::addNodes(MemoryState &state, ArrayRef<AtomRange> atoms) {
  for (AtomRange range : atoms)
    changeLeaves(state, range, [&](unsigned leaf) {
      return addLeaf({graph.addNode(), trees[leaf].cell.kept});
    });
}

void MemoryStates::addInputs(MemoryState to, MemoryState from,
                             ArrayRef<AtomRange> atoms) {
  for (AtomRange range : atoms)
    addInputs(to.tree, from.tree, {0, to.numAtoms}, range);
}

MemoryState MemoryStates::join(MemoryState a, MemoryState b) {
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> known;
  return {join(a.tree, b.tree, known), a.numAtoms};
}

void MemoryStates::forEachCell(
    MemoryState state, ArrayRef<AtomRange> atoms,
    function_ref<void(AtomRange, Cell)> visitCell) const {
  for (AtomRange range : atoms)
    visit(state.tree, {0, state.numAtoms}, range, visitCell);
}
