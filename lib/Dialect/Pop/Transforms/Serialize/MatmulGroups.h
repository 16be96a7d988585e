//===- MatmulGroups.h - Groups of similar matmuls ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULGROUPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULGROUPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// A matmul of a group.
struct GroupedMatmul {
  MatmulOp op;
  /// If this flag is set, the group computes the transposed result: the product
  /// of the transposed `rhs` and the transposed `lhs`.
  bool isTransposed;
};

/// Matmuls of one block, in the order of the program, that do not depend on
/// each other and differ only in their operands, their locations and their
/// draws.
using MatmulGroup = SmallVector<GroupedMatmul>;

/// Returns the order of accumulation of `op` or, if it has none, the order that
/// pop-choose-accumulation chooses.
AccumAttr getOrder(MatmulOp op);

/// Returns the attributes that the matmuls of a group have in common.
DictionaryAttr getCommonAttrs(MatmulOp op);

/// Returns the groups of two or more matmuls of `block`, in the order of the
/// first matmuls. The operands of a matmul in a group have at most `maxBytes`
/// bytes. The groups may be merged one after the other, because no group
/// depends on itself through other groups. Takes almost linear time.
SmallVector<MatmulGroup> findMatmulGroups(Block &block,
                                          const ipu::GraphEffects &effects,
                                          int64_t maxBytes);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_MATMULGROUPS_H
