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

/// An addend of a sum.
struct Addend {
  Value value;
  /// The op of the block after which this addend, and all addends before it in
  /// the list, are available. It is null if they are available at the start of
  /// the block.
  Operation *after;
};

/// Orders `values` by the time at which they become available in `block`: by
/// the pipeline stage, the execution phase and the batch phase of the op that
/// defines a value, and then by the position of this op in the block. Values
/// that no op of the block defines are first. This is the order of PopART's
/// DecomposeSum.
SmallVector<Addend> orderAddends(ValueRange values, Block &block);

/// Returns the later of two ops of one block. If one of them is null, returns
/// the other one.
Operation *getLater(Operation *a, Operation *b);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_ADDENDS_H
