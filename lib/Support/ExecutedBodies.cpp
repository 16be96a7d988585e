//===- ExecutedBodies.cpp - Bodies of functions and loops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/ExecutedBodies.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

bool mlir::ipu::hasExecutedBodies(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  return isa<FunctionOpInterface>(op) || (branch && branch.hasLoop());
}

void mlir::ipu::walkExecutedBody(Region &body,
                                 function_ref<void(Operation *)> visit) {
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return hasExecutedBodies(op) ? WalkResult::skip() : WalkResult::advance();
  });
}
