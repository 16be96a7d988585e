//===- Programs.h - Programs that benchmarks work on ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_BENCHMARK_PROGRAMS_H
#define IPU_MLIR_BENCHMARK_PROGRAMS_H

#include "ipu-mlir/Executor/Run/Executor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::ipu::benchmark {

/// A context with all dialects; no threads of its own.
std::unique_ptr<MLIRContext> makeContext();

/// Parses `text`; ends the process if it is no module.
OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text);

/// Runs pop-to-ipu-pipeline; ends the process if it fails.
void lower(ModuleOp module);

/// Runs a lowered program on inputs of zeros; ends the process if it fails.
void run(ModuleOp module, EngineKind engine);

/// One product of `size` x `size` matrices.
std::string getMatmul(int64_t size);

/// A 3 x 3 convolution of `channels` channels on images of `side` x `side`.
std::string getConv(int64_t channels, int64_t side);

/// `blocks` blocks of two convolutions and a sum, as in residual networks.
std::string getResidualBlocks(int64_t blocks);

/// An exchange that transposes a matrix between rows on tiles and columns on
/// tiles.
std::string getTransposition(int64_t size);

/// An exchange that gives each tile of a grid its block of an image and the
/// elements around it.
std::string getHalos(int64_t side);

} // namespace mlir::ipu::benchmark

#endif // IPU_MLIR_BENCHMARK_PROGRAMS_H
