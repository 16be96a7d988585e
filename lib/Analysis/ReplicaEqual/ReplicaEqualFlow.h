//===- ReplicaEqualFlow.h - Paths through regions and loops -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions determine how constants affect control flow: which branches
// are never taken, and which loops execute at least one iteration.
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

  /// All edges that may be taken. The edges that start at the op itself come
  /// first.
  SmallVector<Edge, 4> edges;
  /// The regions that may be executed more than once in one execution of the
  /// op.
  llvm::SmallPtrSet<Region *, 2> repeated;
};

/// Returns the possible orders of execution of the regions of `op`.
/// `getConstant` returns the constant that a value is known to have, or null.
RegionFlow getRegionFlow(RegionBranchOpInterface op,
                         function_ref<Attribute(Value)> getConstant);

/// Returns whether `op` is a loop whose constant bounds show that its body is
/// executed at least once.
bool isEntered(Operation *op);

/// Returns whether `op` is executed in each iteration of `loop`, which contains
/// `op`.
bool isExecutedEachIteration(Operation *op, Operation *loop);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALFLOW_H
