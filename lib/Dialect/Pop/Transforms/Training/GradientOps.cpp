//===- GradientOps.cpp - Ops that compute gradients -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientOps.h"

using namespace mlir;
using namespace mlir::pop;

llvm::DenseSet<Operation *>
mlir::pop::getGradientOps(ArrayRef<LossScaleOp> roots) {
  llvm::DenseSet<Operation *> dependents;
  SmallVector<Operation *> worklist(roots.begin(), roots.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Operation *user : op->getUsers()) {
      Operation *dependent = op->getBlock()->findAncestorOpInBlock(*user);
      if (dependent && dependents.insert(dependent).second)
        worklist.push_back(dependent);
    }
  }
  return dependents;
}

bool mlir::pop::isContraction(Operation *op) {
  return isa<AccumOpInterface>(op) && isa<ipu::TilePlanOpInterface>(op);
}
