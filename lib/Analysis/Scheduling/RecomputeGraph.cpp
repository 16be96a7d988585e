//===- RecomputeGraph.cpp - Recomputation in training steps ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Scheduling/RecomputeGraph.h"

#include "LiveRanges.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::ipu;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// TrainingGraph
//===----------------------------------------------------------------------===//

unsigned TrainingGraph::addNode(TrainingNode node) {
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

unsigned TrainingGraph::addValue(int64_t bytes, std::optional<unsigned> node,
                                 std::optional<unsigned> viewOf) {
  unsigned value = values.size();
  values.push_back({bytes, node, viewOf, /*isReturned=*/false});
  if (!node)
    return value;
  nodes[*node].results.push_back(value);
  if (viewOf && *node < numForward && !nodes[*node].isRepeatable)
    if (std::optional<unsigned> producer = values[getStorage(value)].node)
      nodes[*producer].isRepeatable = nodes[*producer].isForced;
  return value;
}

unsigned TrainingGraph::getStorage(unsigned value) const {
  while (values[value].viewOf)
    value = *values[value].viewOf;
  return value;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::vector<TrainingStep> mlir::ipu::getSteps(const TrainingGraph &graph,
                                              const RecomputeChoice &choice,
                                              unsigned first, unsigned last) {
  std::vector<TrainingStep> steps;
  llvm::DenseSet<std::pair<unsigned, unsigned>> copied;
  SmallVector<unsigned> copies;
  for (unsigned number = first; number < last; ++number) {
    unsigned context = graph.nodes[number].context;
    std::optional<int64_t> device = graph.nodes[number].device;
    auto isCopied = [&](unsigned producer) {
      std::optional<int64_t> from = graph.nodes[producer].device;
      return producer < graph.numForward && choice[producer] &&
             (!device || !from || device == from);
    };
    auto addCopiesFor = [&](const TrainingNode &node) {
      for (unsigned operand : node.operands)
        if (std::optional<unsigned> producer = graph.values[operand].node)
          if (isCopied(*producer) && copied.insert({context, *producer}).second)
            copies.push_back(*producer);
    };
    if (number >= graph.numForward) {
      copies.clear();
      addCopiesFor(graph.nodes[number]);
      // The list becomes longer while it is visited.
      size_t next = 0;
      while (next < copies.size())
        addCopiesFor(graph.nodes[copies[next++]]);
      llvm::sort(copies);
      for (unsigned copy : copies)
        steps.push_back({copy, context});
    }
    steps.push_back({number, std::nullopt});
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// Live ranges
//===----------------------------------------------------------------------===//

namespace {
/// A value that has storage, of a node or of a copy.
struct Storage {
  int64_t bytes;
  unsigned first, last;
};

/// The storages of the values that steps use.
class Storages {
public:
  Storages(const TrainingGraph &graph, const LiveRangeRules &rules,
           unsigned numSteps)
      : graph(graph), rules(rules), numSteps(numSteps) {}

  void add(const TrainingStep &step, unsigned position);
  RangeSums getLiveRanges() const;

private:
  using Context = std::optional<unsigned>;
  unsigned find(unsigned value, Context context);
  unsigned findOriginal(unsigned value);
  unsigned define(unsigned value, Context context, bool isCopy,
                  unsigned position);
  unsigned addStorage(unsigned value, bool isCopy, unsigned position);

  const TrainingGraph &graph;
  const LiveRangeRules &rules;
  unsigned numSteps;
  std::vector<Storage> storages;
  /// The storages of values of nodes, and of copies for a context.
  llvm::DenseMap<unsigned, unsigned> originals;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> copies;
};
} // namespace

unsigned Storages::addStorage(unsigned value, bool isCopy, unsigned position) {
  bool isLiveAfter = !isCopy && rules.isLiveAfter(value);
  storages.push_back({rules.getBytes(value, isCopy), position,
                      isLiveAfter ? numSteps - 1 : position});
  return storages.size() - 1;
}

unsigned Storages::findOriginal(unsigned value) {
  if (auto it = originals.find(value); it != originals.end())
    return it->second;
  // No step computes the value.
  unsigned source = graph.getStorage(value);
  auto [it, isNew] = originals.try_emplace(source, storages.size());
  unsigned storage = it->second;
  if (isNew)
    addStorage(source, /*isCopy=*/false, /*position=*/0);
  originals[value] = storage;
  return storage;
}

unsigned Storages::find(unsigned value, Context context) {
  if (context)
    if (auto it = copies.find({*context, value}); it != copies.end())
      return it->second;
  return findOriginal(value);
}

/// Returns the storage of a result of the node or copy at `position`, which
/// reads values of `context`.
unsigned Storages::define(unsigned value, Context context, bool isCopy,
                          unsigned position) {
  const TrainingValue &info = graph.values[value];
  if (!info.viewOf)
    return addStorage(value, isCopy, position);
  const TrainingNode &node = graph.nodes[*info.node];
  bool isKept = llvm::is_contained(node.keptOperands, *info.viewOf);
  return find(*info.viewOf, isKept ? std::nullopt : context);
}

void Storages::add(const TrainingStep &step, unsigned position) {
  const TrainingNode &node = graph.nodes[step.node];
  Context context = step.context;
  if (step.node >= graph.numForward)
    context = node.context;
  auto use = [&](unsigned storage) {
    storages[storage].last = std::max(storages[storage].last, position);
  };
  for (unsigned operand : node.operands)
    use(find(operand, context));
  for (unsigned operand : node.keptOperands)
    use(findOriginal(operand));
  for (unsigned result : node.results) {
    unsigned storage =
        define(result, context, step.context.has_value(), position);
    use(storage);
    if (step.context)
      copies[{*step.context, result}] = storage;
    else
      originals[result] = storage;
  }
}

RangeSums Storages::getLiveRanges() const {
  RangeSums ranges(numSteps);
  for (const Storage &storage : storages)
    ranges.add(storage.first, storage.last, storage.bytes);
  return ranges;
}

RangeSums mlir::ipu::getLiveRanges(const TrainingGraph &graph,
                                   llvm::ArrayRef<TrainingStep> steps,
                                   const LiveRangeRules &rules) {
  Storages storages(graph, rules, steps.size());
  for (auto [position, step] : llvm::enumerate(steps))
    storages.add(step, position);
  return storages.getLiveRanges();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

RecomputeEffect mlir::ipu::measureRecompute(const TrainingGraph &graph,
                                            const RecomputeChoice &choice) {
  std::vector<TrainingStep> steps =
      getSteps(graph, choice, 0, graph.nodes.size());
  auto getBytes = [&](unsigned value, bool) {
    return graph.values[value].bytes;
  };
  auto isLiveAfter = [&](unsigned value) {
    return graph.values[value].isReturned;
  };
  std::vector<int64_t> live =
      getLiveRanges(graph, steps, {getBytes, isLiveAfter}).get();
  RecomputeEffect effect;
  for (auto [step, bytes] : llvm::zip_equal(steps, live)) {
    const TrainingNode &node = graph.nodes[step.node];
    effect.peak = std::max(effect.peak, bytes + node.workspace);
    if (step.context) {
      effect.operations += node.operations;
      ++effect.numCopies;
    }
  }
  return effect;
}
