//===- DisableDropout.cpp - Removal of dropouts -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with dropouts. Out: the same module, where users of a dropout
// use its input.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DISABLEDROPOUTPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
struct DisableDropoutPass
    : pop::impl::DisableDropoutPassBase<DisableDropoutPass> {
  void runOnOperation() override {
    getOperation().walk([](DropoutOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};
} // namespace
