//===- RecurrentActivations.h - Functions of recurrent gates ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The activation functions that the attributes `activations`,
// `activation_alpha` and `activation_beta` of a recurrent network name.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// A function that a gate may apply.
struct ActivationKind {
  StringLiteral name;
  /// The number of parameters: 1 is alpha, and 2 are alpha and beta.
  unsigned numParameters;
  /// The defaults are those of the operator with this name. A parameter without
  /// a default must be given.
  std::optional<float> alpha, beta;
  Value (*build)(Node &node, Value x, double alpha, double beta);
};

/// A function and the values of its parameters.
struct Activation {
  const ActivationKind *kind;
  float alpha = 0, beta = 0;

  Value build(Node &node, Value x) const {
    return kind->build(node, x, alpha, beta);
  }
  bool operator==(const Activation &other) const {
    return kind == other.kind && alpha == other.alpha && beta == other.beta;
  }
};

/// Returns the function that `name`, in upper or lower case, names. Fails if
/// there is none.
const ActivationKind &getActivationKind(Node &node, StringRef name);

/// Returns the functions that the attributes name, first those of the first
/// direction. Without attributes, each of `numDirections` has the functions
/// `defaults`.
SmallVector<Activation> getActivations(Node &node, ArrayRef<StringRef> defaults,
                                       int64_t numDirections);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_RECURRENTACTIVATIONS_H
