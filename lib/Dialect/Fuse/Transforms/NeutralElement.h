//===- NeutralElement.h - What an accumulator may start from ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_NEUTRALELEMENT_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_NEUTRALELEMENT_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse {

/// The element that leaves every other one as it is, bit for bit, when
/// `combiner` accumulates it; none if there is none known. Of a sum it is -0:
/// +0 + -0 is +0.
inline std::optional<TypedAttr> getNeutralElement(Operation *combiner) {
  if (auto add = dyn_cast<arith::AddFOp>(combiner))
    if (auto type = dyn_cast<FloatType>(add.getType()))
      return FloatAttr::get(
          type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  return arith::getNeutralElement(combiner);
}

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_NEUTRALELEMENT_H
