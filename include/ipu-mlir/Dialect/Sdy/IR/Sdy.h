//===- Sdy.h - The sdy dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shardings of tensors over meshes. See docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_SDY_IR_SDY_H
#define IPU_MLIR_DIALECT_SDY_IR_SDY_H

#include "ipu-mlir/Sharding/Axes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ipu-mlir/Dialect/Sdy/IR/SdyDialect.h.inc"
#include "ipu-mlir/Dialect/Sdy/IR/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Sdy/IR/SdyAttrs.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Sdy/IR/SdyOps.h.inc"

namespace mlir::ipu::sdy {

/// Names of discardable attributes. `sdy.sharding` is the sharding of an
/// argument or result of a function, or the shardings of the results of an op.
/// `sdy.block_arg_sharding` contains the shardings of the arguments of an op's
/// first region, if the op has no inherent attribute for these shardings.
/// `sdy.sharding_rule` is the sharding rule of an op.
constexpr StringLiteral kShardingAttrName = "sdy.sharding";
constexpr StringLiteral kBlockArgShardingAttrName = "sdy.block_arg_sharding";
constexpr StringLiteral kShardingRuleAttrName = "sdy.sharding_rule";

/// Names of attributes with the origins of the axes of tensors. The origin of
/// an axis is the sharding in the program from which the axis was propagated.
/// The origins of one tensor are a dictionary. An op has an array with one
/// dictionary for each result. A data-flow op has one array for the arguments
/// of its blocks and another array for its results.
constexpr StringLiteral kShardingOriginsAttrName = "sdy.sharding_origins";
constexpr StringLiteral kBlockArgShardingOriginsAttrName =
    "sdy.block_arg_sharding_origins";
constexpr StringLiteral kResultShardingOriginsAttrName =
    "sdy.result_sharding_origins";
/// Name of the attribute that gives an op a name. Origins refer to the op by
/// this name.
constexpr StringLiteral kShardingOriginNameAttrName =
    "sdy.sharding_origin_name";
/// Names of attributes that list, for each step of propagation, the propagated
/// axes, and the source and the targets of each axis (#sdy.propagation_edges).
/// Data-flow ops have two arrays, as for origins.
constexpr StringLiteral kPropagationEdgesAttrName = "sdy.propagation_edges";
constexpr StringLiteral kBlockArgPropagationEdgesAttrName =
    "sdy.block_arg_propagation_edges";
constexpr StringLiteral kResultPropagationEdgesAttrName =
    "sdy.result_propagation_edges";

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

/// Returns `ref` as the index of an axis, a pre-size and a size, or
/// std::nullopt if `mesh` does not have this axis.
std::optional<sharding::AxisRef> getAxisRef(AxisRefAttr ref, MeshAttr mesh);
AxisRefAttr getAxisRefAttr(MLIRContext *context, const sharding::AxisRef &ref,
                           MeshAttr mesh);
/// Returns the axes of `refs` as numbers. Omits axes that `mesh` does not have.
sharding::AxisList getAxisList(ArrayRef<AxisRefAttr> refs, MeshAttr mesh);
/// Returns the sizes of the axes of a mesh.
SmallVector<int64_t> getMeshSizes(MeshAttr mesh);

/// Returns the sharding of `value`, or null if `value` has no sharding. The
/// sharding is an attribute of the function, of the op whose first region has
/// `value` as an argument, or of the op that defines `value`. An inherent
/// attribute has precedence over `sdy.sharding`.
TensorShardingAttr getSharding(Value value);

/// Returns the manual computation whose body has `value` as an argument, or
/// null if there is none.
ManualComputationOp getManualComputation(Value value);
/// Returns `global`, which is the sharding of an operand or result of `op`,
/// without the manual axes of `op`. The corresponding value in the body of `op`
/// has the returned sharding.
TensorShardingAttr removeManualAxes(ManualComputationOp op,
                                    TensorShardingAttr global);
/// Returns the sharding of `value` for ops in its block. For an argument of a
/// manual computation, this is the sharding without the manual axes.
TensorShardingAttr getLocalSharding(Value value);
/// Returns the sharding of `value` for the ops that use it. For a value on a
/// data-flow edge, for example an argument of a loop, this is the local
/// sharding of the owner of the edge. The owner is the block argument or result
/// that represents the edge. For other values, it is the local sharding of
/// `value`.
TensorShardingAttr getUseSharding(Value value);

/// Returns whether the op is one of the sdy collectives.
bool isCollective(Operation *op);

/// Returns whether users of `result` may use `value` instead. The caller must
/// ensure that both values have equal axes in their dimensions, and equal
/// unreduced axes. Users that are collectives need more: `value` and `result`
/// must have shardings over equal meshes. If a user is an all-reduce, the
/// replicated axes of the shardings must also be equal. If a user is a
/// collective permute, both shardings must also refer to the mesh in the same
/// way, for example by the same name.
bool canForward(Value value, Value result);

/// Sets the sharding of a value. Other results of the op that have no sharding
/// become fully open.
void setSharding(Value value, TensorShardingAttr sharding);

/// Checks the constraints of #sdy.sharding for `sharding` and for a value of
/// `type`. If `type` is null, the sharding is checked without a type. Symbols
/// are looked up from `from`.
LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *from, EmitErrorFn emitError);
/// Checks a list of shardings, as `verifySharding` does. The list must have one
/// sharding for each type in `types`. `kind` names the values in errors, for
/// example "result".
LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *from, StringRef kind,
                              EmitErrorFn emitError);
/// Checks that `rule` fits the operands and results of `op`.
LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op);

/// Returns the symbol of a factor in the text of rules: `i`, ..., `z`, `z_1`,
/// ...
std::string getFactorSymbol(int64_t factor);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_IR_SDY_H
