//===- Passes.h - Passes on the pop dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H

#include "ipu-mlir/Dialect/Pop/Transforms/AccumulationKind.h"
#include "ipu-mlir/Dialect/Pop/Transforms/AutodiffOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/BatchOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/CollectiveOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OverlapStrategy.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineSchedule.h"
#include "ipu-mlir/Dialect/Pop/Transforms/RecomputeOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/SerializeOptions.h"
#include "ipu-mlir/Dialect/Pop/Transforms/StreamingSchedule.h"
#include "ipu-mlir/Dialect/Pop/Transforms/TrainingOptions.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::pop {

#define GEN_PASS_DECL
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES_H
