//===- DrawNumbers.h - Numbers of draws -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::pop {

/// If `module` rounds stochastically with generator `counter`: numbers the
/// draws of ops that may round and have no number, from `first` on, and adds an
/// advance to the end of each body that draws and has none. Fails if there are
/// too many draws.
LogicalResult numberDraws(ModuleOp module, int64_t first = 0);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWNUMBERS_H
