//===- ExecutedBodies.h - Bodies of functions and loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is the body of a function or of a loop. Each execution of a body
// executes each of its ops at most once, including ops in branches. The ops of
// loops in the body belong to the bodies of these loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
#define IPU_MLIR_SUPPORT_EXECUTEDBODIES_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu {

/// Returns whether the regions of `op` are bodies, which is the case for
/// functions and loops.
bool hasExecutedBodies(Operation *op);

/// Visits the ops of `body`. Each op is visited before the ops in its branches.
void walkExecutedBody(Region &body, function_ref<void(Operation *)> visit);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
