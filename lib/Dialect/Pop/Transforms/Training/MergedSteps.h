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

/// Consecutive elements of the weight of a step, and of the tensors with the
/// shape of the weight.
struct StepPart {
  unsigned step;
  int64_t start, size;
};

/// Splits steps on weights of `sizes` elements into groups that are merged to
/// one step each. In the modes that use it, `threshold` limits the elements of
/// a group.
SmallVector<SmallVector<StepPart>>
cutSteps(ArrayRef<int64_t> sizes, UpdateMerging mode, int64_t threshold);

/// Creates one step before `before` for each of `groups`, unless the group is
/// an unchanged step, and replaces the results of `steps` by its results.
/// `steps` are not erased. They only differ in weights, gradients and states.
/// Returns the number of created steps.
unsigned mergeSteps(ArrayRef<OptimizerStepOp> steps,
                    ArrayRef<SmallVector<StepPart>> groups, Operation *before);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_MERGEDSTEPS_H
