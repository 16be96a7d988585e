//===- SumBlocks.h - Into which blocks sums are cut -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of blocks of docs/dialects/pop.md, for all that has to add in the
// same order. The constants belong to the specification: they decide the bits
// of results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_SUMBLOCKS_H
#define IPU_MLIR_SUPPORT_SUMBLOCKS_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>

namespace mlir::ipu {

/// A block of a reduction has so many positions at most,
constexpr int64_t kReductionBlock = 1024;
/// in so many lanes.
constexpr int64_t kReductionLanes = 16;

/// Sums of products are cut into about as many blocks as make this many with
/// all outputs: some thousand for each tile of the largest machine.
constexpr int64_t kProductBlocks = int64_t(1) << 21;
/// As kProductBlocks for reductions, whose blocks take less time.
constexpr int64_t kReductionBlocks = int64_t(1) << 15;
/// The least number of terms of a block that is not the only one.
constexpr int64_t kMinBlockTerms = 64;
/// The least number of terms of a sum of products that two blocks are worth:
/// where outputs are that many, tiles have enough to do.
constexpr int64_t kMinTermsOfTwoBlocks = 512;
/// Blocks are whole steps of the machine's matrix unit.
constexpr int64_t kBlockGrain = 16;

/// In how many blocks sums of `terms` terms are cut, of which there are
/// `outputs`, if all together should have about `target` blocks.
inline int64_t chooseNumBlocks(int64_t outputs, int64_t terms, int64_t target) {
  if (outputs < 1)
    return 1;
  return std::clamp<int64_t>(llvm::divideCeilSigned(target, outputs), 1,
                             std::max<int64_t>(terms / kMinBlockTerms, 1));
}

/// As chooseNumBlocks, of sums of products.
inline int64_t chooseNumProductBlocks(int64_t outputs, int64_t terms) {
  int64_t blocks = chooseNumBlocks(outputs, terms, kProductBlocks);
  return blocks == 2 && terms < kMinTermsOfTwoBlocks ? 1 : blocks;
}

/// The terms of a block if `terms` terms are cut into about `blocks` blocks.
inline int64_t getBlockTerms(int64_t terms, int64_t blocks) {
  return llvm::alignTo(llvm::divideCeilSigned(terms, blocks), kBlockGrain);
}

/// The block of a reduction of `positions` elements for each output.
inline int64_t chooseReductionBlock(int64_t outputs, int64_t positions) {
  int64_t blocks = chooseNumBlocks(outputs, positions, kReductionBlocks);
  int64_t block = std::min(getBlockTerms(positions, blocks), kReductionBlock);
  return blocks == 1 || block >= positions ? kReductionBlock : block;
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_SUMBLOCKS_H
