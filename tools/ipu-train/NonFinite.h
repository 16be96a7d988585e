//===- NonFinite.h - Search for non-finite values ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H

#include "ipu-mlir/Session/Session.h"
#include <optional>
#include <string>

namespace mlir::ipu::train {

/// Describes the first element of a tensor that is NaN or infinite, with its
/// position: `nan at [1, 2]`. Returns std::nullopt if there is none, or if the
/// elements of the tensor are not floats.
std::optional<std::string> describeNonFinite(const HostTensor &tensor);

/// Runs updates `first` to `last`, counted from 0, of a program that stores its
/// tensors (`pop-store-tensors`). The losses of all updates except the last one
/// must be finite. Describes the first tensor with a NaN in the last two
/// updates or, if there is none, the first tensor with an infinite number in
/// the last update. Tensors that have such numbers in earlier updates, such as
/// masks, do not count. Returns an empty string if no tensor is found, or if
/// the program cannot be run.
std::string findNonFinite(Session &session, int64_t first, int64_t last,
                          function_ref<TensorMap(int64_t update)> getInputs);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_NONFINITE_H
