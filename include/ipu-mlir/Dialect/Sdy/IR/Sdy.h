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

/// Names of discardable attributes: the sharding of an argument or result of a
/// function, or of the results of an op; the shardings of the arguments of an
/// op's first region, for ops without an attribute of their own for them; the
/// rule of an op.
constexpr StringLiteral kShardingAttrName = "sdy.sharding";
constexpr StringLiteral kBlockArgShardingAttrName = "sdy.block_arg_sharding";
constexpr StringLiteral kShardingRuleAttrName = "sdy.sharding_rule";

/// The origins of the axes of a tensor: a dictionary. An op has an array with
/// one dictionary for each result. A data-flow op has one array for the
/// arguments of its blocks and one for its results.
constexpr StringLiteral kShardingOriginsAttrName = "sdy.sharding_origins";
constexpr StringLiteral kBlockArgShardingOriginsAttrName =
    "sdy.block_arg_sharding_origins";
constexpr StringLiteral kResultShardingOriginsAttrName =
    "sdy.result_sharding_origins";
/// The name of an op in these origins.
constexpr StringLiteral kShardingOriginNameAttrName =
    "sdy.sharding_origin_name";
/// The paths of axes, step by step: #sdy.propagation_edges. Data-flow ops have
/// arrays as above.
constexpr StringLiteral kPropagationEdgesAttrName = "sdy.propagation_edges";
constexpr StringLiteral kBlockArgPropagationEdgesAttrName =
    "sdy.block_arg_propagation_edges";
constexpr StringLiteral kResultPropagationEdgesAttrName =
    "sdy.result_propagation_edges";

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

/// Returns the axis as numbers, or std::nullopt if the mesh does not have this
/// axis.
std::optional<sharding::AxisRef> getAxisRef(AxisRefAttr ref, MeshAttr mesh);
AxisRefAttr getAxisRefAttr(MLIRContext *context, const sharding::AxisRef &ref,
                           MeshAttr mesh);
/// For axes that the mesh has.
sharding::AxisList getAxisList(ArrayRef<AxisRefAttr> refs, MeshAttr mesh);
/// Returns the sizes of the axes of a mesh.
SmallVector<int64_t> getMeshSizes(MeshAttr mesh);

/// Returns the sharding of a value: of an argument of a function or of the
/// first region of another op, or of the result of an op (from an attribute of
/// the op itself, if it has one). Returns null if there is none.
TensorShardingAttr getSharding(Value value);

/// Returns the manual computation whose body has `value` as an argument, or
/// null if there is none.
ManualComputationOp getManualComputation(Value value);
/// Returns the sharding of an operand or result of `op` as its body sees it.
TensorShardingAttr removeManualAxes(ManualComputationOp op,
                                    TensorShardingAttr global);
/// Returns the sharding of a value for ops in the same block. An argument of a
/// manual computation has no manual axes.
TensorShardingAttr getLocalSharding(Value value);
/// Returns the sharding of a value for the ops that use it: the local sharding;
/// for an argument of a loop, the local sharding of the owner of its edge.
TensorShardingAttr getUseSharding(Value value);

/// Returns whether the op is one of the sdy collectives.
bool isCollective(Operation *op);

/// Returns whether users of `result` may use `value` instead, which has the
/// same dimensions and unreduced axes. Collectives also depend on the mesh and
/// the replicated axes of their operands, and require operands with a sharding.
bool canForward(Value value, Value result);

/// Sets the sharding of a value. Other results of the op that have no sharding
/// become fully open.
void setSharding(Value value, TensorShardingAttr sharding);

/// Checks a sharding against a type (null: no type); see the constraints of
/// #sdy.sharding. Symbols are looked up from `from`.
LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *from, EmitErrorFn emitError);
/// The same for a list with one sharding for each type. `kind` says what the
/// values are: "result", ...
LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *from, StringRef kind,
                              EmitErrorFn emitError);
/// Checks a rule against an op.
LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op);

/// `i`, ..., `z`, `z_1`, ...
std::string getFactorSymbol(int64_t factor);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_DIALECT_SDY_IR_SDY_H
