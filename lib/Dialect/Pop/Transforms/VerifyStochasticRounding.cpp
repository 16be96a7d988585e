//===- VerifyStochasticRounding.cpp - All ops have seeds or none ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module.
// Out: the same, or errors at ops whose attributes do not fit how the module
// rounds.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYSTOCHASTICROUNDINGPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
struct VerifyStochasticRoundingPass
    : pop::impl::VerifyStochasticRoundingPassBase<
          VerifyStochasticRoundingPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool rounds = module->hasAttr(PopDialect::kStochasticRoundingAttrName);
    int64_t replicas = getTargetModel(module).replicas;
    bool isValid = true;
    forEachRoundedOp(module, [&](Operation *op) {
      isValid &= succeeded(verify(op, rounds, replicas));
    });
    if (!isValid || (rounds && failed(verifyControl(module, replicas))))
      signalPassFailure();
  }

private:
  /// Replicas that draw from one RNG state for an op have to execute it equally
  /// often: else their states differ from then on.
  static LogicalResult verifyControl(ModuleOp module, int64_t replicas) {
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(module, replicas, StochasticRoundingSemantics());
    if (failed(analysis))
      return failure();
    bool isValid = true;
    ReplicaPartitions &partitions = analysis->getPartitions();
    forEachRoundedOp(module, [&](Operation *op) {
      ReplicaPartition control = analysis->getControl(op->getBlock());
      if (control.isAll() || !mayRoundStochastically(op))
        return;
      auto method = op->getAttrOfType<StochasticRoundingMethodAttr>(
          PopDialect::kStochasticRoundingMethodAttrName);
      if (partitions.isFiner(partitions.get(method.getPartition().getClasses()),
                             control))
        return;
      isValid = false;
      InFlightDiagnostic error =
          op->emitOpError()
          << "expects a method that tells replicas apart which do not execute "
             "it equally often, "
          << toString(control) << ", but got " << method;
      noteReplicaDifference(error, analysis->explainControl(op->getBlock()));
    });
    return success(isValid);
  }

  static LogicalResult verify(Operation *op, bool rounds, int64_t replicas) {
    StringRef name = PopDialect::kStochasticRoundingMethodAttrName;
    auto method = op->getAttrOfType<StochasticRoundingMethodAttr>(name);
    if (!rounds && method)
      return op->emitOpError() << "has attribute '" << name
                               << "' in a module that rounds to nearest";
    if (rounds && !method)
      return op->emitOpError()
             << "expects attribute '" << name
             << "' in a module that rounds stochastically; run "
                "pop-stochastic-rounding";
    if (method && method.getPartition().getNumReplicas() != replicas)
      return op->emitOpError() << "expects a method for " << replicas
                               << (replicas > 1 ? " replicas" : " replica")
                               << " but got " << method;
    return success();
  }
};
} // namespace
