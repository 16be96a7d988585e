//===- JitLinalg.cpp - Writes linalg ops as loops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::ipu;

LogicalResult mlir::ipu::lowerLinalg(func::FuncOp function,
                                     const JitTarget &target) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (generic && lowerContraction(generic, target)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op->emitOpError("cannot be written as loops");
    rewriter.eraseOp(op);
  }
  return success();
}
