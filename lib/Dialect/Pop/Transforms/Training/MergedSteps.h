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

/// A part of an optimizer step: consecutive elements of its weight, and of its
/// other tensors that have the shape of the weight.
struct StepPart {
  unsigned step;
  int64_t start, size;
};

/// Divides optimizer steps into groups, each of which is merged into one step.
/// `sizes` are the numbers of elements of the weights of the steps. In the
/// modes Tight and Loose, `threshold` limits the number of elements of a group.
SmallVector<SmallVector<StepPart>>
cutSteps(ArrayRef<int64_t> sizes, UpdateMerging mode, int64_t threshold);

/// Creates an optimizer step before `before` for each of `groups`, except for
/// groups that consist of one whole step. Replaces the results of `steps` by
/// results of the created steps, but does not erase `steps`. `steps` may only
/// differ in their weights, gradients and states. Returns the number of created
/// steps.
unsigned mergeSteps(ArrayRef<OptimizerStepOp> steps,
                    ArrayRef<SmallVector<StepPart>> groups, Operation *before);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_MERGEDSTEPS_H
