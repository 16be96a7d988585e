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

/// Checks that `module` contains no other modules, because nested modules have
/// separate meshes.
LogicalResult verifyNoModulesInside(ModuleOp module);

/// Replaces all shardings in the attributes of `op` and of the ops inside of
/// `op`. Returns whether a sharding changed.
bool replaceShardings(
    Operation *op,
    function_ref<TensorShardingAttr(TensorShardingAttr)> replace);

/// A function that returns the new sharding of a value of the given type.
using ReplaceShardingFn =
    function_ref<TensorShardingAttr(TensorShardingAttr, ShapedType)>;
/// Replaces the shardings of the arguments and results of `function` that have
/// a static shape.
void replaceSignatureShardings(FunctionOpInterface function,
                               ReplaceShardingFn replace);

/// The value that has a sharding, for diagnostics: its op, its kind and its
/// number, for example "argument 0".
struct ShardedPlace {
  Operation *op;
  StringRef kind;
  unsigned number;

  Location getLoc() const;
};
using ReplaceInputOutputFn = function_ref<TensorShardingAttr(
    TensorShardingAttr, ShapedType, const ShardedPlace &)>;
/// Replaces the shardings of the inputs and outputs of `op` if it is a
/// function, a call or a manual computation. Does nothing for other ops.
void replaceInputOutputShardings(Operation *op, ReplaceInputOutputFn replace);
/// Replaces the shardings of the inputs and outputs of `op`, a named
/// computation, which may later become a function and a call.
void replaceComputationShardings(NamedComputationOp op,
                                 ReplaceInputOutputFn replace);

/// Returns `sharding` in which each dimension only has the longest prefix of
/// its axes whose sizes divide the dimension. If only a part of the next axis
/// divides the rest of the dimension, this part is included.
TensorShardingAttr getDivisibleSharding(TensorShardingAttr sharding,
                                        ShapedType type, SymbolTable &symbols);
/// Emits the warning that `sharding` does not divide the dimensions of a value
/// of type `type`, and that it was replaced by `kept`.
void warnOfNonDivisible(const ShardedPlace &place, ShapedType type,
                        TensorShardingAttr sharding, TensorShardingAttr kept);

/// Returns `sharding` in which each dimension is replaced by the result of
/// `replace`. A closed dimension without axes loses its priority.
TensorShardingAttr
replaceDims(TensorShardingAttr sharding,
            function_ref<DimensionShardingAttr(unsigned, DimensionShardingAttr)>
                replace);
DimensionShardingAttr replaceAxes(DimensionShardingAttr dim,
                                  ArrayRef<AxisRefAttr> axes);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SHARDINGUTILS_H
