//===- ShapeLimits.cpp - Limits of tensor sizes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/ShapeLimits.h"

#include "llvm/Support/MathExtras.h"

bool mlir::ipu::isAddressableShape(llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxElements = int64_t(1) << 56;
  int64_t product = 1;
  for (int64_t size : shape)
    if (size > 1 &&
        (llvm::MulOverflow(product, size, product) || product > kMaxElements))
      return false;
  return true;
}
