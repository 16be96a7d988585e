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

/// Workers of a tile that take the same time over one vertex.
struct WorkerTask {
  int64_t workers = 0;
  /// Of a context, which issues every W-th cycle: W times the worker's own.
  Count cycles;
};

/// A vertex as a tile runs it: the supervisor starts all workers.
struct VertexTasks {
  Count supervisor;
  /// Longest first; together all W workers, or none if the supervisor leads
  /// them block by block through a matmul or a convolution.
  SmallVector<WorkerTask, 3> tasks;
};

/// What W workers do for a vertex with output elements; each has a share of
/// whole vectors, outputs or indices that differs by one at most.
VertexTasks getVertexTasks(const TargetModel &target, CodeletCostAttr cost,
                           ArrayRef<VertexOperand> inputs,
                           ArrayRef<VertexOperand> outputs);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCOST_H
