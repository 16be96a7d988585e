//===- DataFlowEdges.h - Edges of region ops and of calls -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_DATAFLOWEDGES_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_DATAFLOWEDGES_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {

/// The op of the edge that `owner` owns, its only user; null if there is none.
DataFlowEdgeOp getEdgeOp(Value owner);

/// What carries the sharding of `value`: for an argument of a region op, the
/// owner of its edge; for an owner, the op of its edge, if there is one. Null
/// for other arguments of blocks.
Value getShardedValue(Value value);

/// The manual axes that lead each dimension of `global`, a sharding of an
/// operand or result of `op`.
SmallVector<sharding::AxisList> getLeadingManualAxes(ManualComputationOp op,
                                                     TensorShardingAttr global);

/// An operand that becomes another value as it is, and is to be sharded like
/// that: a source of an edge of a region op, an operand of a call, or what a
/// function returns.
struct PassedOperand {
  OpOperand *operand = nullptr;
  /// What it becomes: the owner of an edge, or, if that is null, the argument
  /// (of a call) or result of this number of a function.
  Value owner;
  FunctionOpInterface function;
  unsigned number = 0;
  /// The edge has no operand of the region op among its sources.
  bool isInside = false;
  /// The sharding of what it becomes; null if that has none.
  TensorShardingAttr sharding;

  /// The sharding as seen where the operand is: inside of a manual computation
  /// without manual axes.
  TensorShardingAttr getSeenSharding() const;
  /// For diagnostics: where that value is, and what it is ("argument 0 of the
  /// callee").
  Location getTargetLoc() const;
  std::string getTargetName() const;
};

/// The operands that `op` passes on, or, if it is a region op, that are passed
/// to and in it. None if it is neither that, nor a call of a function of the
/// module, nor the return of one.
std::optional<SmallVector<PassedOperand>>
getPassedOperands(Operation *op, SymbolTable &symbols);

/// The edge op whose operand is `value`, its only user; null if there is none.
FuncDataFlowEdgeOp getFuncEdgeOp(Value value);

/// Visits all edge ops with what flows into them: for an argument of a
/// function, that operand of all calls; for a result of a call, what the callee
/// returns for it. There may be no sources: nothing calls the function, or the
/// callee is a declaration. One source may be that of several edges: what a
/// function returns goes to all its calls.
void collectFuncEdges(
    ModuleOp module,
    function_ref<void(Operation *edgeOp, SmallVector<OpOperand *> sources)>
        visit);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_DATAFLOWEDGES_H
