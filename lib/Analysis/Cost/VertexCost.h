//===- VertexCost.h - Work of a vertex --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCOST_H
#define IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCOST_H

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"

namespace mlir::ipu {

/// Workers of a tile that take the same time for one vertex.
struct WorkerTask {
  int64_t workers = 0;
  /// Cycles of the context, which issues an instruction in every W-th cycle: W
  /// times the instructions of the worker.
  Count cycles;
};

/// The work of a tile for a vertex: the supervisor starts all workers.
struct VertexTasks {
  Count supervisor;
  /// Longest task first. Together they have all W workers. Empty if the
  /// supervisor leads the workers block by block through a matmul or a
  /// convolution.
  SmallVector<WorkerTask, 3> tasks;
};

/// The work of W workers for a vertex with output elements. Each worker has a
/// share of whole vectors, outputs or indices. The shares differ by at most
/// one.
VertexTasks getVertexTasks(const TargetModel &target, CodeletCostAttr cost,
                           ArrayRef<VertexOperand> inputs,
                           ArrayRef<VertexOperand> outputs);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCOST_H
