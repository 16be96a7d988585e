//===- ReplicaEqualGraph.h - Equations of partitions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu::replica_equal {

/// A tensor at a time.
using Node = unsigned;

/// The node that is equal on all replicas, and stays so.
constexpr Node kAll = 0;

/// An op whose outputs follow from its inputs by its own rule.
struct Rule {
  ReplicaEqualOpInterface op;
  SmallVector<Node, 2> operands, states;
  /// Outputs that nobody asks for are `kAll`.
  SmallVector<Node, 2> results, newOperands, newStates;
};

/// Nodes are the meet of their inputs, of what they are refined by, and of what
/// rules give for them. Solved for the coarsest partitions.
class EquationGraph {
public:
  Node addNode() { return numNodes++; }
  /// The meet of nodes; one of them if the others do nothing.
  Node addMeet(ArrayRef<Node> inputs);
  void addInput(Node node, Node input) {
    if (input == kAll || input == node)
      return;
    assert(node != kAll && "never gets finer");
    edges.emplace_back(input, node);
  }
  void refine(Node node, ReplicaPartition partition) {
    refinements.emplace_back(node, partition);
  }
  void addRule(Rule rule);

  void solve(ReplicaEqualContext &context,
             const ReplicaEqualSemantics &semantics);
  ReplicaPartition get(Node node) const { return values[node]; }

private:
  void indexUsers();
  void lower(Node node, ReplicaPartition partition,
             ReplicaEqualContext &context);
  void evaluate(const Rule &rule, ReplicaEqualContext &context,
                const ReplicaEqualSemantics &semantics);

  static constexpr unsigned kNoRule = ~0u;

  Node numNodes = 1;
  std::vector<std::pair<Node, Node>> edges;
  std::vector<std::pair<Node, ReplicaPartition>> refinements;
  std::vector<Rule> rules;
  std::vector<std::pair<Node, unsigned>> nodeRules;

  // While it is being solved.
  std::vector<ReplicaPartition> values;
  std::vector<unsigned> firstUser, users, ruleOf;
  llvm::BitVector dirty;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H
