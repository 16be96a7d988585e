//===- PrintTensor.h - Printing of host tensors -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_PRINTTENSOR_H
#define IPU_MLIR_HOST_PRINTTENSOR_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mlir::ipu {

/// Returns the text of the element of `type` with these bits. The text of an
/// integer is for example `true` or `-3`. The text of a float is `nan`, `inf`,
/// `-inf`, or the shortest decimal number that rounds to the float. This number
/// always has a point (`0.1`, `1.0e-07`).
std::string formatElement(Type type, uint64_t bits);

/// Returns the text of an index, for example `[1, 2]`.
std::string formatIndex(ArrayRef<int64_t> index);

/// Returns the text of the index of an element. `position` is the number of the
/// element in a tensor of `shape`, in row-major order.
std::string formatPosition(ArrayRef<int64_t> shape, int64_t position);

/// Prints `name : tensor<2x3xf32> = dense<[[...], [...]]>` on one line. Tensors
/// of more than 64 elements are abbreviated: a dimension of more than 6
/// elements is printed as the first 3, `...` and the last 3.
void printTensor(raw_ostream &os, StringRef name, const HostTensor &tensor);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_PRINTTENSOR_H
