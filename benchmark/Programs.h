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

/// Returns a context with all dialects and without threads.
std::unique_ptr<MLIRContext> makeContext();

/// Parses `text` as a module. Ends the process on an error.
OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text);

/// Runs pop-to-ipu-pipeline on `module`. Ends the process on an error.
void lower(ModuleOp module);

/// Runs a lowered program whose inputs are zeros. Ends the process on an error.
void run(ModuleOp module, EngineKind engine);

/// Returns a program with one product of `size` x `size` matrices.
std::string getMatmul(int64_t size);

/// Returns a program with a 3 x 3 convolution of `channels` channels on images
/// of `side` x `side`.
std::string getConv(int64_t channels, int64_t side);

/// Returns a program with `blocks` blocks, each of two convolutions and a sum,
/// as in residual networks.
std::string getResidualBlocks(int64_t blocks);

/// Returns a program with an exchange that transposes a matrix: before it, each
/// tile has rows, and after it, each tile has columns.
std::string getTransposition(int64_t size);

/// Returns a program with an exchange that sends each tile of a grid its block
/// of an image and the elements around the block.
std::string getHalos(int64_t side);

} // namespace mlir::ipu::benchmark

#endif // IPU_MLIR_BENCHMARK_PROGRAMS_H
