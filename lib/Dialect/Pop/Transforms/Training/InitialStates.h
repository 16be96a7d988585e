//===- InitialStates.h - Initial values of states ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::pop {

/// Returns the value of `type` whose elements are all zero. The elements are
/// floats.
ElementsAttr getZeros(RankedTensorType type);

/// Returns `values`, whose elements are floats, multiplied by `factor` and
/// rounded to the element type of `type`. `type` has the shape of `values`.
/// Returns null if `values` is neither a dense attribute nor an attribute whose
/// resource exists.
ElementsAttr getScaled(ElementsAttr values, RankedTensorType type,
                       double factor);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_TRAINING_INITIALSTATES_H
