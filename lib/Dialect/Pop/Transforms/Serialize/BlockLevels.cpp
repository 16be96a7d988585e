//===- BlockLevels.cpp - Levels of the ops of a block ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLevels.h"

#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

std::vector<unsigned>
mlir::pop::computeLevels(const ScheduleGraph &graph,
                         function_ref<bool(unsigned)> isMember,
                         function_ref<bool(unsigned, unsigned)> canShareLevel) {
  std::vector<unsigned> levels(graph.getNumNodes(), 0);
  for (unsigned node = 0; node < graph.getNumNodes(); ++node)
    for (unsigned before : graph.getNode(node).predecessors) {
      bool isHigher =
          isMember(before) && !(isMember(node) && canShareLevel(before, node));
      levels[node] = std::max(levels[node], levels[before] + isHigher);
    }
  return levels;
}

void mlir::pop::postponeToUses(const ScheduleGraph &graph,
                               function_ref<bool(unsigned)> isMember,
                               std::vector<unsigned> &levels) {
  for (unsigned node = graph.getNumNodes(); node-- > 0;) {
    ArrayRef<unsigned> after = graph.getNode(node).successors;
    if (isMember(node) || after.empty())
      continue;
    auto used = llvm::map_range(after, [&](unsigned i) { return levels[i]; });
    levels[node] = *llvm::min_element(used);
  }
}

Schedule mlir::pop::orderByKeys(const ScheduleGraph &graph,
                                ArrayRef<OrderKey> keys) {
  using Entry = std::pair<OrderKey, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<size_t> numMissing(graph.getNumNodes());
  for (unsigned node = 0; node < graph.getNumNodes(); ++node) {
    numMissing[node] = graph.getNode(node).predecessors.size();
    if (numMissing[node] == 0)
      ready.emplace(keys[node], node);
  }
  Schedule schedule;
  while (!ready.empty()) {
    unsigned node = ready.top().second;
    ready.pop();
    schedule.push_back(node);
    for (unsigned after : graph.getNode(node).successors)
      if (--numMissing[after] == 0)
        ready.emplace(keys[after], after);
  }
  return schedule;
}
