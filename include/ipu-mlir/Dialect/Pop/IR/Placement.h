//===- Placement.h - What ops inherit ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H
#define IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H

#include "mlir/IR/Operation.h"

namespace mlir::pop {

/// Gives an op that does a part of what `from` did, in its place, the
/// attributes that say where and how that is done: its tiles and its seeds for
/// rounding. What `to` says itself stays.
void inheritPlacement(Operation *from, Operation *to);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_IR_PLACEMENT_H
