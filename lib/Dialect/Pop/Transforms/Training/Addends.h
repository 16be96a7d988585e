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
  /// The op of the block after which this addend and all addends before it are
  /// available; null if they are available at the start of the block.
  Operation *after;
};

/// Orders `values` by the time at which they become available in `block`: by
/// the pipeline stage, the execution phase and the part of the batch of their
/// op, then by its position in the block. Values that no op of the block
/// defines come first. This is the order of PopART's DecomposeSum.
SmallVector<Addend> orderAddends(ValueRange values, Block &block);

/// Returns the later of two ops of a block, which may be null.
Operation *getLater(Operation *a, Operation *b);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ADDENDS_H
