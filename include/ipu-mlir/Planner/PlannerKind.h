//===- PlannerKind.h - Kinds of planners ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PLANNERKIND_H
#define IPU_MLIR_PLANNER_PLANNERKIND_H

namespace mlir::ipu {

enum class PlannerKind {
  /// Each tensor's elements in their order over all tiles or, where an op
  /// cannot be split so, its first legal partition.
  Generic,
  /// For the fewest estimated cycles of the whole program.
  Program,
};

/// What serial parts of an op that are equal but for their operands become.
enum class SerialPartsKind {
  /// What the program is better with.
  Best,
  /// Ops, each with code of its own.
  Ops,
  /// Calls of one function.
  Calls,
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANNERKIND_H
