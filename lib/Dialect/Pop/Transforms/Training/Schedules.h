//===- Schedules.h - Values of schedules ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Builds the value of `schedule`, a `tensor<f32>`, for the update with number
/// `update`, a `tensor<f32>` that counts from 0.
Value buildSchedule(OpBuilder &b, Location loc, ScheduleAttr schedule,
                    Value update);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H
