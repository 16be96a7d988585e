//===- Schedules.h - Values of schedules ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Builds the value of `schedule` for the update with the number `update`. Both
/// are a `tensor<f32>`, and updates are numbered from 0.
Value buildSchedule(OpBuilder &b, Location loc, ScheduleAttr schedule,
                    Value update);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_SCHEDULES_H
