//===- LintIgnoredShardings.h - Lint of ignored shardings -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_LINTIGNOREDSHARDINGS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_LINTIGNOREDSHARDINGS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::sdy {

/// Warns about shardings in `module` that no pass reads: those in another
/// notation than that of the sdy dialect, those under a wrong name, and those
/// of values whose sharding is elsewhere. Emits one warning for each kind, at
/// the first op that has it.
void lintIgnoredShardings(ModuleOp module);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_IMPORT_LINTIGNOREDSHARDINGS_H
