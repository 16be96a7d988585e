//===- RowSplits.h - Splits of gathers and scatters -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_ROWSPLITS_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_ROWSPLITS_H

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop::detail {

/// Return the splits of a `pop.gather`, or of a `pop.scatter` that replaces
/// rows, with these sizes.
SmallVector<ipu::TileSplit> getGatherSplits(const GatherSizes &sizes);
SmallVector<ipu::TileSplit> getScatterSplits(const GatherSizes &sizes);

/// Builds the gather of the rows `indices` of `table` in `parts` parts.
Value buildGatherSplit(PopBuilder &b, Value table, Value indices,
                       int64_t numBatch, const ipu::TileSplit &split,
                       int64_t parts);

/// Builds the scatter of `updates` to the rows `indices` of `input` in `parts`
/// parts.
Value buildScatterSplit(PopBuilder &b, ScatterKind kind, Value input,
                        Value indices, Value updates, int64_t numBatch,
                        const ipu::TileSplit &split, int64_t parts);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_INDEXING_ROWSPLITS_H
