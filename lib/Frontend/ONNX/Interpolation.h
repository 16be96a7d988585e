//===- Interpolation.h - Positions and weights of resizing ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scales of a Resize node are known at import. The importer therefore
// computes which elements of the input have which weights in each element of
// the result. Each dimension is resized on its own.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_INTERPOLATION_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_INTERPOLATION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::ipu::onnx {

enum class Interpolation { Nearest, Linear, Cubic };

/// The transformation of positions in the result to positions in the input.
enum class Transformation {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNN,
  TfCropAndResize,
};

enum class NearestMode {
  RoundPreferFloor,
  RoundPreferCeil,
  Floor,
  Ceil,
  /// The rule before opset 11: up if the dimension shrinks, otherwise down.
  ByScale,
};

/// The attributes of a node that apply to all dimensions.
struct Sampling {
  Interpolation mode = Interpolation::Nearest;
  Transformation transformation = Transformation::Asymmetric;
  NearestMode nearestMode = NearestMode::ByScale;
  double cubicCoefficient = -0.75;
  float extrapolationValue = 0;
  bool excludeOutside = false;
  bool antialias = false;

  bool extrapolates() const {
    return transformation == Transformation::TfCropAndResize;
  }
};

/// A dimension that is resized.
struct ResizedDim {
  int64_t axis;
  int64_t inputSize;
  int64_t outputSize;
  float scale;
  /// The size of the result before it is rounded to `outputSize`.
  float outputLength;
  float roiStart = 0;
  float roiEnd = 1;
};

/// An element of the input that contributes to an element of the result.
struct Tap {
  int64_t index;
  double weight;
};

/// The taps of each position of a resized dimension.
struct DimTaps {
  SmallVector<SmallVector<Tap, 4>> positions;
  /// The flag of a position is set if the position is outside of the input, so
  /// that the extrapolation value replaces it. The list is empty if there is no
  /// such position.
  SmallVector<bool> isOutside;

  /// Returns the greatest number of taps of a position, at least 1.
  size_t getMaxCount() const;
};

DimTaps getTaps(const Sampling &sampling, const ResizedDim &dim);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_INTERPOLATION_H
