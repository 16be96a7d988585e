//===- ReplicaEqualNumbers.h - Constant and counted numbers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers that are constant, and numbers that follow from the iterations of
// loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/Operation.h"

namespace mlir::ipu::replica_equal {

/// What an integer is: `numbers` shows its values, in any order. Each dimension
/// counts the iterations of a loop around all uses of the integer, which is
/// every one of its values when each of these loops makes all iterations in
/// each iteration of the next outer one.
struct NumberRange {
  StridedView numbers;
  /// The loop of each dimension, no loop twice; none for a constant.
  SmallVector<Operation *, 1> loops = {};

  /// The loop around all others; null for a constant.
  Operation *getOutermostLoop() const;
};

/// The range of an integer that is never negative; nothing if it is not known.
std::optional<NumberRange> getNumberRange(Value number);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALNUMBERS_H
