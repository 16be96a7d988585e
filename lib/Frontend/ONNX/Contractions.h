//===- Contractions.h - ONNX products and convolutions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products that are operators, and parts of operators of quantised numbers.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_CONTRACTIONS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_CONTRACTIONS_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// Returns the product of two matrices or of batches of matrices. As in numpy,
/// a vector stands for a matrix of one row or one column, whose dimension the
/// product does not have.
Value multiplyMatrices(Node &node, Value a, Value b);

void importGemm(Node &node);

/// Returns factor * x. Fails if x has integers and the factor has a fraction.
Value scale(Node &node, Value x, float factor);

/// Returns the convolution of `x` that the attributes of Conv describe.
Value convolve(Node &node, Value x, Value weights);

/// Returns `values`, which has an element for each channel, in a shape that
/// broadcasts to `y`. The channels are dimension 1 of `y`.
Value alignToChannels(Node &node, Value values, Value y);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_CONTRACTIONS_H
