//===- BlockLoops.h - Loops over blocks of addends --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a codelet whose body is a loop over blocks of consecutive addends, the
// last of which may be shorter, and the vertices of the codelet. The codelets
// of partial sums with a shorter last block have this form.
// Out: a codelet without the loop, in which the number of a block is a
// dimension of all buffers. A vertex has one row for its whole blocks, and one
// row for a shorter block. Blocks do not depend on each other, so no bit
// changes, and rows may be joined, split and fused along all dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_BLOCKLOOPS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_BLOCKLOOPS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// A loop that is all of a codelet's body. Iteration `i` processes the addends
/// [i * block, (i + 1) * block) or, in the last iteration, the addends that are
/// left.
struct BlockLoop {
  int64_t block = 0;
  /// For each argument, the dimension that the loop divides.
  SmallVector<unsigned> dims;
  /// For each argument, whether the dimension contains the addends of all
  /// blocks. Otherwise, it contains one index for each block.
  SmallVector<bool> hasAddends;
};

/// Returns the loop of `codelet`, or std::nullopt if the body has another form.
std::optional<BlockLoop> matchBlockLoop(CodeletOp codelet);

/// Replaces the loop by ops on all blocks. Arguments with addends get one more
/// dimension, the number of the block, before the dimension of addends.
void unrollBlockLoop(CodeletOp codelet, const BlockLoop &loop);

/// Returns the vertices of `group` as vertices of a codelet that
/// unrollBlockLoop() has changed. `codelet` is the number of that codelet, and
/// `definesAll` is its EngineCodelet::definesAll. Returns null if the regions
/// of a vertex do not have the same blocks, or if an output is also an input.
std::shared_ptr<VertexGroup> splitBlocks(const VertexGroup &group,
                                         const BlockLoop &loop,
                                         ArrayRef<unsigned> ranks,
                                         unsigned codelet, bool definesAll);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_BLOCKLOOPS_H
