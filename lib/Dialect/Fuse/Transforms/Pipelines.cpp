//===- Pipelines.cpp - Pipelines from linalg to loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with functions of linalg ops on tensors. Out: the same functions
// as loops on buffers.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/Pipelines.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "ipu-mlir/Support/ModulePipeline.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

void fuse::buildFusePipeline(OpPassManager &manager,
                             const FusePipelineOptions &options) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  FormPassOptions form;
  form.mode = "cost";
  functions.addPass(createFormPass(form));
  AutoSchedulePassOptions schedule;
  schedule.vectorWidth = options.vectorWidth;
  schedule.reductionOrder = options.reductionOrder;
  schedule.cacheBytes = options.cacheBytes;
  functions.addPass(createAutoSchedulePass(schedule));
  ToLoopsPassOptions loops;
  loops.loops = options.loops;
  // With the identity layout vectors are read, and nothing is copied where
  // results meet arguments. Without it this is as one-shot-bufferize's default.
  loops.layout = options.layout;
  if (options.layout.empty())
    loops.layout = options.bufferize ? "identity" : "dynamic";
  functions.addPass(createToLoopsPass(loops));
  if (!options.bufferize)
    return;
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      loops.layout == "identity"
          ? bufferization::LayoutMapOption::IdentityLayoutMap
          : bufferization::LayoutMapOption::InferLayoutMap;
  // Results of fusions are fresh buffers, those that a loop yields too.
  bufferize.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(createCanonicalizerPass());
}

void fuse::registerFusePipelines() {
  ipu::registerModulePipeline<FusePipelineOptions>(
      "fuse-pipeline", "From linalg on tensors to fused loops on buffers",
      buildFusePipeline);
}
