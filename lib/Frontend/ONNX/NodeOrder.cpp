//===- NodeOrder.cpp - Needed nodes of a graph and their order ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "llvm/ADT/StringSet.h"
#include <queue>

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::GraphProto;
using proto::NodeProto;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Calls `fn` with each value that `graph` uses and does not define.
static void visitOuterValues(const GraphProto &graph,
                             function_ref<void(StringRef)> fn) {
  llvm::StringSet<> defined;
  for (const auto &input : graph.input())
    defined.insert(input.name());
  for (const auto &initializer : graph.initializer())
    defined.insert(initializer.name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      defined.insert(output);
  auto visit = [&](StringRef value) {
    if (!defined.contains(value))
      fn(value);
  };
  for (const NodeProto &node : graph.node())
    visitOperands(node, visit);
  for (const auto &output : graph.output())
    visit(output.name());
}

void ipu::onnx::visitOperands(const NodeProto &node,
                              function_ref<void(StringRef)> fn) {
  for (const std::string &input : node.input())
    if (!input.empty())
      fn(input);
  visitSubgraphs(node,
                 [&](const GraphProto &graph) { visitOuterValues(graph, fn); });
}

//===----------------------------------------------------------------------===//
// Selection and order
//===----------------------------------------------------------------------===//

namespace {
/// The nodes of one graph, and the nodes that define the operands of a node.
struct NodeGraph {
  using Index = unsigned;

  NodeGraph(const NodeList &nodes)
      : nodes(nodes), operands(nodes.size()), isNeeded(nodes.size()) {}

  LogicalResult findProducers(ImportState &state, const Scope &scope);
  void findProducers();
  void selectNeeded(ArrayRef<StringRef> outputs,
                    function_ref<void(StringRef)> visitValue);
  std::vector<const NodeProto *> sort();
  LogicalResult reportCycle(ImportState &state, const Scope &scope);

  const NodeList &nodes;
  /// The node that defines a value.
  llvm::StringMap<Index> producers;
  /// The nodes that define operands of each needed node. A node is listed once
  /// for each operand.
  std::vector<SmallVector<Index, 2>> operands;
  std::vector<char> isNeeded;
  /// The nodes that sort() has sorted.
  std::vector<char> isSorted;
};
} // namespace

LogicalResult NodeGraph::findProducers(ImportState &state, const Scope &scope) {
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.output())
      if (!output.empty() &&
          (scope.defines(output) || !producers.try_emplace(output, i).second))
        return state.report(ImportOutcome::Invalid,
                            getNodeLoc(state, scope, node))
               << "ONNX node '" << getNodeName(node) << "' (" << node.op_type()
               << "): value '" << output << "' is defined twice";
  return success();
}

/// Takes the first one of several definitions of one value.
void NodeGraph::findProducers() {
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.output())
      producers.try_emplace(output, i);
}

void NodeGraph::selectNeeded(ArrayRef<StringRef> outputs,
                             function_ref<void(StringRef)> visitValue) {
  SmallVector<Index> worklist;
  auto addProducer = [&](StringRef value) -> std::optional<Index> {
    visitValue(value);
    auto it = producers.find(value);
    if (it == producers.end())
      return std::nullopt;
    if (!std::exchange(isNeeded[it->second], true))
      worklist.push_back(it->second);
    return it->second;
  };
  for (StringRef output : outputs)
    addProducer(output);
  while (!worklist.empty()) {
    Index next = worklist.pop_back_val();
    visitOperands(nodes[static_cast<int>(next)], [&](StringRef operand) {
      if (std::optional<Index> producer = addProducer(operand))
        operands[next].push_back(*producer);
    });
  }
}

std::vector<const NodeProto *> NodeGraph::sort() {
  std::vector<SmallVector<Index, 2>> users(nodes.size());
  std::vector<size_t> numMissing(nodes.size());
  // The first node in the list whose operands are all defined comes next.
  // Therefore the order of a sorted list does not change.
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
  for (auto [i, producersOfNode] : llvm::enumerate(operands)) {
    for (Index producer : producersOfNode)
      users[producer].push_back(i);
    numMissing[i] = producersOfNode.size();
    if (isNeeded[i] && numMissing[i] == 0)
      ready.push(i);
  }
  std::vector<const NodeProto *> sorted;
  isSorted.assign(nodes.size(), false);
  while (!ready.empty()) {
    Index next = ready.top();
    ready.pop();
    sorted.push_back(&nodes[static_cast<int>(next)]);
    isSorted[next] = true;
    for (Index user : users[next])
      if (--numMissing[user] == 0)
        ready.push(user);
  }
  return sorted;
}

/// Reports the nodes of one cycle among the needed nodes that are not sorted.
LogicalResult NodeGraph::reportCycle(ImportState &state, const Scope &scope) {
  auto isOpen = [&](Index i) { return isNeeded[i] && !isSorted[i]; };
  // Each of these nodes has an operand that another of these nodes defines.
  Index current = 0;
  while (!isOpen(current))
    ++current;
  SmallVector<Index> path;
  std::vector<char> isOnPath(nodes.size());
  while (!isOnPath[current]) {
    isOnPath[current] = true;
    path.push_back(current);
    current = *llvm::find_if(operands[current], isOpen);
  }
  auto *first = llvm::find(path, current);
  auto getNode = [&](Index i) -> const NodeProto & {
    return nodes[static_cast<int>(i)];
  };
  InFlightDiagnostic diag =
      state.report(ImportOutcome::Invalid,
                   getNodeLoc(state, scope, getNode(current)))
      << "expects an acyclic ONNX graph but these nodes use each other's "
         "results:";
  constexpr ptrdiff_t kMaxNames = 8;
  for (auto *it = first; it != path.end() && it - first < kMaxNames; ++it)
    diag << " '" << getNodeName(getNode(*it)) << "'";
  if (path.end() - first > kMaxNames)
    diag << " ...";
  return diag;
}

SmallVector<StringRef> ipu::onnx::getOutputNames(const GraphProto &graph) {
  SmallVector<StringRef> names;
  for (const proto::ValueInfoProto &output : graph.output())
    names.push_back(output.name());
  return names;
}

std::vector<const NodeProto *>
ipu::onnx::getNeededNodes(const NodeList &nodes, ArrayRef<StringRef> outputs) {
  NodeGraph graph(nodes);
  graph.findProducers();
  graph.selectNeeded(outputs, [](StringRef) {});
  std::vector<const NodeProto *> needed;
  for (auto [i, node] : llvm::enumerate(nodes))
    if (graph.isNeeded[i])
      needed.push_back(&node);
  return needed;
}

FailureOr<SelectedNodes> ipu::onnx::selectNodes(ImportState &state,
                                                const Scope &scope,
                                                const NodeList &nodes,
                                                ArrayRef<StringRef> outputs) {
  NodeGraph graph(nodes);
  if (failed(graph.findProducers(state, scope)))
    return failure();
  SelectedNodes selected;
  graph.selectNeeded(outputs,
                     [&](StringRef value) { selected.values.insert(value); });
  selected.nodes = graph.sort();
  if (selected.nodes.size() !=
      static_cast<size_t>(llvm::count(graph.isNeeded, true)))
    return graph.reportCycle(state, scope);
  return selected;
}
