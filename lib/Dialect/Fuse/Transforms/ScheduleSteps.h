//===- ScheduleSteps.h - Conversion of schedule steps -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the verified steps of #fuse.schedule to the loops of a tensor, and
// the loops of a tensor to steps.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

namespace mlir::fuse {

/// Returns the `rfactor` step in `steps`, or null if there is none.
const ScheduleStep *findRFactor(ArrayRef<ScheduleStep> steps);
ArrayRef<ScheduleStep> getStepsBeforeRFactor(ArrayRef<ScheduleStep> steps);
/// Returns the steps after the `rfactor` step, or all steps if there is no
/// `rfactor` step.
ArrayRef<ScheduleStep> getStepsAfterRFactor(ArrayRef<ScheduleStep> steps);

/// Applies `steps`, none of which may be an `rfactor` step, to the list `loop`.
/// Returns the created expressions.
SmallVector<ExprId> runSteps(Schedule &schedule, ArrayRef<ScheduleStep> steps,
                             SmallVectorImpl<AxisId> &loop);

/// Returns the value of `axis`, which is made from the axes `root`. Dimension i
/// of this expression is the value of root[i]. Returns null if the expression
/// depends on an extent that is not constant.
AffineExpr getIndexOf(const Schedule &schedule, AxisId axis,
                      ArrayRef<AxisId> root);
bool isIndexOf(const Schedule &schedule, AffineExpr expr, AxisId axis,
               ArrayRef<AxisId> root);

/// Returns the schedule attribute of `tensor`, which contains the steps that
/// create its loops. Returns null if the attribute would be empty.
ScheduleAttr getScheduleAttr(const Schedule &schedule, TensorId tensor);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H
