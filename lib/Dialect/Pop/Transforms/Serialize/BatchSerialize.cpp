//===- BatchSerialize.cpp - Batches in parts --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose ops process whole batches. Out: the same module, where ops
// that can do so process the parts of a batch one after the other.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "BatchLoops.h"
#include "LoopMerger.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::pop {
#define GEN_PASS_DEF_BATCHSERIALIZEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Calls `visit` for each block that has ops that process parts of a batch,
/// with these ops in the order of the program.
static void
forEachBatchBlock(ModuleOp module, const BatchAxes &axes,
                  function_ref<void(Block &, ArrayRef<Operation *>)> visit) {
  llvm::MapVector<Block *, SmallVector<Operation *>> opsOf;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (axes.lookup(op))
      opsOf[op->getBlock()].push_back(op);
  });
  for (const auto &[block, ops] : opsOf)
    visit(*block, ops);
}

namespace {
struct BatchSerializePass
    : pop::impl::BatchSerializePassBase<BatchSerializePass> {
  using BatchSerializePassBase::BatchSerializePassBase;

  void runOnOperation() override {
    if (failed(verifyOptions()))
      return signalPassFailure();
    if (factor == 1)
      return markAllAnalysesPreserved();
    // Ops without numbers would get numbers in their new order.
    // A loop is on one virtual graph, but a copy is between two of them.
    BatchAxes axes(getOperation(), factor,
                   /*dividesCopies=*/method != BatchMethod::Loop);
    if (failed(numberDraws(getOperation())) || failed(axes.compute(axis)))
      return signalPassFailure();
    if (method == BatchMethod::Loop)
      buildLoops(axes);
    else
      unroll(axes);
    auto emitMetrics = [&](auto remark) {
      remark << remark::metric("ops", axes.getNumBatchOps())
             << remark::metric("whole-ops", axes.getNumWholeOps());
    };
    Location loc = getOperation().getLoc();
    if (axes.getNumBatchOps() > 0)
      emitMetrics(remark::passed(loc, getGraphRemark("BatchSerialize")));
    else
      emitMetrics(remark::missed(loc, getGraphRemark("BatchSerialize")));
  }

private:
  LogicalResult verifyOptions() {
    if (factor < 1)
      return getOperation().emitError()
             << "'" << getArgument()
             << "' expects option 'factor' to be at least 1 but got "
             << factor.getValue();
    if (axis < 0)
      return getOperation().emitError()
             << "'" << getArgument()
             << "' expects option 'axis' to be at least 0 but got "
             << axis.getValue();
    return success();
  }

  BatchBorders getBorders() const {
    return {concatOnVgraphChange, concatOnStageChange, concatOnPhaseChange};
  }

  void unroll(const BatchAxes &axes) {
    forEachBatchBlock(getOperation(), axes,
                      [&](Block &, ArrayRef<Operation *> ops) {
                        BatchUnroller unroller(factor, getBorders(),
                                               method == BatchMethod::Dynamic);
                        for (Operation *op : ops)
                          unroller.unroll(op, *axes.lookup(op));
                        unroller.eraseUnused();
                      });
  }

  void buildLoops(const BatchAxes &axes) {
    llvm::DenseSet<Operation *> loops;
    forEachBatchBlock(getOperation(), axes,
                      [&](Block &block, ArrayRef<Operation *> ops) {
                        BatchLoops builder(block, factor, getBorders());
                        for (Operation *op : ops)
                          loops.insert(builder.buildLoop(op, *axes.lookup(op)));
                      });
    LoopMerger merger(getOperation());
    merger.find([&](scf::ForOp loop) { return loops.contains(loop); });
    for (scf::ForOp loop : merger.merge())
      storeRowsToRefs(loop);
  }
};
} // namespace
