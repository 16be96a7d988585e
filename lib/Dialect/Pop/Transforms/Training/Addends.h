//===- Addends.h - Addends of sums ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ADDENDS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ADDENDS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::pop {

/// A tensor that is added to a sum.
struct Addend {
  Value value;
  /// The op of the block after which it, and the addends before it, are there;
  /// null if all of them are there at the start of the block.
  Operation *after;
};

/// Orders `values` as they become available in `block`: by the pipeline stage,
/// the execution phase and the part of the batch of what makes them, then by
/// its position in the block. What no op of the block makes comes first. The
/// order is that of PopART's DecomposeSum.
SmallVector<Addend> orderAddends(ValueRange values, Block &block);

/// Of two ops of a block, which may be null, the later one.
Operation *getLater(Operation *a, Operation *b);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ADDENDS_H
