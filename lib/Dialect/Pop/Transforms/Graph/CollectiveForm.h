//===- CollectiveForm.h - Collectives as columns of a matrix ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives can be merged if each of them has the same result for a matrix
// whose columns are its elements, because the columns of several tensors can be
// concatenated. The rows are the parts of the tensors that replicas exchange:
//
//   op                                      rows of the operand, of the result
//   all_reduce, broadcast, permute          1, 1
//   reduce_scatter of n parts to one        n, 1
//   all_gather of one part to n             1, n
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_COLLECTIVEFORM_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_COLLECTIVEFORM_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

struct CollectiveForm {
  /// The numbers of rows of the operand and of the result, and the number of
  /// columns of both.
  int64_t operandRows, resultRows, columns;
  /// The dimension of the tensors along which they have parts, if they have
  /// any. The matrix has its parts along dimension 0.
  std::optional<int64_t> axis;
};

/// The attribute of a collective that contains this dimension.
constexpr StringLiteral kAxisAttrName = "axis";

/// Returns the form of `op`, or std::nullopt if `op` is no collective that can
/// be merged with others.
std::optional<CollectiveForm> getCollectiveForm(Operation *op);

/// Returns an attribute that is equal for two collectives if they differ only
/// in their columns and in the random bits that they draw. `form` is the form
/// of `op`.
Attribute getCollectiveKey(Operation *op, const CollectiveForm &form);

/// Checks the option `max-bytes` of the pass `pass` on `op`.
LogicalResult verifyMaxBytes(Operation *op, StringRef pass, int64_t maxBytes);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_COLLECTIVEFORM_H
