//===- ReplicaEqualGraph.cpp - Equations of partitions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All nodes start equal on all replicas and only get finer: what nothing makes
// differ is never visited. Nodes are visited in the order in which they were
// made, which is the program's, again from the start as long as one changed.
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualGraph.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

Node EquationGraph::addMeet(ArrayRef<Node> inputs) {
  Node single = kAll;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (input == kAll || input == single)
      continue;
    if (single == kAll) {
      single = input;
      continue;
    }
    Node node = addNode();
    llvm::SmallDenseSet<Node, 8> seen;
    for (Node each : inputs)
      if (seen.insert(each).second)
        addInput(node, each);
    return node;
  }
  return single;
}

void EquationGraph::addRule(Rule rule) {
  Node node = addNode();
  for (ArrayRef<Node> inputs : {ArrayRef(rule.operands), ArrayRef(rule.states)})
    for (Node input : inputs)
      addInput(node, input);
  nodeRules.emplace_back(node, static_cast<unsigned>(rules.size()));
  rules.push_back(std::move(rule));
}

void EquationGraph::indexUsers() {
  firstUser.assign(numNodes + 1, 0);
  for (auto [input, node] : edges)
    ++firstUser[input + 1];
  for (Node node = 0; node < numNodes; ++node)
    firstUser[node + 1] += firstUser[node];
  users.resize(edges.size());
  std::vector<unsigned> next(firstUser.begin(), firstUser.end() - 1);
  for (auto [input, node] : edges)
    users[next[input]++] = node;
  ruleOf.assign(numNodes, kNoRule);
  for (auto [node, rule] : nodeRules)
    ruleOf[node] = rule;
}

void EquationGraph::lower(Node node, ReplicaPartition partition,
                          ReplicaEqualContext &context) {
  if (node == kAll)
    return;
  ReplicaPartition finer = context.partitions.meet(values[node], partition);
  if (finer == values[node])
    return;
  values[node] = finer;
  dirty.set(node);
}

void EquationGraph::evaluate(const Rule &rule, ReplicaEqualContext &context,
                             const ReplicaEqualSemantics &semantics) {
  auto getAll = [&](ArrayRef<Node> nodes) {
    return llvm::map_to_vector<4>(nodes,
                                  [&](Node node) { return values[node]; });
  };
  SmallVector<ReplicaPartition> operands = getAll(rule.operands),
                                states = getAll(rule.states);
  ReplicaPartition meet = context.partitions.getAll();
  for (ArrayRef<ReplicaPartition> inputs :
       {ArrayRef(operands), ArrayRef(states)})
    for (ReplicaPartition input : inputs)
      meet = context.partitions.meet(meet, input);
  ReplicaEqualOutputs outputs;
  outputs.results.assign(rule.results.size(), meet);
  outputs.operands.assign(rule.newOperands.size(), meet);
  outputs.states.assign(rule.newStates.size(), meet);
  semantics.infer(rule.op, {context, operands, states}, outputs);
  auto lowerAll = [&](ArrayRef<Node> nodes, ArrayRef<ReplicaPartition> to) {
    for (auto [node, partition] : llvm::zip_equal(nodes, to))
      lower(node, partition, context);
  };
  lowerAll(rule.results, outputs.results);
  lowerAll(rule.newOperands, outputs.operands);
  lowerAll(rule.newStates, outputs.states);
}

void EquationGraph::solve(ReplicaEqualContext &context,
                          const ReplicaEqualSemantics &semantics) {
  indexUsers();
  values.assign(numNodes, context.partitions.getAll());
  dirty.clear();
  dirty.resize(numNodes);
  for (auto [node, partition] : refinements)
    lower(node, partition, context);
  for (auto [node, rule] : nodeRules)
    dirty.set(node);
  for (int node = dirty.find_first(); node != -1;) {
    dirty.reset(node);
    if (ruleOf[node] != kNoRule)
      evaluate(rules[ruleOf[node]], context, semantics);
    for (unsigned i = firstUser[node]; i < firstUser[node + 1]; ++i) {
      if (ruleOf[users[i]] != kNoRule)
        dirty.set(users[i]);
      else
        lower(users[i], values[node], context);
    }
    node = dirty.find_next(node);
    if (node == -1)
      node = dirty.find_first();
  }
}
