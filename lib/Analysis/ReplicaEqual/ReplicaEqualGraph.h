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

/// A tensor at a point in time.
using Node = unsigned;

/// The node that is always equal on all replicas.
constexpr Node kAll = 0;

/// The reason why a node became finer: its new partition, and the node that
/// caused it. The cause is `kAll` for a refinement and for the result of a rule
/// for equal inputs.
struct Lowering {
  Node node, cause;
  ReplicaPartition partition;
  /// The op of the refinement.
  Operation *source;
  /// The index of the previous lowering of the node, plus 1; 0 if there is
  /// none.
  unsigned previous;
};

/// Two replicas that are not known to be equal in a node.
struct Difference {
  Node node;
  int64_t first, second;
};

/// The kinds of reasons for a difference. The first kind that causes it is
/// reported.
enum class Blame : unsigned {
  /// The program itself.
  Program,
  /// A call with unknown effects on memory.
  UnknownCall,
  /// State that may contain any contents of memory.
  UnknownState,
  /// An op that refines its results itself, such as an op that rounds with
  /// different seeds because its inputs differ.
  OpItself,
};

/// An op whose outputs depend on its inputs by its own rule.
struct Rule {
  ReplicaEqualOpInterface op;
  SmallVector<Node, 2> operands, states;
  /// Outputs without uses are `kAll`.
  SmallVector<Node, 2> results, newOperands, newStates;
};

/// Nodes that became finer. They are visited in ascending order from the
/// current node, and then again from the first.
class NodeQueue {
public:
  void clear(unsigned numNodes) {
    words.assign(numNodes / kWordBits + 1, 0);
    // One word more, so that the word after the last word has a bit.
    summary.assign(words.size() / kWordBits + 1, 0);
    last = kAll;
  }
  void insert(Node node) {
    unsigned word = node / kWordBits;
    words[word] |= uint64_t(1) << node % kWordBits;
    summary[word / kWordBits] |= uint64_t(1) << word % kWordBits;
  }
  /// Removes and returns the next node. None at the end; the queue then starts
  /// again from the first node.
  std::optional<Node> pop();

private:
  static constexpr unsigned kWordBits = 64;

  /// The first word from `begin` on that is not 0.
  std::optional<unsigned> findWord(unsigned begin) const;

  /// A bit for each node, and a bit for each word of these bits.
  std::vector<uint64_t> words, summary;
  /// Before the first node: `kAll`, which is never in the queue.
  Node last = kAll;
};

/// A system of equations. Each node is the meet of its inputs, of its
/// refinements, and of the results of rules. The solution has the coarsest
/// partitions.
class EquationGraph {
public:
  Node addNode() {
    origins.push_back(origin);
    return numNodes++;
  }
  /// The same node, or a new node with the same value, for the current op.
  Node addOwn(Node node);
  /// Sets the op for which nodes are created. Returns the previous op.
  Operation *setOrigin(Operation *op) { return std::exchange(origin, op); }
  /// The meet of nodes; one of the nodes if the others have no effect.
  Node addMeet(ArrayRef<Node> inputs);
  void addInput(Node node, Node input) {
    if (input == kAll || input == node)
      return;
    assert(node != kAll && "never gets finer");
    edges.emplace_back(input, node);
  }
  /// The same, from the node that a call passes to the node of the function.
  void addCallInput(Node node, Node input) {
    if (input != kAll && input != node)
      edges.emplace_back(input, node | kFromCall);
  }
  /// The same, from the end of a run to the start of the next run.
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

  /// Solves the equations in steps: first for the first run, without the inputs
  /// of calls; then with the inputs that calls pass at that point, and so on.
  /// Then the same for the first two runs, and so on. After each step,
  /// `afterStep` gets the nodes that became finer. Finally, if necessary,
  /// solves the equations again in the order in which refinements are reported.
  /// The partitions are the same.
  void solve(ReplicaEqualContext &context,
             const ReplicaEqualSemantics &semantics,
             function_ref<void(ArrayRef<Lowering>)> afterStep);
  ReplicaPartition get(Node node) const { return values[node]; }
  /// Whether any other node may depend on a node. Only after the equations are
  /// solved.
  bool isUsed(Node node) const {
    return firstUser[node] != firstUser[node + 1];
  }
  /// The path of a difference: the ops of the nodes through which it passed,
  /// from its origin to the given node.
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
  /// Computes, step by step, the consequences of the lowerings after the first
  /// `numDone`.
  void solveRuns(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics,
                 const NextRunUsers &nextRunUsers, size_t numDone,
                 function_ref<void(ArrayRef<Lowering>)> afterStep);
  void solveByBlame(ReplicaEqualContext &context,
                    const ReplicaEqualSemantics &semantics,
                    const NextRunUsers &nextRunUsers);
  /// Lowers the inputs of functions whose calls pass nodes that became finer.
  void passCalls(ReplicaEqualContext &context);
  /// Lowers all nodes that depend on nodes that became finer, except inputs of
  /// functions.
  void propagate(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics);
  /// Lowers a node because `cause` became finer or, without a cause, because of
  /// `source`.
  void lower(Node node, ReplicaPartition partition, Node cause,
             ReplicaEqualContext &context, Operation *source = nullptr);
  /// Lowers the outputs of a rule: for inputs that are all equal, or for the
  /// new partition of `node`.
  void evaluate(const Rule &rule, Node node, ReplicaEqualContext &context,
                const ReplicaEqualSemantics &semantics);
  /// Calls `visit` with the lowerings of a node before `limit`, the last one
  /// first, until it returns false.
  void forEachLowering(Node node, unsigned limit,
                       function_ref<bool(unsigned)> visit) const;
  /// The first lowering before `limit` that made two replicas differ.
  unsigned findLowering(const Difference &difference, unsigned limit) const;
  /// Replicas that differed in an input of a rule before `limit`. The replicas
  /// of `difference` are preferred.
  std::optional<Difference> findInput(const Rule &rule,
                                      const Difference &difference,
                                      unsigned limit) const;

  static constexpr unsigned kNoRule = ~0u;
  /// Marks users that are inputs of a function, to which a call passes the
  /// node.
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
  /// In chronological order.
  std::vector<Lowering> lowerings;
  /// The index of the last lowering of each node, plus 1; 0 if there is none.
  std::vector<unsigned> lastLowering;

  // Used while the equations are solved. Nodes that calls pass wait in
  // `passed`.
  std::vector<unsigned> firstUser, users, ruleOf;
  std::vector<Node> passed;
  NodeQueue dirty;
};

/// Sets the op for which nodes are created, as long as this object exists.
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
