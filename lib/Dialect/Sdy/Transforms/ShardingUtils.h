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

/// Fails if the module contains other modules, which have meshes of their own.
LogicalResult verifyNoModulesInside(ModuleOp module);

/// Replaces all shardings on `op` and inside of it. Returns whether any of them
/// changed.
bool replaceShardings(
    Operation *op,
    function_ref<TensorShardingAttr(TensorShardingAttr)> replace);

/// Returns the new sharding of a value of this type.
using ReplaceShardingFn =
    function_ref<TensorShardingAttr(TensorShardingAttr, ShapedType)>;
/// Replaces the shardings of the arguments and results of a function that have
/// a static shape.
void replaceSignatureShardings(FunctionOpInterface function,
                               ReplaceShardingFn replace);

/// For diagnostics: the op and the value of a sharding ("argument 0").
struct ShardedPlace {
  Operation *op;
  StringRef kind;
  unsigned number;

  Location getLoc() const;
};
using ReplaceInputOutputFn = function_ref<TensorShardingAttr(
    TensorShardingAttr, ShapedType, const ShardedPlace &)>;
/// Replaces the shardings of the inputs and outputs of a function, a call or a
/// manual computation. Other ops have none.
void replaceInputOutputShardings(Operation *op, ReplaceInputOutputFn replace);
/// The same for a named computation, which may become a function and a call.
void replaceComputationShardings(NamedComputationOp op,
                                 ReplaceInputOutputFn replace);

/// Returns the longest prefix of the axes of each dimension that divides the
/// dimension. If only a part of the next axis divides the rest, this part is
/// included.
TensorShardingAttr getDivisibleSharding(TensorShardingAttr sharding,
                                        ShapedType type, SymbolTable &symbols);
/// Warns that only `kept`, which divides the value, remains of `sharding`.
void warnOfNonDivisible(const ShardedPlace &place, ShapedType type,
                        TensorShardingAttr sharding, TensorShardingAttr kept);

/// Returns the sharding with replaced dimensions. A closed empty dimension has
/// no priority.
TensorShardingAttr
replaceDims(TensorShardingAttr sharding,
            function_ref<DimensionShardingAttr(unsigned, DimensionShardingAttr)>
                replace);
DimensionShardingAttr replaceAxes(DimensionShardingAttr dim,
                                  ArrayRef<AxisRefAttr> axes);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_SHARDINGUTILS_H
