//===- Passes.h - Passes that ask the planner -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLACEMENT_PASSES_H
#define IPU_MLIR_PLACEMENT_PASSES_H

#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "ipu-mlir/Placement/SplitMethod.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#include "ipu-mlir/Placement/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Placement/Passes.h.inc"

/// Registers the contracts of the passes of this header, so that
/// `pop::lookupPassContract` finds them.
void registerPlacementContracts();

} // namespace mlir::ipu

#endif // IPU_MLIR_PLACEMENT_PASSES_H
