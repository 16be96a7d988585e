//===- PlannerKind.h - Kinds of planners ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PLANNERKIND_H
#define IPU_MLIR_PLANNER_PLANNERKIND_H

namespace mlir::ipu {

enum class PlannerKind {
  /// Each tensor has its elements in row-major order over all tiles. If an op
  /// cannot be split in this way, its first legal partition is used.
  Generic,
  /// The planner chooses the tile mappings with the fewest estimated cycles of
  /// the whole program.
  Program,
};

/// The form of the serial parts of an op that differ only in their operands.
enum class SerialPartsKind {
  /// The form with which the program fits better or is faster.
  Best,
  /// Separate ops, each with its own code.
  Ops,
  /// Calls of one function.
  Calls,
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANNERKIND_H
