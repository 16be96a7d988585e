//===- InputLayouts.h - Memory layout of inputs -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the layout that one-shot-bufferize will give to each input. Inputs are
// read in this layout, because bufferization would copy an input that is read
// in another layout.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

class InputLayouts {
public:
  /// `isIdentity` states whether function arguments have the identity layout.
  explicit InputLayouts(bool isIdentity);

  /// Returns the memref type in which `input` is read. Fails if the input does
  /// not have a single memref type; bufferization would then also fail.
  FailureOr<MemRefType> getType(Value input) const;

private:
  bufferization::BufferizationOptions options;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_INPUTLAYOUTS_H
