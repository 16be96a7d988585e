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

/// Returns the edge op of the data-flow edge whose owner is `owner`, or null if
/// there is none. An edge op is the only user of the owner of its edge. The
/// owner is the value that stands for the edge; it is one of the targets.
DataFlowEdgeOp getEdgeOp(Value owner);

/// Returns the value whose sharding is the sharding of `value`. For a target of
/// an edge, this is the result of the edge op or, if there is no edge op, the
/// owner of the edge. Returns null for block arguments that are neither on an
/// edge nor arguments of a function. For other values, returns `value`.
Value getShardedValue(Value value);

/// Returns, for each dimension of `global`, the manual axes with which its list
/// of axes starts. `global` is the sharding of an operand or result of `op`.
SmallVector<sharding::AxisList> getLeadingManualAxes(ManualComputationOp op,
                                                     TensorShardingAttr global);

/// An operand that `op` passes on: it becomes another value (the target)
/// without change, and should have the sharding of the target. The operand is a
/// source of an edge of a region op, an operand of a call, or an operand of the
/// return of a function.
struct PassedOperand {
  OpOperand *operand = nullptr;
  /// The owner of the edge whose source the operand is. If it is null, the
  /// target is the argument (for an operand of a call) or the result (for an
  /// operand of a return) `number` of `function`.
  Value owner;
  FunctionOpInterface function;
  unsigned number = 0;
  /// Whether all sources of the edge are inside of the region op.
  bool isInside = false;
  /// The sharding of the target, or null if it has none.
  TensorShardingAttr sharding;

  /// Returns the sharding of the target as ops next to the operand see it: for
  /// a result of a manual computation, without manual axes.
  TensorShardingAttr getSeenSharding() const;
  /// Return the location of the target, and its description for diagnostics
  /// (for example "argument 0 of the callee").
  Location getTargetLoc() const;
  std::string getTargetName() const;
};

/// Returns the operands that `op` passes on. For a region op, these are all
/// sources of its edges, outside and inside of it. Returns std::nullopt unless
/// `op` is a region op, a call of a function of the module, or the return of
/// such a function.
std::optional<SmallVector<PassedOperand>>
getPassedOperands(Operation *op, SymbolTable &symbols);

/// Returns the edge op for functions whose operand is `value`, or null if there
/// is none. Such an edge op is the only user of its operand.
FuncDataFlowEdgeOp getFuncEdgeOp(Value value);

/// Calls `visit` for all edge ops of functions, with the sources of the edge.
/// For an argument of a function, the sources are the operands of all calls.
/// For a result of a call, the source is the returned operand of the callee.
/// There are no sources if the function has no callers or the callee is a
/// declaration. One operand may be the source of several edges: the operand of
/// a return is the source for all calls of the function.
void collectFuncEdges(
    ModuleOp module,
    function_ref<void(Operation *edgeOp, SmallVector<OpOperand *> sources)>
        visit);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_DATAFLOWEDGES_H
