//===- Place.h - Placement of models ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_TOOLS_PLACE_H
#define IPU_MLIR_LIB_TOOLS_PLACE_H

#include "ipu-mlir/Tools/Model.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu::tools {

/// Gives the ops and variables that `specs` name their virtual graphs. Fails if
/// a replica of the target does not have an IPU, if a pattern matches nothing,
/// or if two patterns match one name.
llvm::Error placeNames(ArrayRef<PlaceSpec> specs, ModuleOp module);

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_LIB_TOOLS_PLACE_H
