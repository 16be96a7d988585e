//===- DecomposeSums.cpp - Decomposition of sums ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where a sum of more than two tensors
// is a chain of additions, each right after the op that defines its
// addend.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "Addends.h"
#include "GradientOps.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_DECOMPOSESUMSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static void decompose(SumOp sum) {
  SmallVector<Addend> addends = orderAddends(sum.getInputs(), *sum->getBlock());
  // Tensors that are there from the start are added when the first other one
  // is.
  auto *first = llvm::find_if(
      addends, [](const Addend &addend) { return addend.after != nullptr; });
  PopBuilder b(sum);
  Operation *last = nullptr;
  Value partial = addends.front().value;
  for (const Addend &addend : llvm::drop_begin(addends)) {
    if (first != addends.end())
      b.setInsertionPointAfter(
          getLater(addend.after ? addend.after : first->after, last));
    last = AddOp::create(b, sum.getLoc(), partial, addend.value);
    partial = last->getResult(0);
  }
  // What else is said of the sum, such as its sharding, is true of the last.
  for (NamedAttribute attribute : sum->getDiscardableAttrs())
    if (!isPlacementAttr(attribute.getName()))
      last->setAttr(attribute.getName(), attribute.getValue());
  sum.replaceAllUsesWith(partial);
  sum.erase();
}

namespace {
struct DecomposeSumsPass : pop::impl::DecomposeSumsPassBase<DecomposeSumsPass> {
  using DecomposeSumsPassBase::DecomposeSumsPassBase;

  void runOnOperation() override {
    SmallVector<LossScaleOp> roots;
    getOperation().walk([&](LossScaleOp op) { roots.push_back(op); });
    llvm::DenseSet<Operation *> gradientOps = getGradientOps(roots);
    auto isGradient = [&](Operation *op) {
      for (; op; op = op->getParentOp())
        if (gradientOps.contains(op))
          return true;
      return false;
    };
    SmallVector<SumOp> sums;
    getOperation().walk([&](SumOp op) {
      if (op.getInputs().size() > 2 && (!gradientsOnly || isGradient(op)))
        sums.push_back(op);
    });
    for (SumOp sum : sums) {
      remark::passed(sum.getLoc(), getGraphRemark("DecomposeSums"))
          << remark::metric("addends", int64_t(sum.getInputs().size()));
      decompose(sum);
    }
    if (sums.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
