//===- Rows.h - Saved values of iterations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the iterations of a loop that gradients need are in buffers, one
// for each value, with a row for each iteration.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H

#include "RegionScope.h"

namespace mlir::pop {

/// A 0-d tensor of i32.
Value buildI32Constant(OpBuilder &b, Location loc, int64_t value);

/// Buffers of `numRows` zeros, or of one, for what is kept.
SmallVector<Value> buildBuffers(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                                int64_t numRows);

/// The buffers with what is kept in row `row`, 0-d.
SmallVector<Value> storeRows(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                             ValueRange buffers, Value row);

/// Reads what was kept from row `row`, right after that is defined; `buffers`
/// are of the forward graph of `scope`, in which the loop is.
void loadRows(ArrayRef<RegionScope::Kept> kept, ValueRange buffers, Value row,
              Scope &scope);

/// Where a loop may iterate more often than its buffers have rows: fails a run
/// in which `count`, 0-d of i32, is more than `limit`.
void buildCountCheck(OpBuilder &b, Location loc, Value count, int64_t limit);

/// Reports that `loop` may have too many iterations to count them in an i32.
LogicalResult reportCount(Operation *loop);

/// A loop from 0 to `count`, which is at most `limit`, or to `limit` if it is
/// null, by 1.
scf::ForOp buildLoop(OpBuilder &b, Location loc, Value count, int64_t limit,
                     ValueRange inits);

/// Zeros for those of `gradients`, of values of `types`, that are null.
void fillGradients(OpBuilder &b, Location loc, TypeRange types,
                   MutableArrayRef<Value> gradients);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
