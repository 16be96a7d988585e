//===- ReplicaEqualGraph.cpp - Equations of partitions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All nodes start as equal on all replicas, and their partitions only get
// finer, so nodes without a difference are never visited. Nodes are visited in
// the order of their creation, which is the order of the program. The visits
// start again as long as a node changes. The arguments of called functions are
// visited only when no other node changes, and values that pass from one run to
// the next are visited only when no function changes. The origin of each change
// is kept, to report where a difference comes from.
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualGraph.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

std::optional<unsigned> NodeQueue::findWord(unsigned begin) const {
  unsigned at = begin / kWordBits;
  uint64_t bits = summary[at] & (~uint64_t(0) << begin % kWordBits);
  while (bits == 0) {
    if (++at == summary.size())
      return std::nullopt;
    bits = summary[at];
  }
  return at * kWordBits + llvm::countr_zero(bits);
}

std::optional<Node> NodeQueue::pop() {
  unsigned word = last / kWordBits;
  // Those after the last one, of which there are none after the last bit.
  uint64_t bits = words[word] & (~uint64_t(1) << last % kWordBits);
  if (bits == 0) {
    std::optional<unsigned> found = findWord(word + 1);
    if (!found)
      found = findWord(0);
    if (!found) {
      last = kAll;
      return std::nullopt;
    }
    word = *found;
    bits = words[word];
  }
  last = word * kWordBits + llvm::countr_zero(bits);
  words[word] &= ~(uint64_t(1) << last % kWordBits);
  if (words[word] == 0)
    summary[word / kWordBits] &= ~(uint64_t(1) << word % kWordBits);
  return last;
}

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
    for (Node each :
         llvm::SmallSetVector<Node, 8>(inputs.begin(), inputs.end()))
      addInput(node, each);
    return node;
  }
  return single;
}

Node EquationGraph::addOwn(Node node) {
  if (node == kAll || origins[node] == origin)
    return node;
  Node own = addNode();
  addInput(own, node);
  return own;
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

void EquationGraph::lower(Node node, ReplicaPartition partition, Node cause,
                          ReplicaEqualContext &context, Operation *source) {
  if (node == kAll)
    return;
  ReplicaPartition finer = context.partitions.meet(values[node], partition);
  if (finer == values[node])
    return;
  values[node] = finer;
  lowerings.push_back({node, cause, finer, source, lastLowering[node]});
  lastLowering[node] = lowerings.size();
  dirty.insert(node);
}

void EquationGraph::evaluate(const Rule &rule, Node node,
                             ReplicaEqualContext &context,
                             const ReplicaEqualSemantics &semantics) {
  auto getAll = [&](ArrayRef<Node> nodes) {
    return llvm::map_to_vector<4>(
        nodes, [&](Node input) { return values[node == kAll ? kAll : input]; });
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
    for (auto [output, partition] : llvm::zip_equal(nodes, to))
      lower(output, partition, node, context);
  };
  lowerAll(rule.results, outputs.results);
  lowerAll(rule.newOperands, outputs.operands);
  lowerAll(rule.newStates, outputs.states);
}

void EquationGraph::propagate(ReplicaEqualContext &context,
                              const ReplicaEqualSemantics &semantics) {
  while (std::optional<Node> node = dirty.pop()) {
    if (ruleOf[*node] != kNoRule)
      evaluate(rules[ruleOf[*node]], *node, context, semantics);
    bool isPassed = false;
    for (unsigned i = firstUser[*node]; i < firstUser[*node + 1]; ++i) {
      if (users[i] & kFromCall)
        isPassed = true;
      else if (ruleOf[users[i]] != kNoRule)
        dirty.insert(users[i]);
      else
        lower(users[i], values[*node], *node, context);
    }
    if (isPassed)
      passed.push_back(*node);
  }
}

void EquationGraph::passCalls(ReplicaEqualContext &context) {
  for (Node node : std::exchange(passed, {}))
    for (unsigned i = firstUser[node]; i < firstUser[node + 1]; ++i)
      if (users[i] & kFromCall)
        lower(users[i] & ~kFromCall, values[node], node, context);
}

void EquationGraph::restart(ReplicaEqualContext &context) {
  values.assign(numNodes, context.partitions.getAll());
  dirty.clear(numNodes);
  lowerings.clear();
  // Most nodes get finer once at most.
  lowerings.reserve(numNodes);
  lastLowering.assign(numNodes, 0);
}

void EquationGraph::applyRefinements(ReplicaEqualContext &context,
                                     function_ref<bool(Blame)> isAsked) {
  for (const Refinement &each : refinements)
    if (isAsked(each.blame))
      lower(each.node, each.partition, kAll, context, each.origin);
}

void EquationGraph::evaluateRules(ReplicaEqualContext &context,
                                  const ReplicaEqualSemantics &semantics) {
  for (const Rule &rule : rules)
    evaluate(rule, kAll, context, semantics);
}

void EquationGraph::solveRuns(
    ReplicaEqualContext &context, const ReplicaEqualSemantics &semantics,
    const NextRunUsers &nextRunUsers, size_t numDone,
    function_ref<void(ArrayRef<Lowering>)> afterStep) {
  for (size_t next = numDone, nextOfRun = numDone;;) {
    propagate(context, semantics);
    size_t end = lowerings.size();
    afterStep(ArrayRef(lowerings).drop_front(next));
    next = end;
    passCalls(context);
    if (lowerings.size() != end)
      continue;
    for (; nextOfRun < end; ++nextOfRun) {
      Node node = lowerings[nextOfRun].node;
      auto found = nextRunUsers.find(node);
      if (found != nextRunUsers.end())
        for (Node user : found->second)
          lower(user, values[node], node, context);
    }
    if (lowerings.size() == end)
      return;
  }
}

/// What differs for a reason that is to be blamed differs before any other
/// reason is looked at, in all runs.
void EquationGraph::solveByBlame(ReplicaEqualContext &context,
                                 const ReplicaEqualSemantics &semantics,
                                 const NextRunUsers &nextRunUsers) {
  restart(context);
  evaluateRules(context, semantics);
  size_t numDone = 0;
  for (Blame blame : {Blame::Program, Blame::UnknownCall, Blame::UnknownState,
                      Blame::OpItself}) {
    applyRefinements(context, [&](Blame other) { return other == blame; });
    solveRuns(context, semantics, nextRunUsers, numDone,
              [](ArrayRef<Lowering>) {});
    numDone = lowerings.size();
  }
}

void EquationGraph::solve(ReplicaEqualContext &context,
                          const ReplicaEqualSemantics &semantics,
                          function_ref<void(ArrayRef<Lowering>)> afterStep) {
  indexUsers();
  NextRunUsers nextRunUsers;
  for (auto [input, node] : nextRunEdges)
    nextRunUsers[input].push_back(node);
  // Calls are compared while all reasons are there.
  restart(context);
  applyRefinements(context, [](Blame) { return true; });
  evaluateRules(context, semantics);
  solveRuns(context, semantics, nextRunUsers, 0, afterStep);
  bool hasOrder = llvm::any_of(refinements, [](const Refinement &each) {
    return each.blame != Blame::Program;
  });
  if (hasOrder && !context.hasFailed())
    solveByBlame(context, semantics, nextRunUsers);
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

void EquationGraph::forEachLowering(Node node, unsigned limit,
                                    function_ref<bool(unsigned)> visit) const {
  for (unsigned next = lastLowering[node]; next != 0;
       next = lowerings[next - 1].previous)
    if (next - 1 < limit && !visit(next - 1))
      return;
}

unsigned EquationGraph::findLowering(const Difference &difference,
                                     unsigned limit) const {
  unsigned found = limit;
  forEachLowering(difference.node, limit, [&](unsigned number) {
    bool differ = !lowerings[number].partition.areEqual(difference.first,
                                                        difference.second);
    if (differ)
      found = number;
    return differ;
  });
  assert(found != limit && "the replicas are equal");
  return found;
}

/// The least replica that is not equal to replica 0, with that.
static std::pair<int64_t, int64_t> findDifferent(ReplicaPartition partition) {
  ArrayRef<int64_t> classes = partition.getClasses();
  return {0, llvm::find_if(classes, [](int64_t of) { return of != 0; }) -
                 classes.begin()};
}

std::optional<Difference> EquationGraph::findInput(const Rule &rule,
                                                   const Difference &difference,
                                                   unsigned limit) const {
  std::optional<Difference> any;
  for (ArrayRef<Node> inputs : {ArrayRef(rule.operands), ArrayRef(rule.states)})
    for (Node input : inputs) {
      ReplicaPartition partition;
      forEachLowering(input, limit, [&](unsigned number) {
        partition = lowerings[number].partition;
        return false;
      });
      if (!partition)
        continue;
      if (!partition.areEqual(difference.first, difference.second))
        return Difference{input, difference.first, difference.second};
      auto [first, second] = findDifferent(partition);
      if (!any)
        any = Difference{input, first, second};
    }
  return any;
}

SmallVector<ReplicaDifference>
EquationGraph::trace(Difference difference) const {
  SmallVector<ReplicaDifference> path;
  auto add = [&](Operation *op) {
    if (op && (path.empty() || path.back().op != op))
      path.push_back({op, difference.first, difference.second});
  };
  unsigned limit = lowerings.size();
  for (std::optional<Difference> next = difference; next;) {
    difference = *next;
    add(origins[difference.node]);
    limit = findLowering(difference, limit);
    const Lowering &lowering = lowerings[limit];
    add(lowering.source);
    if (lowering.cause == kAll)
      break;
    if (ruleOf[lowering.cause] == kNoRule)
      next->node = lowering.cause;
    else
      next = findInput(rules[ruleOf[lowering.cause]], difference, limit);
  }
  std::reverse(path.begin(), path.end());
  return path;
}
