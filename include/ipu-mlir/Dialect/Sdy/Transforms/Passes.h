//===- Passes.h - Passes of the sdy dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES_H
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ipu::sdy {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES_H
