//===- StatementIndices.h - Indices of statements ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are affine expressions. Their dimension k is the loop of the axes of
// class k.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H

#include "NestContext.h"

namespace mlir::fuse {

/// Returns the value of an axis of the statement's tensor.
AffineExpr getIndex(const NestContext &context, const Statement &statement,
                    AxisId axis);
/// Indices of the buffer to which a result is stored.
SmallVector<AffineExpr> getBufferIndices(const NestContext &context,
                                         const Statement &statement,
                                         unsigned result);
/// Indices of the buffer of the tensor that `operand` reads. It may be an
/// input.
SmallVector<AffineExpr> getReadIndices(const NestContext &context,
                                       const Statement &statement,
                                       OpOperand &operand);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H
