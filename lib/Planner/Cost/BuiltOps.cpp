//===- BuiltOps.cpp - Ops that a builder creates ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Cost/BuiltOps.h"

#include "ipu-mlir/Interfaces/TileInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;

void BuiltOps::decompose(OpBuilder &builder, SmallVector<Value> &results) {
  // A decomposition adds new ops to the list.
  for (size_t next = 0; next < ops.size();) {
    auto op = dyn_cast<DecomposableOpInterface>(ops[next++]);
    if (!op)
      continue;
    builder.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> simpler = op.decompose(builder);
    if (failed(simpler))
      continue;
    for (auto [old, replacement] : llvm::zip_equal(op->getResults(), *simpler))
      llvm::replace(results, Value(old), replacement);
    op->replaceAllUsesWith(*simpler);
    op->erase();
    ops[next - 1] = nullptr;
  }
  llvm::erase(ops, nullptr);
}

void BuiltOps::erase() {
  // The order of creation is not always the order of definitions and uses.
  for (Operation *op : ops)
    op->dropAllReferences();
  for (Operation *op : ops)
    op->erase();
  ops.clear();
}
