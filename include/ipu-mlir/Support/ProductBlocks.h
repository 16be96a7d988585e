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

/// The sizes of a matmul or convolution. Each output of the op is a sum of
/// products. All sizes are positive.
struct SumsOfProducts {
  /// A spatial dimension of a convolution.
  struct Window {
    int64_t input, kernel, stride, dilation;
    /// The number of windows.
    int64_t count;
  };
  /// The number of matrices in a batch, or the number of groups of a
  /// convolution.
  int64_t groups = 1;
  /// The number of rows of a matrix, or the number of images.
  int64_t rows = 1;
  /// The number of columns of a matrix, or the number of output channels in a
  /// group.
  int64_t columns = 1;
  /// The number of addends that an output has at one kernel position: the depth
  /// of a matmul, or the number of input channels in a group.
  int64_t terms = 1;
  llvm::SmallVector<Window> windows = {};
  /// The number of bytes of an element of the operands, at most 4.
  int64_t elementBytes = 4;
};

/// A block of addends. A block has `terms` addends at each of its kernel
/// positions. `kernel` has the number of these positions along each dimension
/// of the kernel.
struct ProductBlock {
  int64_t terms;
  llvm::SmallVector<int64_t> kernel;
  /// The number of blocks.
  int64_t count = 1;
  /// If the sums of blocks are added in two stages, the number of consecutive
  /// blocks whose sums the first stage adds. If there is only one stage, 0.
  int64_t group = 0;
};

/// Divides `sums` into at most `maxCount` blocks and returns the block of the
/// division with the lowest cost. If the block has all addends, each sum is one
/// chain. The cost consists of two numbers, which are compared in this order:
/// the bytes that do not fit in a tile of a nominal machine, and the cycles on
/// this machine. If the last block along the addends is smaller than the other
/// blocks, the cycles are increased by a sixteenth. If blocks are added in
/// groups, the resulting cycles are increased by a thirty-second. Of divisions
/// with equal costs, the division with the fewest blocks is used.
ProductBlock chooseProductBlock(const SumsOfProducts &sums, int64_t maxCount);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_PRODUCTBLOCKS_H
