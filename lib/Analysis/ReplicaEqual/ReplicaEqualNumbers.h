//===- ReplicaEqualNumbers.h - Constant and counted numbers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that are constant, and numbers that depend on the iterations of
// loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/Operation.h"

namespace mlir::ipu::replica_equal {

/// The possible values of an integer: `numbers` is a view of them, in any
/// order. Each dimension counts the iterations of a loop around all uses of the
/// integer. The integer has each of its values if each of these loops executes
/// all iterations in each iteration of the next outer loop.
struct NumberRange {
  StridedView numbers;
  /// The loop of each dimension, each loop once; empty for a constant.
  SmallVector<Operation *, 1> loops = {};

  /// The outermost of these loops; null for a constant.
  Operation *getOutermostLoop() const;
};

/// The values of an integer that is never negative; none if they are not known.
std::optional<NumberRange> getNumberRange(Value number);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
