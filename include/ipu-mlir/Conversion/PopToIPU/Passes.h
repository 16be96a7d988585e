//===- Passes.h - Passes from pop to ipu ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
#define IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H

#include "ipu-mlir/Planner/PlannerKind.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

/// Registers the contracts of the passes of this header, so that
/// `pop::lookupPassContract` finds them.
void registerPopToIPUContracts();

} // namespace mlir::ipu

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
