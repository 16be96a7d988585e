//===- RowAccess.h - Rows that loops store and read -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes loops that carry a tensor and store one row of it in each
// iteration, and loops that read one of these rows in each iteration. A row is
// a slice along one dimension, whose start is affine in the index of the loop.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_ROWACCESS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_ROWACCESS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::pop {

/// Returns the op that stores a row of carried value number `index` of `loop`
/// and yields the result. Returns null if there is none, or if another op of
/// the body uses the carried tensor.
DynamicUpdateOp findRowUpdate(scf::ForOp loop, unsigned index);

/// Returns whether `slice`, an op of the body of a loop with the same bounds as
/// `loop`, reads in each iteration the row that `update` stores in the same
/// iteration of `loop`, and no other iteration stores to this row.
bool readsStoredRow(DynamicSliceOp slice, DynamicUpdateOp update,
                    scf::ForOp loop);

/// Replaces `loop` by a loop that does not carry the values in `dropped`, which
/// has a bit for each argument of the body. The results and arguments of these
/// values must have no uses but in the terminator. Erases initial values that
/// are not used any more. Returns the new loop.
scf::ForOp dropCarried(scf::ForOp loop, const llvm::BitVector &dropped);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_ROWACCESS_H
