//===- StochasticRounding.cpp - Methods of stochastic rounding --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions, where some ops may have a rounding method already.
// Out: the same module, with a rounding method on each op, and with numbers of
// draws if the module rounds stochastically. Another mode of the pass only
// warns of calls that need different methods.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_STOCHASTICROUNDINGPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
struct StochasticRoundingPass
    : pop::impl::StochasticRoundingPassBase<StochasticRoundingPass> {
  using StochasticRoundingPassBase::StochasticRoundingPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(PopDialect::kStochasticRoundingAttrName))
      return;
    // Before methods: an advance has one, too.
    if (!onlyWarn && failed(numberDraws(module)))
      return signalPassFailure();
    int64_t count = replicas != 0 ? replicas : getTargetModel(module).replicas;
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(module, count, StochasticRoundingSemantics());
    if (failed(analysis))
      return signalPassFailure();
    if (onlyWarn)
      return warnOfReplicaDisagreements(*analysis);
    llvm::DenseMap<const void *, Attribute> methods;
    forEachRoundedOp(module, [&](Operation *op) {
      if (op->hasAttr(PopDialect::kStochasticRoundingMethodAttrName))
        return;
      // States move on where replicas that share one execute the op together.
      ReplicaPartition partition = isa<AdvanceDrawsOp>(op)
                                       ? analysis->getControl(op->getBlock())
                                       : analysis->getOverall(op);
      Attribute &method = methods[partition.getAsOpaquePointer()];
      if (!method)
        method = StochasticRoundingMethodAttr::get(
            &getContext(),
            ReplicaPartitionAttr::get(&getContext(), partition.getClasses()));
      op->setAttr(PopDialect::kStochasticRoundingMethodAttrName, method);
    });
  }
};
} // namespace
