//===- Rows.h - Saved values of iterations ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores the values of a loop that gradients need (RegionScope::Kept). There is
// one buffer for each value, with a row for each iteration of the loop.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H

#include "RegionScope.h"

namespace mlir::pop {

/// Builds a buffer for each kept value, with `numRows` rows of zeros.
SmallVector<Value> buildBuffers(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                                int64_t numRows);

/// Builds ops that store the kept values in row `row` of the buffers. `row` is
/// a 0-d tensor. Returns the new buffers.
SmallVector<Value> storeRows(OpBuilder &b, ArrayRef<RegionScope::Kept> kept,
                             ValueRange buffers, Value row);

/// Builds ops that read the kept values from row `row` of the buffers, directly
/// after the definition of `row`, and replaces the placeholders by these
/// values. `buffers` are values of the forward graph of `scope`, the scope that
/// contains the loop.
void loadRows(ArrayRef<RegionScope::Kept> kept, ValueRange buffers, Value row,
              Scope &scope);

/// Builds a check that makes a run fail if `count`, a 0-d tensor of i32, is
/// greater than `limit`. It is for loops that may have more iterations than
/// their buffers have rows.
void buildCountCheck(OpBuilder &b, Location loc, Value count, int64_t limit);

/// Emits the error that `loop` may have more iterations than an i32 can count.
/// Returns failure.
LogicalResult reportCount(Operation *loop);

/// Builds a loop with step 1 from 0 to `count` or, if `count` is null, to
/// `limit`. `count` is at most `limit`.
scf::ForOp buildLoop(OpBuilder &b, Location loc, Value count, int64_t limit,
                     ValueRange inits);

/// Replaces each null value in `gradients` by a tensor of zeros. `types` are
/// the types of the values whose gradients these are.
void fillGradients(OpBuilder &b, Location loc, TypeRange types,
                   MutableArrayRef<Value> gradients);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_AUTODIFF_ROWS_H
