//===- StepMemoryInterface.h - Memory needs of steps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE_H
#define IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ipu {

class ProblemReader;

/// Attaches StepMemoryOpInterface to the ops of programs of the ipu dialect.
void registerStepMemoryModels(DialectRegistry &registry);

} // namespace mlir::ipu

#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h.inc"

#endif // IPU_MLIR_ANALYSIS_TILEMEMORY_STEPMEMORYINTERFACE_H
