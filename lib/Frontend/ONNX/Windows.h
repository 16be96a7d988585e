//===- Windows.h - Sliding windows of ONNX operators ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_WINDOWS_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_WINDOWS_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// The attributes that convolutions and pools share, with one value for each
/// spatial dimension.
struct Windows {
  SmallVector<int64_t> kernel, strides, dilations;
  /// The pads before each dimension, then the pads after each dimension.
  SmallVector<int64_t> pads;

  size_t getNumDims() const { return kernel.size(); }
  /// Returns the number of elements from the first to the last element of a
  /// window in dimension `i`.
  int64_t getExtent(size_t i) const {
    return dilations[i] * (kernel[i] - 1) + 1;
  }
};

/// The padding that the attribute `auto_pad` requires.
enum class AutoPad { NotSet, SameUpper, SameLower, Valid };
AutoPad getAutoPad(Node &node);

/// Reads and checks the attributes of windows with the sizes `kernel`, except
/// the pads.
Windows getWindows(Node &node, ArrayRef<int64_t> kernel);

/// Checks that `x` is [N, C, spatial...] with one to three spatial dimensions.
void checkSpatial(Node &node, Value x);

/// Checks and returns the attributes of a convolution, except the pads.
Windows getConvWindows(Node &node, Value x, Value weights);

/// Adds the bias, operand `input`, to `y`: one value for each channel. Returns
/// `y` if the node has no bias.
Value addBias(Node &node, Value y, size_t input);

/// Sets the pads from the attributes `pads` or `auto_pad`.
void setPads(Node &node, ArrayRef<int64_t> spatial, Windows &windows);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_WINDOWS_H
