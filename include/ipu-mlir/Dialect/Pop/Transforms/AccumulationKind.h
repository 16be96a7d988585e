//===- AccumulationKind.h - Kinds of accumulation orders --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H

namespace mlir::pop {

enum class AccumulationKind {
  /// Blocks, which tiles may share, for long sums with few results.
  Blocked,
  /// The accumulation order of the kind of the op, for all extents.
  Chain,
};

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
