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
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  IRRewriter rewriter(function.getContext());
  llvm::SmallPtrSet<Operation *, 4> erased;
  // Contractions come before what fills their outputs.
  for (linalg::GenericOp op : llvm::reverse(generics)) {
    if (erased.contains(op))
      continue;
    linalg::GenericOp fill = findFill(op);
    if (!lowerContraction(op, fill, target))
      continue;
    rewriter.eraseOp(op);
    if (!fill)
      continue;
    erased.insert(fill);
    rewriter.eraseOp(fill);
  }
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op->emitOpError("cannot be written as loops");
    rewriter.eraseOp(op);
  }
  return success();
}
