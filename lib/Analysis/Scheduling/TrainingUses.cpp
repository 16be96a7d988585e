//===- TrainingUses.cpp - Uses of values in training steps ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainingUses.h"

#include "ipu-mlir/Support/RangeSums.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::ipu;

TrainingUses::TrainingUses(const TrainingGraph &graph)
    : graph(graph), forwardStarts(graph.values.size(), graph.numForward),
      forwardEnds(graph.values.size()), backwardUses(graph.values.size()) {
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    for (unsigned operand : node.operands)
      addUse(operand, number);
    for (unsigned operand : node.keptOperands)
      addUse(operand, number);
  }
  RangeSums ranges(graph.numForward + 1);
  for (auto [value, info] : llvm::enumerate(graph.values))
    if (info.node && forwardEnds[value] > *info.node + 1)
      ranges.add(*info.node + 1, forwardEnds[value] - 1, info.bytes);
  liveBytes = ranges.get();
}

void TrainingUses::addUse(unsigned value, unsigned node) {
  unsigned storage = graph.getStorage(value);
  if (node < graph.numForward) {
    forwardStarts[storage] = std::min(forwardStarts[storage], node);
    forwardEnds[storage] = node + 1;
    return;
  }
  if (backwardUses[storage].empty() || backwardUses[storage].back() != node)
    backwardUses[storage].push_back(node);
}

unsigned TrainingUses::findLowestBoundary(unsigned first, unsigned last) const {
  unsigned lowest = first;
  for (unsigned boundary = first; boundary <= last; ++boundary)
    if (liveBytes[boundary] <= liveBytes[lowest])
      lowest = boundary;
  return lowest;
}

bool TrainingUses::isKeptBy(unsigned node, unsigned boundary) const {
  return llvm::any_of(graph.nodes[node].results, [&](unsigned result) {
    return !graph.values[result].viewOf && isLiveAt(result, boundary);
  });
}
