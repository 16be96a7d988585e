//===- ScheduleSteps.h - Conversion of schedule steps -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the verified steps of #fuse.schedule to the loops of a tensor and
// back.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

namespace mlir::fuse {

/// Returns the step `rfactor`, or null if there is none.
const ScheduleStep *findRFactor(ArrayRef<ScheduleStep> steps);
ArrayRef<ScheduleStep> getStepsBeforeRFactor(ArrayRef<ScheduleStep> steps);
/// Returns the steps after `rfactor`; all steps if there is no `rfactor`.
ArrayRef<ScheduleStep> getStepsAfterRFactor(ArrayRef<ScheduleStep> steps);

/// Applies steps, none of which is `rfactor`, to a list of loops. Returns the
/// expressions that it creates.
SmallVector<ExprId> runSteps(Schedule &schedule, ArrayRef<ScheduleStep> steps,
                             SmallVectorImpl<AxisId> &loop);

/// `axis` as an expression of the indices of `root`, from which it is made.
/// Returns null if this requires an extent that is not constant.
AffineExpr getIndexOf(const Schedule &schedule, AxisId axis,
                      ArrayRef<AxisId> root);
bool isIndexOf(const Schedule &schedule, AffineExpr expr, AxisId axis,
               ArrayRef<AxisId> root);

/// Returns the schedule attribute of a tensor, with the steps that create its
/// loops. Returns null if the attribute would be empty.
ScheduleAttr getScheduleAttr(const Schedule &schedule, TensorId tensor);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H
