//===- CollectiveDigits.h - Axes in parts of prime size ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers that plan collectives. Axes are split into "digits", parts of prime
// size. While a plan is made, its state consists of the position of each digit
// and, for each dimension, the number of digits of each size.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_SHARDING_COLLECTIVEDIGITS_H
#define IPU_MLIR_LIB_SHARDING_COLLECTIVEDIGITS_H

#include "ipu-mlir/Sharding/Axes.h"

namespace mlir::ipu::sharding {

/// The axes of each dimension.
using DimAxes = SmallVector<AxisList>;

/// Returns whether all sub-axes of `a` and `b` are parts of one factorisation.
bool areCompatible(ArrayRef<AxisList> a, ArrayRef<AxisList> b);

/// Splits the axes of `dims` into digits. Each start and end of an axis in
/// `dims` or `others` is also a border of a digit. All axes must be compatible.
DimAxes splitAxes(ArrayRef<AxisList> dims, ArrayRef<AxisList> others);

/// Merges adjacent digits.
AxisList merge(ArrayRef<AxisRef> digits);
DimAxes merge(ArrayRef<AxisList> dims);

bool startsWith(ArrayRef<AxisRef> list, ArrayRef<AxisRef> prefix);
/// Returns the number of digits with this size.
int64_t countSize(ArrayRef<AxisRef> digits, int64_t size);

/// Returns the best arrangement of digits before the last steps to `out`. Each
/// dimension has as many digits of each size as in `current`: first the digits
/// that stay, then the digits that are gathered in the last step, then the
/// digits that move to other dimensions.
DimAxes arrangeDigits(ArrayRef<AxisList> current, ArrayRef<AxisList> out);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_LIB_SHARDING_COLLECTIVEDIGITS_H
