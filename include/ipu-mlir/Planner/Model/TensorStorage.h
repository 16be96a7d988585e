//===- TensorStorage.h - Tensors as views of storage ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_MODEL_TENSORSTORAGE_H
#define IPU_MLIR_PLANNER_MODEL_TENSORSTORAGE_H

#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/Value.h"

namespace mlir::ipu {

/// The storage of a tensor, and the elements of the storage that form the
/// tensor. Before the conversion to the `ipu` dialect, `root` is the tensor
/// that owns the storage. After this conversion, `root` is the variable.
struct TensorStorage {
  Value root;
  StridedView view;

  /// Returns the storage of a tensor that has its own storage.
  static TensorStorage own(Value root, ArrayRef<int64_t> shape) {
    return {root, StridedView::identity(shape)};
  }

  /// Returns whether the tensor consists of all elements of its storage, in
  /// row-major order.
  bool isWhole(int64_t numElementsOfRoot) const {
    return view.isContiguous() && view.getNumElements() == numElementsOfRoot;
  }
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_MODEL_TENSORSTORAGE_H
