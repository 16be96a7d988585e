//===- DrawNumbers.h - Numbers of draws -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::pop {

/// Does nothing if `module` does not round stochastically or does not use the
/// generator `counter`. Otherwise, numbers the draws of ops that may round and
/// have no draw number; the numbers start at `first`. Adds an advance at the
/// end of each body that draws and has no advance. Fails if there are too many
/// draws.
LogicalResult numberDraws(ModuleOp module, int64_t first = 0);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
