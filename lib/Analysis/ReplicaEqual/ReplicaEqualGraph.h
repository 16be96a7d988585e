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

/// A tensor at a time.
using Node = unsigned;

/// The node that is equal on all replicas, and stays so.
constexpr Node kAll = 0;

/// What made a node finer: the partition that it got, and the node that it got
/// it from, or `kAll` if that is a refinement or what a rule gives for equal
/// inputs.
struct Lowering {
  Node node, cause;
  ReplicaPartition partition;
  /// The op that the refinement is for.
  Operation *source;
  /// The lowering of the node before this one, plus 1; 0 if there is none.
  unsigned previous;
};

/// Two replicas that are not known to be equal in a node.
struct Difference {
  Node node;
  int64_t first, second;
};

/// What is blamed for a difference: the first of these that makes it.
enum class Blame : unsigned {
  /// What the program says.
  Program,
  /// A call that may do anything to memory.
  UnknownCall,
  /// State that anything in memory may be from.
  UnknownState,
  /// An op that refines what it makes, as one that rounds with seeds of its own
  /// does because what it gets differs.
  OpItself,
};

/// An op whose outputs follow from its inputs by its own rule.
struct Rule {
  ReplicaEqualOpInterface op;
  SmallVector<Node, 2> operands, states;
  /// Outputs that nothing uses are `kAll`.
  SmallVector<Node, 2> results, newOperands, newStates;
};

/// Nodes that became finer, in ascending order from the one that is visited,
/// and then from the first again.
class NodeQueue {
public:
  void clear(unsigned numNodes) {
    words.assign(numNodes / kWordBits + 1, 0);
    // One more, so that the word after the last one has a bit.
    summary.assign(words.size() / kWordBits + 1, 0);
    last = kAll;
  }
  void insert(Node node) {
    unsigned word = node / kWordBits;
    words[word] |= uint64_t(1) << node % kWordBits;
    summary[word / kWordBits] |= uint64_t(1) << word % kWordBits;
  }
  /// Removes the next node; nothing if there is none, which starts anew.
  std::optional<Node> pop();

private:
  static constexpr unsigned kWordBits = 64;

  /// The first word that is not 0 from `begin` on.
  std::optional<unsigned> findWord(unsigned begin) const;

  /// A bit for each node, and one for each word of these.
  std::vector<uint64_t> words, summary;
  /// `kAll`, which is never contained, before the first one.
  Node last = kAll;
};

/// Nodes are the meet of their inputs, of what they are refined by, and of what
/// rules give for them. Solved for the coarsest partitions.
class EquationGraph {
public:
  Node addNode() {
    origins.push_back(origin);
    return numNodes++;
  }
  /// The same node, or one that stands for it, made for the op at hand.
  Node addOwn(Node node);
  /// The op that nodes are made for from now on; returns that of before.
  Operation *setOrigin(Operation *op) { return std::exchange(origin, op); }
  /// The meet of nodes; one of them if the others do nothing.
  Node addMeet(ArrayRef<Node> inputs);
  void addInput(Node node, Node input) {
    if (input == kAll || input == node)
      return;
    assert(node != kAll && "never gets finer");
    edges.emplace_back(input, node);
  }
  /// The same, from what a call passes to what the function gets.
  void addCallInput(Node node, Node input) {
    if (input != kAll && input != node)
      edges.emplace_back(input, node | kFromCall);
  }
  /// The same, from the end of a run to the start of the next one.
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

  /// Solves what holds in the first run if functions get nothing from calls,
  /// then if they get what calls pass by then, and so on; then the same for the
  /// first two runs, and so on. After each step `afterStep` gets the nodes that
  /// it made finer. Then solves again, if that matters, in the order in which
  /// refinements are blamed, for the same partitions.
  void solve(ReplicaEqualContext &context,
             const ReplicaEqualSemantics &semantics,
             function_ref<void(ArrayRef<Lowering>)> afterStep);
  ReplicaPartition get(Node node) const { return values[node]; }
  /// Whether anything may follow from a node; once equations are solved.
  bool isUsed(Node node) const {
    return firstUser[node] != firstUser[node + 1];
  }
  /// The way of a difference: the ops of nodes that it went through, from where
  /// it started to the node at hand.
  SmallVector<ReplicaDifference> trace(Difference difference) const;

private:
  using NextRunUsers = llvm::DenseMap<Node, SmallVector<Node, 1>>;

  void indexUsers();
  /// Makes all nodes equal on all replicas.
  void restart(ReplicaEqualContext &context);
  void applyRefinements(ReplicaEqualContext &context,
                        function_ref<bool(Blame)> isAsked);
  void evaluateRules(ReplicaEqualContext &context,
                     const ReplicaEqualSemantics &semantics);
  /// Solves step by step what follows from the lowerings after the first
  /// `numDone`.
  void solveRuns(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics,
                 const NextRunUsers &nextRunUsers, size_t numDone,
                 function_ref<void(ArrayRef<Lowering>)> afterStep);
  void solveByBlame(ReplicaEqualContext &context,
                    const ReplicaEqualSemantics &semantics,
                    const NextRunUsers &nextRunUsers);
  /// Makes finer what functions get from calls that pass what became finer.
  void passCalls(ReplicaEqualContext &context);
  /// Makes finer all that follows from what became finer, but for what
  /// functions get from calls.
  void propagate(ReplicaEqualContext &context,
                 const ReplicaEqualSemantics &semantics);
  /// Makes a node finer because `cause` has become so or, without that, as
  /// `source` says.
  void lower(Node node, ReplicaPartition partition, Node cause,
             ReplicaEqualContext &context, Operation *source = nullptr);
  /// Makes the outputs of a rule finer for inputs that are all equal, or for
  /// those of `node`.
  void evaluate(const Rule &rule, Node node, ReplicaEqualContext &context,
                const ReplicaEqualSemantics &semantics);
  /// Calls `visit` with the lowerings of a node before `limit`, the last one
  /// first, as long as it returns true.
  void forEachLowering(Node node, unsigned limit,
                       function_ref<bool(unsigned)> visit) const;
  /// The first lowering that made two replicas differ; it is before `limit`.
  unsigned findLowering(const Difference &difference, unsigned limit) const;
  /// Replicas that differed in an input of a rule before `limit`: those of
  /// `difference` if there is such an input.
  std::optional<Difference> findInput(const Rule &rule,
                                      const Difference &difference,
                                      unsigned limit) const;

  static constexpr unsigned kNoRule = ~0u;
  /// Marks users that get what a call passes.
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
  /// In the order in which they happened.
  std::vector<Lowering> lowerings;
  /// The last one of each node, plus 1; 0 if there is none.
  std::vector<unsigned> lastLowering;

  // While it is being solved. What calls pass waits in `passed`.
  std::vector<unsigned> firstUser, users, ruleOf;
  std::vector<Node> passed;
  NodeQueue dirty;
};

/// The op that nodes are made for as long as this is alive.
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
