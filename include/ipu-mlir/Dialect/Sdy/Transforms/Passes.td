//===- Passes.td - Passes of the sdy dialect ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES

include "ipu-mlir/Dialect/Sdy/Transforms/CallPasses.td"
include "ipu-mlir/Dialect/Sdy/Transforms/ExportPasses.td"
include "ipu-mlir/Dialect/Sdy/Transforms/ImportPasses.td"
include "ipu-mlir/Dialect/Sdy/Transforms/PropagationPasses.td"

#endif // IPU_MLIR_DIALECT_SDY_TRANSFORMS_PASSES
