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

/// A number of workers of a tile that all take the same time for one vertex.
struct WorkerTask {
  int64_t workers = 0;
  /// The cycles of a worker. The tile issues an instruction of a worker in
  /// every W-th cycle, where W is the number of workers of the tile. Therefore
  /// the cycles are W times the number of instructions of the worker.
  Count cycles;
};

/// The work of a tile for a vertex. The supervisor, the thread of the tile that
/// controls the workers, starts all workers.
struct VertexTasks {
  Count supervisor;
  /// The work of the workers, longest first. Together, the entries have all W
  /// workers of the tile. The vector is empty if the supervisor controls the
  /// workers block by block during a matmul or a convolution.
  SmallVector<WorkerTask, 3> tasks;
};

/// Returns the work of a tile for a vertex with at least one output element.
/// The kind of `cost` determines the units that are divided among the workers:
/// vectors of output elements, single output elements, or, for a gather,
/// indices. The numbers of units of two workers differ by at most one.
VertexTasks getVertexTasks(const TargetModel &target, CodeletCostAttr cost,
                           ArrayRef<VertexOperand> inputs,
                           ArrayRef<VertexOperand> outputs);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_VERTEXCOST_H
