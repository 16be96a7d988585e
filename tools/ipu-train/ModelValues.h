//===- ModelValues.h - Values of variables of a model -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_MODELVALUES_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_MODELVALUES_H

#include "Programs.h"

namespace mlir::ipu::train {

/// Returns the value of `saved` for the model, which may have fewer replicas
/// and other floats than the training. From the values of several replicas, it
/// takes the first one.
HostTensor getModelValue(HostTensor value, const SavedTensor &saved);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_MODELVALUES_H
