//===- AccumulationKind.h - Kinds of accumulation orders --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H

namespace mlir::pop {

enum class AccumulationKind {
  /// Long sums with few results are divided into blocks, and several tiles may
  /// compute blocks of one sum.
  Blocked,
  /// All sums have the default accumulation order of their op, whatever their
  /// extents are.
  Chain,
};

/// The type of the results of blocks of matmuls and convolutions of f16. These
/// results are added in f32 in any case.
enum class PartialsKind { F32, F16 };

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_ACCUMULATIONKIND_H
