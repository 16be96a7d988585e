//===- ReplicaEqualNumbers.h - Constant and counted numbers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions find the possible values of integers that are constant or
// that depend on the iterations of loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/Operation.h"

namespace mlir::ipu::replica_equal {

/// The possible values of an integer. The elements of the view `numbers` are
/// these values, in any order. Each dimension of the view counts the iterations
/// of a loop that contains all uses of the integer. If each of these loops
/// executes all its iterations in each iteration of the next outer loop, the
/// integer takes all of the values.
struct NumberRange {
  StridedView numbers;
  /// The loop of each dimension. All loops are different. Empty for a constant.
  SmallVector<Operation *, 1> loops = {};

  /// Returns the outermost of the loops, or null for a constant.
  Operation *getOutermostLoop() const;
};

/// Returns the possible values of `number`. Returns std::nullopt if they are
/// not known or if one of them is negative.
std::optional<NumberRange> getNumberRange(Value number);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
