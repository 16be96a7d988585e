//===- CompareTensors.cpp - Comparison of host tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/CompareTensors.h"

#include "ipu-mlir/Host/HostElements.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// How far one element is from what is expected.
struct ElementError {
  double abs = 0;
  double rel = 0;
  /// |e|, for the relative tolerance.
  double magnitude = 0;
  /// Whether the bits differ, NaNs apart.
  bool differs = false;
};
} // namespace

static double getRelative(double abs, double magnitude) {
  if (abs == 0)
    return 0;
  if (magnitude == 0)
    return std::numeric_limits<double>::infinity();
  return abs / magnitude;
}

static ElementError compareFloats(FloatType type, uint64_t actual,
                                  uint64_t expected) {
  double x = decodeFloat(type, actual), e = decodeFloat(type, expected);
  ElementError error;
  if (std::isnan(x) && std::isnan(e))
    return error;
  error.differs = actual != expected;
  if (x == e) // infinities, and zeros of either sign
    return error;
  if (!std::isfinite(x) || !std::isfinite(e)) {
    error.abs = error.rel = std::numeric_limits<double>::infinity();
    return error;
  }
  error.magnitude = std::fabs(e);
  error.abs = std::fabs(x - e);
  error.rel = getRelative(error.abs, error.magnitude);
  return error;
}

static ElementError compareIntegers(IntegerType type, uint64_t actual,
                                    uint64_t expected) {
  // The difference of any two 64-bit numbers fits 128 bits.
  __int128 x = decodeInteger(type, actual), e = decodeInteger(type, expected);
  ElementError error;
  error.differs = x != e;
  error.abs = static_cast<double>(x < e ? e - x : x - e);
  error.magnitude = static_cast<double>(e < 0 ? -e : e);
  error.rel = getRelative(error.abs, error.magnitude);
  return error;
}

static bool isClose(const ElementError &error, const Tolerance &tolerance) {
  if (error.abs == 0)
    return true;
  return std::isfinite(error.abs) &&
         error.abs <= tolerance.atol + tolerance.rtol * error.magnitude;
}

static SmallVector<int64_t> delinearize(int64_t position,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return index;
}

Comparison mlir::ipu::compareTensors(const HostTensor &actual,
                                     const HostTensor &expected,
                                     std::optional<Tolerance> tolerance) {
  assert(actual.type.getShape() == expected.type.getShape() &&
         actual.data.size() == expected.data.size() &&
         "comparison of tensors of different types");
  // The expectation's type tells the sign of integers.
  Type type = expected.type.getElementType();
  int64_t bytes = getElementBytes(type);
  Comparison result;
  result.numElements = expected.data.size() / bytes;

  for (int64_t i = 0; i < result.numElements; ++i) {
    uint64_t x = loadBits(type, actual.data.data() + i * bytes);
    uint64_t e = loadBits(type, expected.data.data() + i * bytes);
    if (x == e)
      continue;
    auto floatType = dyn_cast<FloatType>(type);
    ElementError error = floatType
                             ? compareFloats(floatType, x, e)
                             : compareIntegers(cast<IntegerType>(type), x, e);
    result.maxAbsError = std::max(result.maxAbsError, error.abs);
    result.maxRelError = std::max(result.maxRelError, error.rel);
    if (tolerance ? isClose(error, *tolerance) : !error.differs)
      continue;
    if (result.numDifferent++ > 0)
      continue;
    result.firstIndex = delinearize(i, expected.type.getShape());
    result.actual = formatElement(type, x);
    result.expected = formatElement(type, e);
  }
  return result;
}

std::string Comparison::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [](double value) -> std::string {
    // Errors are told to a few digits: their size is what matters.
    return std::isinf(value) ? "inf" : llvm::formatv("{0:e3}", value).str();
  };
  if (holds()) {
    os << "all " << numElements << " elements agree";
  } else {
    os << numDifferent << " of " << numElements << " elements differ, first at "
       << formatIndex(firstIndex) << ": got " << actual << ", expected "
       << expected;
  }
  os << " (max abs error " << number(maxAbsError) << ", max rel error "
     << number(maxRelError) << ")";
  return text;
}
