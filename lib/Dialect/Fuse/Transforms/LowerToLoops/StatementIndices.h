//===- StatementIndices.h - Indices of statements ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the indices of the elements that a statement accesses, as affine
// expressions. Dimension k of an expression is the variable of the loop of
// class k.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H

#include "NestContext.h"

namespace mlir::fuse {

/// Returns the value of `axis`, an axis of the tensor of `statement`.
AffineExpr getIndex(const NestContext &context, const Statement &statement,
                    AxisId axis);
/// Returns the indices at which `statement` stores `result` in its buffer.
SmallVector<AffineExpr> getBufferIndices(const NestContext &context,
                                         const Statement &statement,
                                         unsigned result);
/// Returns the indices at which `statement` reads `operand` in the buffer of
/// the operand's tensor, which may be an input.
SmallVector<AffineExpr> getReadIndices(const NestContext &context,
                                       const Statement &statement,
                                       OpOperand &operand);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTINDICES_H
