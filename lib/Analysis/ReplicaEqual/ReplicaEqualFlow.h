//===- ReplicaEqualFlow.h - Paths through regions and loops -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Effects of constants on control flow: branches that are never taken, and
// loops that are always entered.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALFLOW_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALFLOW_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ipu::replica_equal {

/// The possible orders of execution of the regions of an op.
struct RegionFlow {
  struct Edge {
    RegionBranchPoint from;
    RegionSuccessor to;
  };

  /// All edges that may be taken. The edges from the op itself come first.
  SmallVector<Edge, 4> edges;
  /// Regions that may be executed again after they were executed.
  llvm::SmallPtrSet<Region *, 2> repeated;
};

/// The possible executions of the regions of `op`. `getConstant` returns the
/// known constants of values.
RegionFlow getRegionFlow(RegionBranchOpInterface op,
                         function_ref<Attribute(Value)> getConstant);

/// Whether `op` is a loop whose body is executed at least once, by its
/// constants.
bool isEntered(Operation *op);

/// Whether `op` is executed in each iteration of `loop`, which contains it.
bool isExecutedEachIteration(Operation *op, Operation *loop);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALFLOW_H
