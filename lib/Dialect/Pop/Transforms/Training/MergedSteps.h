//===- MergedSteps.h - Merged updates of several weights --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_MERGEDSTEPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_MERGEDSTEPS_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/TrainingOptions.h"

namespace mlir::pop {

/// Consecutive elements of the weight of a step, and of what has its shape.
struct StepPart {
  unsigned step;
  int64_t start, size;
};

/// Splits steps on weights of `sizes` elements into groups, each of which is
/// done as one: of `threshold` elements, if that matters in `mode`.
SmallVector<SmallVector<StepPart>>
cutSteps(ArrayRef<int64_t> sizes, UpdateMerging mode, int64_t threshold);

/// Makes one step before `before` of each of `groups`, unless it is a step as
/// it was, and uses its results instead of those of `steps`, which stay. The
/// steps are equal but for their weights, gradients and states. Returns the
/// number of steps that were made.
unsigned mergeSteps(ArrayRef<OptimizerStepOp> steps,
                    ArrayRef<SmallVector<StepPart>> groups, Operation *before);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_MERGEDSTEPS_H
