//===- CompareTensors.h - Comparison of host tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_COMPARETENSORS_H
#define IPU_MLIR_HOST_COMPARETENSORS_H

#include "ipu-mlir/Host/HostTensor.h"
#include <optional>
#include <string>

namespace mlir::ipu {

/// The tolerance of a comparison: an element x is close to the expected element
/// e if |x - e| <= atol + rtol * |e|. An infinity is only close to itself, and
/// a NaN only to a NaN.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
};

struct Comparison {
  /// The number of compared elements, and the number of different elements.
  int64_t numElements = 0;
  int64_t numDifferent = 0;
  /// The index of the first different element in row-major order, and both
  /// values as text.
  SmallVector<int64_t> firstIndex;
  std::string actual;
  std::string expected;
  /// The greatest absolute error |x - e| and the greatest relative error
  /// |x - e| / |e| of all elements, including tolerated elements. If x and e
  /// are equal, both errors are 0. If x and e differ and one of them is NaN or
  /// infinite, both errors are infinite. If only e is zero, the relative error
  /// is infinite.
  double maxAbsError = 0;
  double maxRelError = 0;

  bool holds() const { return numDifferent == 0; }
  /// Returns one line of text, such as "3 of 64 elements differ, first at [1,
  /// 2]: ...".
  std::string describe() const;
};

/// Compares two tensors of the same shape and element type; the types may
/// differ in signedness. Without `tolerance`, elements must have the same bits,
/// except that all NaNs are equal. For example, -0 and +0 are different.
Comparison compareTensors(const HostTensor &actual, const HostTensor &expected,
                          std::optional<Tolerance> tolerance = std::nullopt);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_COMPARETENSORS_H
