//===- ExecutedBodies.h - Bodies of functions and loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is the body of a function or of a loop. Each execution of a body
// executes each op of the body at most once. The ops in branches belong to the
// body that contains the branches. The ops in a nested loop belong only to the
// body of the nested loop.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
#define IPU_MLIR_SUPPORT_EXECUTEDBODIES_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu {

/// Returns whether the regions of `op` are bodies, which is the case for
/// functions and loops.
bool hasExecutedBodies(Operation *op);

/// Visits the ops of `body`. An op is visited before the ops in its branches.
void walkExecutedBody(Region &body, function_ref<void(Operation *)> visit);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
