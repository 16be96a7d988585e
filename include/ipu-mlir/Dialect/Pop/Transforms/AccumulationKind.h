//===- AccumulationKind.h - Kinds of accumulation orders --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H

namespace mlir::pop {

enum class AccumulationKind {
  /// Long sums of few outputs in blocks, which tiles may share.
  Blocked,
  /// The order of the op's kind, whatever its extents.
  Chain,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
