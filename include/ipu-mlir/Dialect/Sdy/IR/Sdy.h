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

/// Names of discardable attributes: the sharding of a function's argument or
/// result, or of an op's results; those of the arguments of an op's first
/// region that have none of their own kind of attribute; an op's rule.
constexpr StringLiteral kShardingAttrName = "sdy.sharding";
constexpr StringLiteral kBlockArgShardingAttrName = "sdy.block_arg_sharding";
constexpr StringLiteral kShardingRuleAttrName = "sdy.sharding_rule";

/// Where the axes of a tensor come from: a dictionary; on ops an array of one
/// for each result, on data-flow ops one array for arguments of blocks and one
/// for results.
constexpr StringLiteral kShardingOriginsAttrName = "sdy.sharding_origins";
constexpr StringLiteral kBlockArgShardingOriginsAttrName =
    "sdy.block_arg_sharding_origins";
constexpr StringLiteral kResultShardingOriginsAttrName =
    "sdy.result_sharding_origins";
/// What these call an op.
constexpr StringLiteral kShardingOriginNameAttrName =
    "sdy.sharding_origin_name";
/// Which way axes went, step by step: #sdy.propagation_edges, on data-flow ops
/// arrays as above.
constexpr StringLiteral kPropagationEdgesAttrName = "sdy.propagation_edges";
constexpr StringLiteral kBlockArgPropagationEdgesAttrName =
    "sdy.block_arg_propagation_edges";
constexpr StringLiteral kResultPropagationEdgesAttrName =
    "sdy.result_propagation_edges";

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

/// The axis as numbers; none if the mesh has no such axis.
std::optional<sharding::AxisRef> getAxisRef(AxisRefAttr ref, MeshAttr mesh);
AxisRefAttr getAxisRefAttr(MLIRContext *context, const sharding::AxisRef &ref,
                           MeshAttr mesh);
/// Of axes that the mesh has.
sharding::AxisList getAxisList(ArrayRef<AxisRefAttr> refs, MeshAttr mesh);
/// The sizes of the axes of a mesh.
SmallVector<int64_t> getMeshSizes(MeshAttr mesh);

/// The sharding of a value: of an argument of a function or of the first region
/// of another op, or of an op's result (the attribute of the op where it has
/// one of its own). Null if there is none.
TensorShardingAttr getSharding(Value value);

/// The manual computation that `value` is an argument of the body of; null if
/// it is none.
ManualComputationOp getManualComputation(Value value);
/// The sharding of an operand or result of `op` as its body sees it.
TensorShardingAttr removeManualAxes(ManualComputationOp op,
                                    TensorShardingAttr global);
/// The sharding of a value as ops beside it see it: an argument of a manual
/// computation has no manual axes.
TensorShardingAttr getLocalSharding(Value value);
/// The sharding that ops which use the value see: the local one, for an
/// argument of a loop that of the owner of its edge.
TensorShardingAttr getUseSharding(Value value);

/// Whether the op is one of the sdy collectives.
bool isCollective(Operation *op);

/// Whether users of `result` may use `value` instead, whose dimensions and
/// unreduced axes are the same: collectives look also at the mesh and at
/// replicated axes of what they are given, and that it has a sharding at all.
bool canForward(Value value, Value result);

/// Sets the sharding of a value. Results beside it that have none become fully
/// open.
void setSharding(Value value, TensorShardingAttr sharding);

/// Checks a sharding against a type (null: none), see the constraints of
/// #sdy.sharding. `from` is where symbols are looked up.
LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *from, EmitErrorFn emitError);
/// One sharding for each type. `kind` is what the values are: "result", ...
LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *from, StringRef kind,
                              EmitErrorFn emitError);
/// Checks a rule against an op.
LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op);

/// `i`, ..., `z`, `z_1`, ...
std::string getFactorSymbol(int64_t factor);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_IR_SDY_H
