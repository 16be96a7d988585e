//===- SaveModuleOp.h - Dumps of modules ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SAVEMODULEOP_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SAVEMODULEOP_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::sdy {

/// Writes `module` to the file `stage`.mlir in `directory`, which is created if
/// necessary. Fails, with a diagnostic, if this is not possible.
LogicalResult dumpModule(ModuleOp module, StringRef directory, StringRef stage);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SAVEMODULEOP_H
