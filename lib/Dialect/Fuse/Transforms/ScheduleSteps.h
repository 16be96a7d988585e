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

/// The step `rfactor`, or null.
const ScheduleStep *findRFactor(ArrayRef<ScheduleStep> steps);
ArrayRef<ScheduleStep> getStepsBeforeRFactor(ArrayRef<ScheduleStep> steps);
/// All steps, if none is `rfactor`.
ArrayRef<ScheduleStep> getStepsAfterRFactor(ArrayRef<ScheduleStep> steps);

/// Runs steps, none of them `rfactor`, on a list of loops. Returns the
/// expressions that it made.
SmallVector<ExprId> runSteps(Schedule &schedule, ArrayRef<ScheduleStep> steps,
                             SmallVectorImpl<AxisId> &loop);

/// `axis` as an expression of the indices of `root`, from which it is made.
/// Null if that needs an extent that is not constant.
AffineExpr getIndexOf(const Schedule &schedule, AxisId axis,
                      ArrayRef<AxisId> root);
bool isIndexOf(const Schedule &schedule, AffineExpr expr, AxisId axis,
               ArrayRef<AxisId> root);

/// The steps that make the loops of a tensor, and what else its attribute says.
/// Null if it says nothing.
ScheduleAttr getScheduleAttr(const Schedule &schedule, TensorId tensor);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_SCHEDULESTEPS_H
