//===- VerifyReplicas.cpp - Groups and the target's replicas ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of pop functions for a target.
// Out: the same; an error at each op that is not one for as many replicas as
// the target has, a warning if values are sharded over them.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_VERIFYREPLICASPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Whether replicas would hold different parts of a value.
static bool isSplit(sdy::TensorShardingAttr sharding) {
  return sharding && (!sharding.getUnreducedAxes().empty() ||
                      llvm::any_of(sharding.getDimShardings(),
                                   [](sdy::DimensionShardingAttr dim) {
                                     return !dim.getAxes().empty();
                                   }));
}

/// Nothing splits tensors here: sharded ones are computed as if they were not.
static void warnOfShardings(ModuleOp module, int64_t replicas) {
  Value first;
  int64_t count = 0;
  auto add = [&](Value value) {
    if (!isSplit(sdy::getSharding(value)))
      return;
    if (++count == 1)
      first = value;
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  if (count == 0)
    return;
  InFlightDiagnostic diag = emitWarning(first.getLoc());
  if (auto argument = dyn_cast<BlockArgument>(first))
    diag << "argument " << argument.getArgNumber() << " of '"
         << argument.getOwner()->getParentOp()->getName() << "'";
  else
    diag << "'" << first.getDefiningOp()->getName() << "' op result "
         << cast<OpResult>(first).getResultNumber();
  diag << " is sharded as " << sdy::getSharding(first)
       << ", but the program is not partitioned: each of the " << replicas
       << " replicas computes the whole of it";
  if (count > 1)
    diag << "; there are " << count << " such values";
}

namespace {
struct VerifyReplicas : ipu::impl::VerifyReplicasPassBase<VerifyReplicas> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    int64_t replicas = getTargetModel(getOperation()).replicas;
    getOperation()->walk([&](pop::ReplicatedOpInterface op) {
      if (failed(op.verifyReplicas(replicas)))
        signalPassFailure();
    });
    if (replicas > 1)
      warnOfShardings(getOperation(), replicas);
  }
};
} // namespace
