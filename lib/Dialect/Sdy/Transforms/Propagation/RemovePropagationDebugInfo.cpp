//===- RemovePropagationDebugInfo.cpp - Removal of debug attributes -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginNames.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVEPROPAGATIONDEBUGINFOPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct RemovePropagationDebugInfoPass
    : sdy::impl::RemovePropagationDebugInfoPassBase<
          RemovePropagationDebugInfoPass> {
  using RemovePropagationDebugInfoPassBase::RemovePropagationDebugInfoPassBase;
  void runOnOperation() override {
    ArrayRef<StringLiteral> names = getDebugAttrNames();
    getOperation().walk([&](Operation *op) {
      for (StringRef name : names)
        op->removeDiscardableAttr(name);
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function)
        return;
      for (StringRef name : names) {
        auto attr = StringAttr::get(&getContext(), name);
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          function.removeArgAttr(i, attr);
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          function.removeResultAttr(i, attr);
      }
    });
  }
};
} // namespace
