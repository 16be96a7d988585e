//===- Passes.h - Passes on ipu programs ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES_H
#define IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES_H

#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_TRANSFORMS_PASSES_H
