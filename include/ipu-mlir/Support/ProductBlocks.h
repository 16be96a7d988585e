//===- ProductBlocks.h - Blocks of sums of products -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of blocks for the sums of matmuls and convolutions; see
// docs/dialects/pop.md. The choice is part of the specification, because it
// determines the bits of results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_PRODUCTBLOCKS_H
#define IPU_MLIR_SUPPORT_PRODUCTBLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::ipu {

/// The sizes of a matmul or convolution, as sums of products. All sizes are
/// positive.
struct SumsOfProducts {
  /// A spatial dimension of a convolution.
  struct Window {
    int64_t input, kernel, stride, dilation;
    /// The number of windows.
    int64_t count;
  };
  /// The number of matrices of a batch, or of groups of a convolution.
  int64_t groups = 1;
  /// The number of rows of a matrix, or of images.
  int64_t rows = 1;
  /// The number of columns of a matrix, or of output channels of a group.
  int64_t columns = 1;
  /// The number of addends of an output at one kernel position: the depth of a
  /// matmul, or the number of input channels of a group.
  int64_t terms = 1;
  llvm::SmallVector<Window> windows = {};
  /// The number of bytes of an element of the operands, at most 4.
  int64_t elementBytes = 4;
};

/// A block of addends: a number of addends at one position of the kernel, and a
/// number of positions along each dimension of the kernel.
struct ProductBlock {
  int64_t terms;
  llvm::SmallVector<int64_t> kernel;
  /// The number of blocks.
  int64_t count = 1;
  /// The number of consecutive blocks whose sums are added first, or 0 if all
  /// are added in one stage.
  int64_t group = 0;
};

/// Returns the block of the division of `sums` with the lowest cost: the cycles
/// on a nominal machine and, if the last block along the addends is smaller
/// than the others, a sixteenth more. Blocks that are added in groups cost a
/// thirty-second more than the sum of these. Of equal divisions, it is the one
/// with the fewest blocks; if this is one chain, the block has all addends.
/// There are at most `maxCount` blocks.
ProductBlock chooseProductBlock(const SumsOfProducts &sums, int64_t maxCount);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_PRODUCTBLOCKS_H
