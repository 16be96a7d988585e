//===- InputLayouts.h - Memory layout of inputs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input would be copied if it was read in a layout other than its own.
// Therefore it is read in the layout that one-shot-bufferize will give it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

class InputLayouts {
public:
  /// `isIdentity`: whether arguments of functions have the identity layout.
  explicit InputLayouts(bool isIdentity);

  /// Returns the type in which `input` is read. Fails, as bufferization will,
  /// if the input does not have a single type.
  FailureOr<MemRefType> getType(Value input) const;

private:
  bufferization::BufferizationOptions options;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H
