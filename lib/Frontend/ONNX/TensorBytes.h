//===- TensorBytes.h - Bytes of tensors -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_TENSORBYTES_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_TENSORBYTES_H

#include "Proto.h"

namespace mlir::ipu::onnx {

/// Returns the bytes of the elements of a tensor, as getTensor() reads them. A
/// bool takes one byte. If the tensor cannot be read, returns std::nullopt and
/// sets `error`.
std::optional<std::vector<char>>
readTensorBytes(const proto::TensorProto &tensor, ExternalFiles *files,
                MLIRContext *context, TensorError &error);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_TENSORBYTES_H
