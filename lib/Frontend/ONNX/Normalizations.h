//===- Normalizations.h - ONNX normalisations -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normalisations that several operators share.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_NORMALIZATIONS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_NORMALIZATIONS_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// The value (x - mean) / sqrt(variance + epsilon), and intermediate results of
/// its computation. Without a mean, the variance is the mean of squares.
struct Normalized {
  Value value;
  Value mean;
  Value inverseDeviation;
};

/// Normalises the dimensions of `x` from `axis` on, multiplies the result by
/// `scale` and adds `bias`, which may be null. Statistics are in `precision`
/// or, if it is wider, in the type of `x`.
Normalized normalizeLayer(Node &node, Value x, int64_t axis, Value scale,
                          Value bias, float epsilon, Type precision);

/// Divides `x` by the root of the mean of its squares over the dimensions from
/// `axis` on, and multiplies the result by `scale`.
Normalized normalizeRootMeanSquare(Node &node, Value x, int64_t axis,
                                   Value scale, float epsilon, Type precision);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_NORMALIZATIONS_H
