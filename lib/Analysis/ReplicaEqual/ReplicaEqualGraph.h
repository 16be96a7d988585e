//===- ReplicaEqualGraph.h - Equations of partitions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace mlir::ipu::replica_equal {

/// A tensor at a point of the program. The analysis computes a partition for
/// each node.
using Node = unsigned;

/// The node whose partition has one class of all replicas: it is always equal
/// on all replicas.
constexpr Node kAll = 0;

/// A change of a node to a finer partition, also called a lowering: the node,
/// the node that caused the change, and the new partition. `cause` is `kAll` if
/// a refinement caused the change, or the result of a rule for equal inputs.
struct Lowering {
  Node node, cause;
  ReplicaPartition partition;
  /// The op of the refinement, if a refinement caused the change.
  Operation *source;
  /// The index of the previous lowering of the node, plus 1; 0 if there is
  /// none.
  unsigned previous;
};

/// Two replicas whose values of a node are not known to be equal.
struct Difference {
  Node node;
  int64_t first, second;
};

/// The kinds of reasons for a difference. If several kinds cause a difference,
/// the first of them in this list is reported.
enum class Blame : unsigned {
  /// An op of the program makes replicas differ.
  Program,
  /// A call with unknown effects on memory.
  UnknownCall,
  /// The initial state of a symbol differs, and unknown contents of memory may
  /// include this state.
  UnknownState,
  /// An op makes its own results differ. For example, an op rounds with
  /// different seeds because its inputs differ.
  OpItself,
};

/// An op that itself defines how its outputs depend on its inputs.
struct Rule {
  ReplicaEqualOpInterface op;
  SmallVector<Node, 2> operands, states;
  /// The nodes of the outputs; `kAll` for outputs without uses.
  SmallVector<Node, 2> results, newOperands, newStates;
};

/// A queue of the nodes that became finer. Nodes are visited in ascending order
/// from the current node to the last node, and then from the first node.
class NodeQueue {
public:
  void clear(unsigned numNodes) {
    words.assign(numNodes / kWordBits + 1, 0);
    // pop() calls findWord() with the index after the last element of `words`.
    // Therefore `summary` also needs a bit for this index.
    summary.assign(words.size() / kWordBits + 1, 0);
    last = kAll;
  }
  void insert(Node node) {
    unsigned word = node / kWordBits;
    words[word] |= uint64_t(1) << node % kWordBits;
    summary[word / kWordBits] |= uint64_t(1) << word % kWordBits;
  }
  /// Removes and returns the next node. If the queue is empty, returns
  /// std::nullopt, and the next call starts at the first node.
  std::optional<Node> pop();

private:
  static constexpr unsigned kWordBits = 64;

  /// Returns the index of the first element of `words` from index `begin` on
  /// that is not 0, or std::nullopt if there is none.
  std::optional<unsigned> findWord(unsigned begin) const;

  /// `words` contains a bit for each node. `summary` contains a bit for each
  /// element of `words`, which states whether the element is not 0.
  std::vector<uint64_t> words, summary;
  /// The node that pop() returned last. Before the first call, this is `kAll`,
  /// which is never in the queue.
  Node last = kAll;
};

/// A system of equations for the partitions of nodes. The partition of a node
/// is the meet of the partitions of its inputs, of its refinements, and of the
/// results of rules. A refinement is a partition that an op adds to a node. The
/// solution consists of the coarsest partitions that fulfil the equations.
class EquationGraph {
public:
  Node addNode() {
    origins.push_back(origin);
    return numNodes++;
  }
  /// Returns `node` if it belongs to the current op; otherwise, returns a new
  /// node with the same partition that belongs to the current op.
  Node addOwn(Node node);
  /// Sets the current op, to which new nodes belong. Returns the previous op.
  Operation *setOrigin(Operation *op) { return std::exchange(origin, op); }
  /// Returns a node whose partition is the meet of the partitions of `inputs`.
  /// If `inputs` contains exactly one node besides `kAll`, returns this node;
  /// if it contains none, returns `kAll`; otherwise, returns a new node.
  Node addMeet(ArrayRef<Node> inputs);
  void addInput(Node node, Node input) {
    if (input == kAll || input == node)
      return;
    assert(node != kAll && "never gets finer");
    edges.emplace_back(input, node);
  }
  /// Makes the node `input`, which a call passes, an input of the function's
  /// node `node`.
  void addCallInput(Node node, Node input) {
    if (input != kAll && input != node)
      edges.emplace_back(input, node | kFromCall);
  }
  /// Adds the node `input` at the end of a run as an input of `node` at the
  /// start of the next run.
  void addNextRunInput(Node node, Node input) {
    if (input != kAll && input != node)
      nextRunEdges.emplace_back(input, node);
  }
  void refine(Node node, ReplicaPartition partition,
              Blame blame = Blame::Program) {
    if (!partition.isAll())
      refinements.push_back({node, partition, origin, blame});
  }
  void addRule(Rule rule);

  /// Solves the equations in steps. The first step covers the first run,
  /// without the nodes that calls pass. Each further step adds the nodes that
  /// calls pass, with the partitions that these nodes have after the previous
  /// step, until no node changes. Then the same steps are executed for the
  /// first two runs, and so on. After each step, `afterStep` gets the nodes
  /// that became finer. If there are refinements of several kinds of reasons,
  /// the function finally solves the equations again in the order in which
  /// these kinds are reported. The partitions of both solutions are equal.
  void solve(ReplicaEqualContext &context,
             const ReplicaEqualSemantics &semantics,
             function_ref<void(ArrayRef<Lowering>)> afterStep);
  ReplicaPartition get(Node node) const { return values[node]; }
  /// Returns whether another node may depend on `node`. May be called only
  /// after the equations were solved.
  bool isUsed(Node node) const {
    return firstUser[node] != firstUser[node + 1];
  }
  /// Returns the path of a difference: the ops of the nodes through which the
  /// difference passed, from its origin to the given node.
  SmallVector<ReplicaDifference> trace(Difference difference) const;

private:
  using NextRunUsers = llvm::DenseMap<Node, SmallVector<Node, 1>>;

  void indexUsers();
  /// Resets all nodes to be equal on all replicas.
  void restart(ReplicaEqualContext &context);
  void applyRefinements(ReplicaEqualContext &context,
                        function_ref<bool(Blame)> isAsked);
  void evaluateRules(ReplicaEqualContext &context,
                     const ReplicaEqualSemantics &semantics);
  /// Computes, step by step, the consequences of the lowerings from number
  /// `numDone` on.
  void solveRuns(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics,
                 const NextRunUsers &nextRunUsers, size_t numDone,
                 function_ref<void(ArrayRef<Lowering>)> afterStep);
  void solveByBlame(ReplicaEqualContext &context,
                    const ReplicaEqualSemantics &semantics,
                    const NextRunUsers &nextRunUsers);
  /// Lowers the nodes of functions to which calls pass nodes that became finer.
  void passCalls(ReplicaEqualContext &context);
  /// Lowers all nodes that depend on nodes that became finer, except the nodes
  /// of functions to which calls pass nodes.
  void propagate(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics);
  /// Lowers `node` to the meet of its partition and `partition`. The reason is
  /// that `cause` became finer, or, if `cause` is `kAll`, the op `source`.
  void lower(Node node, ReplicaPartition partition, Node cause,
             ReplicaEqualContext &context, Operation *source = nullptr);
  /// Evaluates a rule and lowers its outputs. If `node` is `kAll`, all inputs
  /// of the rule are taken to be equal on all replicas. Otherwise, `node` is
  /// the node that addRule() created for the rule, and the current partitions
  /// of the inputs are used.
  void evaluate(const Rule &rule, Node node, ReplicaEqualContext &context,
                const ReplicaEqualSemantics &semantics);
  /// Calls `visit` with the number of each lowering of a node, if the number is
  /// less than `limit`. The last lowering is visited first. The function
  /// returns when `visit` returns false.
  void forEachLowering(Node node, unsigned limit,
                       function_ref<bool(unsigned)> visit) const;
  /// Returns the number, less than `limit`, of the first lowering that made the
  /// two replicas of `difference` differ.
  unsigned findLowering(const Difference &difference, unsigned limit) const;
  /// Returns a difference in an input of a rule before the lowering with number
  /// `limit`, or std::nullopt if there is none. A difference between the
  /// replicas of `difference` is preferred.
  std::optional<Difference> findInput(const Rule &rule,
                                      const Difference &difference,
                                      unsigned limit) const;

  static constexpr unsigned kNoRule = ~0u;
  /// A bit that marks a user of a node in `users`: the user is a node of a
  /// function, and a call passes the node to it.
  static constexpr Node kFromCall = Node(1) << 31;

  Node numNodes = 1;
  Operation *origin = nullptr;
  std::vector<Operation *> origins = {nullptr};
  std::vector<std::pair<Node, Node>> edges, nextRunEdges;
  struct Refinement {
    Node node;
    ReplicaPartition partition;
    Operation *origin;
    Blame blame;
  };
  std::vector<Refinement> refinements;
  std::vector<Rule> rules;
  std::vector<std::pair<Node, unsigned>> nodeRules;

  std::vector<ReplicaPartition> values;
  /// All lowerings in chronological order.
  std::vector<Lowering> lowerings;
  /// The index of the last lowering of each node, plus 1; 0 if there is none.
  std::vector<unsigned> lastLowering;

  // The following members are used while the equations are solved. `passed`
  // contains the nodes that became finer and that calls pass; their users are
  // lowered in the next step.
  std::vector<unsigned> firstUser, users, ruleOf;
  std::vector<Node> passed;
  NodeQueue dirty;
};

/// Sets the current op of a graph from the construction of this object to its
/// destruction.
class OriginScope {
public:
  OriginScope(EquationGraph &graph, Operation *op)
      : graph(graph), outer(graph.setOrigin(op)) {}
  ~OriginScope() { graph.setOrigin(outer); }

private:
  EquationGraph &graph;
  Operation *outer;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALGRAPH_H
