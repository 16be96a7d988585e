//===- Rows.h - Saved values of iterations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the iterations of a loop that gradients need are stored in buffers,
// one for each value, with a row for each iteration.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H

#include "RegionScope.h"

namespace mlir::pop {

/// Returns a 0-d tensor of i32.
Value buildI32Constant(OpBuilder &b, Location loc, int64_t value);

/// Buffers for the kept values, with `numRows` rows of zeros.
SmallVector<Value> buildBuffers(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                                int64_t numRows);

/// Stores the kept values in row `row`, a 0-d tensor, of the buffers, and
/// returns the new buffers.
SmallVector<Value> storeRows(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                             ValueRange buffers, Value row);

/// Reads the kept values from row `row`, directly after the definition of
/// `row`. `buffers` belong to the forward graph of `scope`, which contains the
/// loop.
void loadRows(ArrayRef<RegionScope::Kept> kept, ValueRange buffers, Value row,
              Scope &scope);

/// For a loop that may have more iterations than its buffers have rows: fails a
/// run in which `count`, a 0-d i32, is greater than `limit`.
void buildCountCheck(OpBuilder &b, Location loc, Value count, int64_t limit);

/// Reports that `loop` may have too many iterations to count them in an i32.
LogicalResult reportCount(Operation *loop);

/// Returns a loop with step 1 from 0 to `count`, which is at most `limit`, or
/// to `limit` if `count` is null.
scf::ForOp buildLoop(OpBuilder &b, Location loc, Value count, int64_t limit,
                     ValueRange inits);

/// Replaces null in `gradients`, the gradients of values of `types`, by zeros.
void fillGradients(OpBuilder &b, Location loc, TypeRange types,
                   MutableArrayRef<Value> gradients);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
