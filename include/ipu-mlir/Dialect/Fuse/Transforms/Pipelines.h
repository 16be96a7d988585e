//===- Pipelines.h - Pipelines from linalg to loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PIPELINES_H
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::fuse {

/// Options of `fuse-pipeline`. An option of a pass has the same name here.
struct FusePipelineOptions : PassPipelineOptions<FusePipelineOptions> {
  Option<int64_t> vectorWidth{
      *this, "vector-width",
      llvm::cl::desc(
          "Number of vector lanes, a power of two up to 64; 1: no vectors"),
      llvm::cl::init(16)};
  Option<std::string> reductionOrder{
      *this, "reduction-order",
      llvm::cl::desc("Order in which floats are reduced: serial, as in the "
                     "program, or blocked, as in pop"),
      llvm::cl::init("serial")};
  Option<int64_t> cacheBytes{
      *this, "cache-bytes",
      llvm::cl::desc(
          "Largest buffer, in bytes, that the cost model counts as cached"),
      llvm::cl::init(256 * 1024)};
  Option<std::string> loops{
      *this, "loops",
      llvm::cl::desc("Dialect of loops and memory accesses: affine or scf"),
      llvm::cl::init("affine")};
  Option<bool> bufferize{
      *this, "bufferize",
      llvm::cl::desc("Bufferize all tensors of the module afterwards, "
                     "including arguments and results of functions"),
      llvm::cl::init(true)};
  Option<std::string> layout{
      *this, "layout",
      llvm::cl::desc("Layout of function arguments after bufferization: "
                     "dynamic or identity; the default is identity with "
                     "'bufferize' and dynamic without it")};
};

/// Adds passes to `manager` that lower functions of linalg ops on tensors to
/// fused loops on buffers. The passes choose the schedules, and no transform
/// script is needed. The passes are fuse-form{mode=cost}, fuse-auto-schedule
/// and fuse-to-loops on each function of the module, and then
/// one-shot-bufferize, by default with the identity layout.
void buildFusePipeline(OpPassManager &manager,
                       const FusePipelineOptions &options);

/// Registers the pipeline as `fuse-pipeline`.
void registerFusePipelines();

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PIPELINES_H
