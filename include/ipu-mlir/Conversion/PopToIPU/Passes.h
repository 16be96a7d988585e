//===- Passes.h - From pop to ipu -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
#define IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ipu {

#define GEN_PASS_DECL
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"

struct PopToIPUPipelineOptions : PassPipelineOptions<PopToIPUPipelineOptions> {
  Option<std::string> entry{*this, "entry",
                            llvm::cl::desc("Function that is the program"),
                            llvm::cl::init("main")};
};

/// From a pop function to a program that `ipu-execute` runs: decompose, map
/// tensors to tiles, make codelets, make exchanges, end lives, estimate costs.
void buildPopToIPUPipeline(OpPassManager &manager,
                           const PopToIPUPipelineOptions &options);

/// Registers it as `pop-to-ipu-pipeline`.
void registerPopToIPUPipelines();

} // namespace mlir::ipu

#endif // IPU_MLIR_CONVERSION_POPTOIPU_PASSES_H
