//===- Interpolation.cpp - Positions and weights of resizing --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpolation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ipu::onnx;

size_t DimTaps::getMaxCount() const {
  size_t count = 1;
  for (const auto &taps : positions)
    count = std::max(count, taps.size());
  return count;
}

/// Returns the position in the input for position `i` of the result. As in
/// onnxruntime, the arithmetic is in f32: it decides which of two elements is
/// the nearest one.
static float getCoordinate(const ResizedDim &dim, Transformation mode,
                           int64_t i) {
  auto position = static_cast<float>(i), scale = dim.scale;
  auto last = static_cast<float>(dim.inputSize - 1);
  switch (mode) {
  case Transformation::HalfPixel:
    return (position + 0.5f) / scale - 0.5f;
  case Transformation::HalfPixelSymmetric: {
    float adjustment = static_cast<float>(dim.outputSize) / dim.outputLength;
    float offset = static_cast<float>(dim.inputSize) / 2 * (1 - adjustment);
    return static_cast<float>(offset + (position + 0.5) / scale - 0.5);
  }
  case Transformation::PytorchHalfPixel:
    return dim.outputSize > 1 ? (position + 0.5f) / scale - 0.5f : 0;
  case Transformation::AlignCorners:
    return dim.outputLength == 1 ? 0 : position * last / (dim.outputLength - 1);
  case Transformation::Asymmetric:
    return position / scale;
  case Transformation::TfHalfPixelForNN:
    return (position + 0.5f) / scale;
  case Transformation::TfCropAndResize:
    break;
  }
  if (dim.outputSize == 1)
    return static_cast<float>(0.5 * (dim.roiStart + dim.roiEnd) * last);
  return dim.roiStart * last + position * (dim.roiEnd - dim.roiStart) * last /
                                   static_cast<float>(dim.outputSize - 1);
}

static int64_t clampIndex(double index, const ResizedDim &dim) {
  return static_cast<int64_t>(
      std::clamp(index, 0.0, static_cast<double>(dim.inputSize - 1)));
}

static int64_t getNearest(float x, NearestMode mode, const ResizedDim &dim) {
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    return clampIndex(std::ceil(x - 0.5), dim);
  case NearestMode::RoundPreferCeil:
    return clampIndex(std::floor(x + 0.5), dim);
  case NearestMode::Floor:
    return clampIndex(std::floor(x), dim);
  case NearestMode::Ceil:
    return clampIndex(std::ceil(x), dim);
  case NearestMode::ByScale:
    return clampIndex(dim.scale < 1 ? std::ceil(x) : std::floor(x), dim);
  }
  llvm_unreachable("unknown mode");
}

/// Returns the weight of an element at `distance` from a position: a triangle
/// for linear interpolation, and Keys' convolution kernel for cubic
/// interpolation.
static double getWeight(const Sampling &sampling, double distance) {
  double d = std::abs(distance), a = sampling.cubicCoefficient;
  if (sampling.mode == Interpolation::Linear)
    return std::max(1 - d, 0.0);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// Returns the taps of position `x` of the input. An element beyond an end of
/// the input is the element at this end or, with `exclude_outside`, no tap.
static SmallVector<Tap, 4> interpolate(const Sampling &sampling,
                                       const ResizedDim &dim, double x) {
  // A filter that is as wide as the distance of the results removes the
  // frequencies that the result cannot have.
  double stretch =
      sampling.antialias ? std::min(static_cast<double>(dim.scale), 1.0) : 1;
  double support = (sampling.mode == Interpolation::Linear ? 1 : 2) / stretch;
  SmallVector<Tap, 4> taps;
  double sum = 0;
  for (double i = std::ceil(x - support); i <= x + support; ++i) {
    double weight = getWeight(sampling, (i - x) * stretch);
    int64_t index = clampIndex(i, dim);
    if (weight == 0 ||
        (sampling.excludeOutside && static_cast<double>(index) != i))
      continue;
    sum += weight;
    if (!taps.empty() && taps.back().index == index)
      taps.back().weight += weight;
    else
      taps.push_back({index, weight});
  }
  if (sum == 0)
    return {{clampIndex(std::round(x), dim), 1}};
  for (Tap &tap : taps)
    tap.weight /= sum;
  return taps;
}

DimTaps ipu::onnx::getTaps(const Sampling &sampling, const ResizedDim &dim) {
  DimTaps taps;
  for (int64_t i = 0; i < dim.outputSize; ++i) {
    float x = getCoordinate(dim, sampling.transformation, i);
    // A region of very large numbers may give NaN, which is outside, too.
    bool isInside = x >= 0 && x <= static_cast<float>(dim.inputSize - 1);
    bool isOutside = sampling.extrapolates() && !isInside;
    taps.isOutside.push_back(isOutside);
    if (isOutside)
      taps.positions.push_back({{0, 1}});
    else if (sampling.mode == Interpolation::Nearest)
      taps.positions.push_back({{getNearest(x, sampling.nearestMode, dim), 1}});
    else
      taps.positions.push_back(interpolate(sampling, dim, x));
  }
  if (!llvm::is_contained(taps.isOutside, true))
    taps.isOutside.clear();
  return taps;
}
