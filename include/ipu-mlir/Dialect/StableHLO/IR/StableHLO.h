//===- StableHLO.h - The stablehlo dialect ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLO_H
#define IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLODialect.h.inc"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOEnums.h.inc"

namespace mlir::ipu::stablehlo {

/// Returns whether `type` may be an element type of stablehlo tensors. Element
/// types are floats, complex numbers of f32 or f64, and signless or unsigned
/// integers of 1, 2, 4, 8, 16, 32 or 64 bits. Signless integers are interpreted
/// as signed integers.
bool isElementType(Type type);

/// Returns whether the two lists of types are compatible: types may differ only
/// in dimensions that are dynamic in one of them.
bool areCompatibleTypes(TypeRange lhs, TypeRange rhs);

/// Infers the type of the single result of an op whose operands and result have
/// the same type.
LogicalResult inferSameType(std::optional<Location> location,
                            TypeRange operands,
                            SmallVectorImpl<Type> &inferred);

} // namespace mlir::ipu::stablehlo

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOTypes.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLOOps.h.inc"

#endif // IPU_MLIR_DIALECT_STABLEHLO_IR_STABLEHLO_H
