//===- PlannerKind.h - Kinds of planners ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PLANNERKIND_H
#define IPU_MLIR_PLANNER_PLANNERKIND_H

namespace mlir::ipu {

enum class PlannerKind {
  /// The elements of each tensor are spread in row-major order over all tiles.
  /// If an op cannot be split in this way, its first legal partition is used.
  Generic,
  /// The planner chooses tile mappings with which the whole program takes the
  /// fewest estimated cycles.
  Program,
};

/// The form of the serial parts of an op (see docs/planner.md), if these parts
/// differ only in their operands.
enum class SerialPartsKind {
  /// The form with which the program fits better in memory or, if both forms
  /// fit equally well, is faster.
  Best,
  /// Separate ops, each with its own code.
  Ops,
  /// Calls of one function.
  Calls,
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANNERKIND_H
