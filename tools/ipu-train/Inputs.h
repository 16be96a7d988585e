//===- Inputs.h - Inputs of programs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_INPUTS_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_INPUTS_H

#include "Programs.h"

namespace mlir::ipu::train {

/// What the inputs of one run of a program are made from.
struct InputsOfRun {
  ArrayRef<int64_t> rows;
  /// The number of the update, counted from 0, and the seed of the training.
  int64_t update = 0;
  uint64_t seed = 0;
  /// The factor of the sum of losses.
  double factor = 1;
};

/// Returns the inputs of `session` that have no default value.
TensorMap makeInputs(const Session &session, const Dataset &data,
                     const InputsOfRun &run);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_INPUTS_H
