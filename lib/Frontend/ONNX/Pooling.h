//===- Pooling.h - ONNX pools -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_POOLING_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_POOLING_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// Returns the average pool of `x` that the attributes of AveragePool describe.
Value buildAveragePool(Node &node, Value x);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_POOLING_H
