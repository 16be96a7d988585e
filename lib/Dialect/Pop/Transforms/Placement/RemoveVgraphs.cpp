//===- RemoveVgraphs.cpp - Programs without virtual graphs ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: any program. Out: the same program without virtual graphs and without
// copies between IPUs.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::pop {
#define GEN_PASS_DEF_REMOVEVGRAPHSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Removes the attribute `name` of `op` and of its arguments.
static void removeAttr(Operation *op, StringRef name) {
  auto attr = StringAttr::get(op->getContext(), name);
  op->removeAttr(attr);
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, attr);
}

namespace {
struct RemoveVgraphsPass : pop::impl::RemoveVgraphsPassBase<RemoveVgraphsPass> {
  using RemoveVgraphsPassBase::RemoveVgraphsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      removeAttr(op, PopDialect::kVgraphAttrName);
      if (removesTileSets)
        removeAttr(op, PopDialect::kTileSetAttrName);
      if (isa<IpuCopyOp>(op) || (removesTileSets && isa<IoTileCopyOp>(op))) {
        op->replaceAllUsesWith(op->getOperands());
        op->erase();
      }
    });
  }
};
} // namespace
