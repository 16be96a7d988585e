//===- LearningRate.h - Learning rates of updates ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_LEARNINGRATE_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_LEARNINGRATE_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::ipu::train {

/// Returns the learning rate of update `number`, counted from 0. It is a
/// constant or has a schedule, which is computed in f32, as on the device.
float getLearningRate(pop::OptimizerAttr optimizer, int64_t number);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_LEARNINGRATE_H
