//===- ConstantFloats.h - Elements of float constants -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONSTANTFLOATS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONSTANTFLOATS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <vector>

namespace mlir::pop {

/// Returns the elements of `values`, which are floats of at most 64 bits.
/// Returns std::nullopt if they are not known, as those of a resource without
/// data.
std::optional<std::vector<double>> getFloats(ElementsAttr values);

/// Returns a constant of type `type` with the elements `values`, which are
/// rounded to the nearest number of the element type.
DenseElementsAttr makeFloats(RankedTensorType type, ArrayRef<double> values);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_CONSTANTFLOATS_H
