//===- DrawNumbers.h - Numbers of draws -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::pop {

/// Numbers the draws of ops that may round and have no number, from `first` on,
/// and gives each body that draws an advance at its end unless it has one, if
/// `module` rounds stochastically with generator `counter`. Fails if there are
/// too many.
LogicalResult numberDraws(ModuleOp module, int64_t first = 0);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
