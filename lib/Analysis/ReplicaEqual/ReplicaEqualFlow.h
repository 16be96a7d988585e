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

/// How the regions of an op may be executed.
struct RegionFlow {
  struct Edge {
    RegionBranchPoint from;
    RegionSuccessor to;
  };

  /// All that may be taken, those of the op itself first.
  SmallVector<Edge, 4> edges;
  /// Regions that other regions go to, or they themselves.
  llvm::SmallPtrSet<Region *, 2> repeated;
};

/// How regions of `op` may be executed, by what `getConstant` knows of values.
RegionFlow getRegionFlow(RegionBranchOpInterface op,
                         function_ref<Attribute(Value)> getConstant);

/// Whether `op` is a loop whose body constants say is executed at least once.
bool isEntered(Operation *op);

/// Whether `op` is executed in each iteration of `loop`, which is around it.
bool isExecutedEachIteration(Operation *op, Operation *loop);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALFLOW_H
