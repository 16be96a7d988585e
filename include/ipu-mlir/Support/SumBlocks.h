//===- SumBlocks.h - Blocks of sums -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of blocks for reductions without a tree. All code that must add in
// the same order uses this choice; see docs/dialects/pop.md. The constants are
// part of the specification, because they determine the bits of results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_SUMBLOCKS_H
#define IPU_MLIR_SUPPORT_SUMBLOCKS_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace mlir::ipu {

/// The greatest number of positions of a block of a reduction.
constexpr int64_t kReductionBlock = 1024;
/// The number of lanes of a block.
constexpr int64_t kReductionLanes = 16;

/// A reduction is split into approximately this number of blocks, counted over
/// all of its outputs. This is about 22 blocks for each of 1472 tiles.
constexpr int64_t kReductionBlocks = int64_t(1) << 15;
/// The least number of addends of a block, if there are several blocks.
constexpr int64_t kMinBlockTerms = 64;
/// The number of addends of a block is a multiple of this number. For f16, the
/// matrix unit adds this number of products in one step.
constexpr int64_t kBlockGrain = 16;

/// Returns the number of addends of a block if `terms` addends are split into
/// about `blocks` blocks.
inline int64_t getBlockTerms(int64_t terms, int64_t blocks) {
  return llvm::alignTo(llvm::divideCeilSigned(terms, blocks), kBlockGrain);
}

/// Returns the size of the blocks of a reduction: the number of positions in
/// one block. The reduction has `outputs` outputs, and combines `positions`
/// elements for each output.
inline int64_t chooseReductionBlock(int64_t outputs, int64_t positions) {
  int64_t blocks = 1;
  if (outputs >= 1)
    blocks = std::clamp<int64_t>(
        llvm::divideCeilSigned(kReductionBlocks, outputs), 1,
        std::max<int64_t>(positions / kMinBlockTerms, 1));
  int64_t block = std::min(getBlockTerms(positions, blocks), kReductionBlock);
  return blocks == 1 || block >= positions ? kReductionBlock : block;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_SUMBLOCKS_H
