//===- Pop.h - The pop dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graph programs on tensors. See docs/dialects/pop.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POP_H
#define IPU_MLIR_DIALECT_POP_IR_POP_H

#include "ipu-mlir/Interfaces/DeviceResources.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "ipu-mlir/Support/DialectAttributes.h"
#include "ipu-mlir/Support/SumBlocks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::pop {

/// Returns whether a pop tensor may have elements of `type`: f16, bf16, f32,
/// f64, the f8 types E4M3FN, E4M3FNUZ, E5M2 and E5M2FNUZ, i1, and signless
/// (signed) or unsigned integers of 8, 16, 32 or 64 bits.
bool isPopElementType(Type type);

/// Returns whether a pop tensor may have this static shape: the product of its
/// non-zero dimensions is at most 2^56, so that offsets and sizes in bits fit
/// 64 bits.
bool isPopShape(ArrayRef<int64_t> shape);

/// Marks elementwise ops whose operands broadcast to the shape of the result.
template <typename ConcreteType>
class Broadcasting : public OpTrait::TraitBase<ConcreteType, Broadcasting> {};

namespace detail {
LogicalResult verifyInferredType(Operation *op);
} // namespace detail

/// Verifies that the results of an op have the types that the op infers.
template <typename ConcreteType>
class InferredType : public OpTrait::TraitBase<ConcreteType, InferredType> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyInferredType(op);
  }
};

} // namespace mlir::pop

#include "ipu-mlir/Dialect/Pop/IR/PopDialect.h.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopAttrs.h.inc"

namespace mlir::pop {
class GradientBuilder;

/// Marks ops whose gradients are zero.
template <typename ConcreteType>
class ZeroGradient : public OpTrait::TraitBase<ConcreteType, ZeroGradient> {};

/// Marks ops on floats that cannot be differentiated.
template <typename ConcreteType>
class NoGradient : public OpTrait::TraitBase<ConcreteType, NoGradient> {};
} // namespace mlir::pop

namespace mlir::pop::detail {
/// Implement ComputeOpInterface for an op on floats of `elementType`. The
/// attribute `compute` may be null.
Type getTypeOfComputation(TypeAttr compute, Type elementType);
LogicalResult verifyCompute(Operation *op, TypeAttr compute, Type elementType);
} // namespace mlir::pop::detail

#include "ipu-mlir/Dialect/Pop/IR/PopAccumInterface.h.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopComputeInterface.h.inc"
#include "ipu-mlir/Dialect/Pop/IR/PopGradientInterface.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopOps.h.inc"

#endif // IPU_MLIR_DIALECT_POP_IR_POP_H
