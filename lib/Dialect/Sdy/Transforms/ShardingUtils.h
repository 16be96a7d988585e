//===- ShardingUtils.h - Shardings as attributes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SHARDINGUTILS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SHARDINGUTILS_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {

/// Fails if there are modules in the module: their meshes are not its own.
LogicalResult verifyNoModulesInside(ModuleOp module);

/// Replaces every sharding in `op` and inside of it. Returns whether any is
/// another one now.
bool replaceShardings(
    Operation *op,
    function_ref<TensorShardingAttr(TensorShardingAttr)> replace);

/// What a sharding of a value of this type becomes.
using ReplaceShardingFn =
    function_ref<TensorShardingAttr(TensorShardingAttr, ShapedType)>;
/// Replaces the shardings of a function's arguments and results that are of
/// static shape.
void replaceSignatureShardings(FunctionOpInterface function,
                               ReplaceShardingFn replace);

/// For diagnostics: what of which op a sharding is of ("argument 0").
struct ShardedPlace {
  Operation *op;
  StringRef kind;
  unsigned number;

  Location getLoc() const;
};
using ReplaceInputOutputFn = function_ref<TensorShardingAttr(
    TensorShardingAttr, ShapedType, const ShardedPlace &)>;
/// Replaces the shardings of what enters and leaves a function, a call or a
/// manual computation; other ops have none such.
void replaceInputOutputShardings(Operation *op, ReplaceInputOutputFn replace);
/// The same for a named computation, which may become a function and its call.
void replaceComputationShardings(NamedComputationOp op,
                                 ReplaceInputOutputFn replace);

/// In each dimension the longest prefix of the axes that divides it; of one
/// that fits in part, the part that does.
TensorShardingAttr getDivisibleSharding(TensorShardingAttr sharding,
                                        ShapedType type, SymbolTable &symbols);
/// Says that of `sharding` only `kept` is left, which divides the value.
void warnOfNonDivisible(const ShardedPlace &place, ShapedType type,
                        TensorShardingAttr sharding, TensorShardingAttr kept);

/// The sharding with dimensions replaced; a closed empty one has no priority.
TensorShardingAttr
replaceDims(TensorShardingAttr sharding,
            function_ref<DimensionShardingAttr(unsigned, DimensionShardingAttr)>
                replace);
DimensionShardingAttr replaceAxes(DimensionShardingAttr dim,
                                  ArrayRef<AxisRefAttr> axes);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SHARDINGUTILS_H
