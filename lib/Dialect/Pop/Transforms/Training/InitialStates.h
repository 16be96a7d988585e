//===- InitialStates.h - Initial values of states ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::pop {

/// Floats of `type` that are all zero.
ElementsAttr getZeros(RankedTensorType type);

/// `values`, floats, multiplied by `factor` and rounded to the element type of
/// `type`, which has the shape of `values`. Returns null if the values are
/// neither dense nor in an existing resource.
ElementsAttr getScaled(ElementsAttr values, RankedTensorType type,
                       double factor);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H
