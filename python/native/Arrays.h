//===- Arrays.h - Arrays of numpy and tensors of the host -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element type has the dtype of the same width. Types that numpy does not
// have are structured dtypes with one unsigned field, whose name is the type.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_ARRAYS_H
#define IPU_MLIR_PYTHON_NATIVE_ARRAYS_H

#include "ipu-mlir/Host/HostTensor.h"
#include <pybind11/numpy.h>

namespace mlir::ipu::python {

/// The data of an array, before the element type of its tensor is known.
struct HostArray {
  /// The dtype for messages, such as `float32`.
  std::string dtype;
  /// The number of the dtype in the table of dtypes.
  unsigned kind = 0;
  SmallVector<int64_t> shape;
  HostBytes data;
};

/// Returns the dtype of arrays with elements of type `elementType`, for which
/// isHostElementType() holds.
pybind11::dtype getDType(Type elementType);

/// Reads an array, which `name` names in messages. Data that nobody may write
/// are shared; others are copied. Raises TypeError for an object of another
/// type, and ValueError for a dtype that no tensor has.
HostArray readArray(const std::string &name, pybind11::handle array);

/// Returns the tensor of `array` with elements of type `elementType`. Fails if
/// its dtype is that of another type. The bytes are those of `array`.
llvm::Expected<HostTensor> getTensor(const std::string &name, HostArray array,
                                     Type elementType);

/// Returns a new array with the elements of `tensor`, which nobody else has.
pybind11::array makeArray(HostTensor tensor);

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_ARRAYS_H
