//===- ScheduleGraphs.h - Random graphs to schedule -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_ANALYSIS_SCHEDULING_SCHEDULEGRAPHS_H
#define IPU_MLIR_UNITTESTS_ANALYSIS_SCHEDULING_SCHEDULEGRAPHS_H

#include "ipu-mlir/Analysis/Scheduling/ScheduleGraph.h"

#include <random>

namespace mlir::ipu {

/// The shape of a random graph.
struct RandomGraphShape {
  unsigned numNodes;
  /// The greatest distance between two nodes with a dependence. A small
  /// distance makes a graph long, and a large one makes it wide.
  unsigned maxDistance;
  /// The greatest number of operands of a node.
  unsigned maxOperands;
};

/// Returns a graph in which each node computes one value. Some values are live
/// at the end, and some nodes need a workspace.
inline ScheduleGraph makeRandomGraph(const RandomGraphShape &shape,
                                     std::mt19937 &random) {
  ScheduleGraph graph;
  std::vector<std::vector<unsigned>> users(shape.numNodes);
  for (unsigned node = 0; node < shape.numNodes; ++node) {
    graph.addNode(/*workspace=*/random() % 4 == 0 ? random() % 50 : 0);
    users[node].push_back(node);
    unsigned numOperands = node == 0 ? 0 : random() % (shape.maxOperands + 1);
    for (unsigned i = 0; i < numOperands; ++i) {
      unsigned operand =
          node - 1 - random() % std::min(node, shape.maxDistance);
      graph.addDependence(operand, node);
      users[operand].push_back(node);
    }
  }
  for (const std::vector<unsigned> &usersOfValue : users) {
    bool isResult = usersOfValue.size() == 1 && random() % 2 == 0;
    graph.addValue(1 + random() % 100, usersOfValue, /*liveBefore=*/false,
                   isResult);
  }
  return graph;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_UNITTESTS_ANALYSIS_SCHEDULING_SCHEDULEGRAPHS_H
