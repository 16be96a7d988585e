//===- FuncEdges.h - Edges between calls and functions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCEDGES_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCEDGES_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu::sdy {

/// The edge op whose operand is `value`, its only user; null if there is none.
FuncDataFlowEdgeOp getFuncEdgeOp(Value value);

/// Visits all edge ops with what flows into them: for an argument of a
/// function, that operand of all calls; for a result of a call, what the callee
/// returns for it. There may be no sources: nobody calls the function, or the
/// callee is a declaration. One source may be that of several edges: what a
/// function returns goes to all its calls.
void collectFuncEdges(
    ModuleOp module,
    function_ref<void(Operation *edgeOp, SmallVector<OpOperand *> sources)>
        visit);

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_FUNCEDGES_H
