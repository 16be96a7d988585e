//===- OverlapStrategy.h - Strategies of overlapped transfers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_OVERLAPSTRATEGY_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_OVERLAPSTRATEGY_H

namespace mlir::pop {

/// The loops whose transfers overlap compute.
enum class OverlapStrategy {
  /// The innermost loops with transfers on I/O tiles (OverlapInnerLoop in
  /// PopART).
  Inner,
  /// Also the loops around them (OverlapLoops in PopART).
  Loops,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_OVERLAPSTRATEGY_H
