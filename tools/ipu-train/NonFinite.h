//===- NonFinite.h - Search for non-finite values ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H

#include "ipu-mlir/Session/Session.h"
#include <string>

namespace mlir::ipu::train {

/// Runs updates `first` to `last`, counted from 0, of a program that stores its
/// tensors (`pop-store-tensors`). Describes the first tensor with a NaN and the
/// first tensor with an infinite number, in the first update that has a NaN or,
/// if there is none, in the last update. Returns an empty string if all numbers
/// are finite, or if the program cannot be run.
std::string findNonFinite(Session &session, int64_t first, int64_t last,
                          function_ref<TensorMap(int64_t update)> getInputs);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H
