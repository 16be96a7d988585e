//===- RowTransfers.h - Transfers of rows of remote buffers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_ROWTRANSFERS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_ROWTRANSFERS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns whether `op` may access the row of `transfer`, a `pop.remote_load`
/// or `pop.remote_store`, so that they must not change their order. This holds
/// for all calls.
bool mayConflict(Operation *op, Operation *transfer);

/// Moves loads of `buffer` in `block` up to earlier loads of the buffer, and
/// stores down to later stores, if there are at most `distance` ops between
/// them, and if no op in between depends on the order.
void gatherTransfers(Block *block, StringRef buffer, int64_t distance);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_STREAMING_ROWTRANSFERS_H
