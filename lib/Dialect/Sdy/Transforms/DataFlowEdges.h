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

/// Returns the edge op of the edge whose owner is `owner`. It is the only user
/// of `owner`. Returns null if there is none.
DataFlowEdgeOp getEdgeOp(Value owner);

/// Returns the value that has the sharding of `value`: for an argument of a
/// region op, the owner of its edge; for an owner, the edge op, if there is
/// one. Returns null for other block arguments.
Value getShardedValue(Value value);

/// Returns the manual axes that lead each dimension of `global`, a sharding of
/// an operand or result of `op`.
SmallVector<sharding::AxisList> getLeadingManualAxes(ManualComputationOp op,
                                                     TensorShardingAttr global);

/// An operand that becomes another value without change, and should have the
/// sharding of this value: a source of an edge of a region op, an operand of a
/// call, or an operand of the return of a function.
struct PassedOperand {
  OpOperand *operand = nullptr;
  /// The owner of an edge. If it is null, the operand becomes the argument (for
  /// a call) or the result with this number of a function.
  Value owner;
  FunctionOpInterface function;
  unsigned number = 0;
  /// Whether no source of the edge is an operand of the region op.
  bool isInside = false;
  /// The sharding of the value that the operand becomes; null if it has none.
  TensorShardingAttr sharding;

  /// Returns the sharding at the position of the operand: inside of a manual
  /// computation, without manual axes.
  TensorShardingAttr getSeenSharding() const;
  /// For diagnostics: the location of this value, and its description
  /// ("argument 0 of the callee").
  Location getTargetLoc() const;
  std::string getTargetName() const;
};

/// Returns the operands that `op` passes on or, for a region op, the operands
/// that are passed to and inside of it. Returns std::nullopt if `op` is not a
/// region op, a call of a function of the module, or the return of such a
/// function.
std::optional<SmallVector<PassedOperand>>
getPassedOperands(Operation *op, SymbolTable &symbols);

/// Returns the edge op whose operand is `value`. It is the only user of
/// `value`. Returns null if there is none.
FuncDataFlowEdgeOp getFuncEdgeOp(Value value);

/// Visits all edge ops with their sources. For an argument of a function, these
/// are the operands of all calls. For a result of a call, it is the returned
/// operand of the callee. There may be no sources, if the function has no
/// caller or the callee is a declaration. An operand may be the source of
/// several edges: the operand of a return is the source for all calls of the
/// function.
void collectFuncEdges(
    ModuleOp module,
    function_ref<void(Operation *edgeOp, SmallVector<OpOperand *> sources)>
        visit);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_DATAFLOWEDGES_H
