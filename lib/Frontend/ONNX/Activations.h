//===- Activations.h - Activation functions ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activation functions that are operators and that the gates of recurrent
// networks also apply. The functions compute in the element type of `x`.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_ACTIVATIONS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_ACTIVATIONS_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// Returns a * x + b.
Value scaleAndShift(Node &node, Value x, double a, double b);

/// Returns x where it is not negative, and alpha * x elsewhere.
Value buildLeakyRelu(Node &node, Value x, double alpha);

/// Returns x where it is greater than alpha, and 0 elsewhere.
Value buildThresholdedRelu(Node &node, Value x, double alpha);

/// Returns x where x is positive, and alpha * (e^(x / scale) - 1) elsewhere.
/// The exponential is only taken of numbers that are not positive: an infinite
/// one would make the gradient NaN.
Value buildElu(Node &node, Value x, double alpha, double scale = 1);

/// Returns alpha * x + beta, bounded to the range from 0 to 1.
Value buildHardSigmoid(Node &node, Value x, double alpha, double beta);

/// Builds ln(1 + e^x) as max(x, 0) + ln(1 + e^-|x|), which does not overflow.
Value buildSoftplus(Node &node, Value x);

/// Builds x / (1 + |x|). With r = 1 / (1 + |x|), this is x * r, whose gradient
/// r - |x| * r^2 cancels for large x, or 1 - r with the sign of x, which
/// cancels for small x. An infinite x is not multiplied by r, because the
/// gradient of this product would be NaN.
Value buildSoftsign(Node &node, Value x);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_ACTIVATIONS_H
