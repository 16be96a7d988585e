//===- PopDetail.h - Parts of generated op definitions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H

#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

namespace mlir::pop::detail {

/// Infers the broadcast shape of all operands with the given element type.
LogicalResult inferBroadcast(InferError emitError, ValueRange operands,
                             Type elementType,
                             SmallVectorImpl<Type> &inferredTypes);

/// Whether `actual` is one type of the shape of `inferred` and of its element
/// type or the one that its elements are accumulated in.
bool isRoundedOrNot(TypeRange inferred, TypeRange actual);

/// Checks the order of accumulation; a null `accum` is the op's default.
LogicalResult checkAccum(InferError emitError, AccumAttr accum,
                         AccumOrder order);

/// The form of an elementwise op whose operands broadcast to its result.
ipu::TileForm getElementwiseTileForm(Operation *op, ArrayRef<int64_t> domain);

using ScalarBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// One linalg.generic over the result; `scalar` builds one element.
void buildElementwiseCodelet(Operation *op, OpBuilder &builder, Location loc,
                             ValueRange buffers, ScalarBuilder scalar);

/// The cost whose row of the table is the op's mnemonic.
ipu::CodeletCost getCost(Operation *op, ipu::CodeletCostKind kind);

/// Builds `kind` of two scalars, `lhs` being the earlier one. Signs of integers
/// are those of the pop type `elementType`.
Value buildCombine(OpBuilder &b, Location loc, ReduceKind kind,
                   Type elementType, Value lhs, Value rhs);

/// Extends a narrow float to f32; other scalars stay as they are.
Value buildExtend(OpBuilder &b, Location loc, Value scalar);

/// `value` with elements of another type; itself if it has them already.
Value buildCast(OpBuilder &b, Location loc, Value value, Type elementType);

/// A tensor all of whose elements are `value`.
Value buildSplat(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                 TypedAttr value);

/// The attribute's value as a scalar of the signless type that buffers have.
Value buildScalarConstant(OpBuilder &b, Location loc, TypedAttr value);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H
