//===- ExecutedBodies.h - Bodies of functions and loops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a function or of a loop. Each execution of a body executes each
// of its ops at most once, including ops in branches. Ops of loops in the body
// belong to the bodies of these loops.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
#define IPU_MLIR_SUPPORT_EXECUTEDBODIES_H

#include "mlir/IR/Operation.h"

namespace mlir::ipu {

/// Whether the regions of `op` are bodies, which holds for functions and loops.
bool hasExecutedBodies(Operation *op);

/// Visits the ops of `body`, each before those of its branches.
void walkExecutedBody(Region &body, function_ref<void(Operation *)> visit);

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_EXECUTEDBODIES_H
