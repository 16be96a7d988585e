//===- VerifyStochasticRounding.cpp - Verification of rounding methods ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, or errors at ops
// whose attributes do not fit the rounding of the
// module.
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
  using VerifyStochasticRoundingPassBase::VerifyStochasticRoundingPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
        PopDialect::kStochasticRoundingAttrName);
    bool rounds = rounding != nullptr;
    int64_t replicas = getTargetModel(module).replicas;
    bool isValid = true, hasMethods = false;
    forEachRoundedOp(module, [&](Operation *op) {
      StochasticRoundingMethodAttr method = getRoundingMethod(op);
      hasMethods |= method != nullptr;
      bool isMissing = !method && onlyForced;
      isValid &=
          (isMissing || succeeded(verify(op, method, rounds, replicas))) &&
          succeeded(verifyDraw(op, rounding));
    });
    if (!isValid ||
        (rounds && hasMethods && failed(verifyControl(module, replicas))))
      signalPassFailure();
  }

private:
  LogicalResult verifyDraw(Operation *op, StochasticRoundingAttr rounding) {
    StringRef name = PopDialect::kDrawAttrName;
    bool isNumbered = op->hasAttr(name), mayRound = mayRoundStochastically(op);
    if (isNumbered && !rounding)
      return op->emitOpError() << "has attribute '" << name
                               << "' in a module that rounds to nearest";
    if (isNumbered && !mayRound)
      return op->emitOpError()
             << "has attribute '" << name << "' but does not round";
    if (isNumbered || !mayRound || onlyForced || !rounding ||
        rounding.getGenerator() != RngGenerator::Counter)
      return success();
    return op->emitOpError()
           << "expects attribute '" << name
           << "' in a module that rounds with generator 'counter'; run "
              "pop-number-draws";
  }

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
      StochasticRoundingMethodAttr method = getRoundingMethod(op);
      bool isAdvance = isa<AdvanceDrawsOp>(op);
      if (!method || (!isAdvance && !mayRoundStochastically(op)))
        return;
      ReplicaPartition drawn =
          partitions.get(method.getPartition().getClasses());
      if (isAdvance ? drawn == control : partitions.isFiner(drawn, control))
        return;
      isValid = false;
      if (isAdvance) {
        op->emitOpError() << "expects a rounding method with the classes of "
                             "replicas that execute the op equally often "
                             "(replica partition '"
                          << toString(control) << "') but got " << method;
        return;
      }
      InFlightDiagnostic error =
          op->emitOpError() << "expects a rounding method that is at least as "
                               "fine as the classes of replicas that execute "
                               "the op equally often (replica partition '"
                            << toString(control) << "') but got " << method;
      noteReplicaDifference(error, analysis->explainControl(op->getBlock()));
    });
    return success(isValid);
  }

  static LogicalResult verify(Operation *op,
                              StochasticRoundingMethodAttr method, bool rounds,
                              int64_t replicas) {
    StringRef name = PopDialect::kStochasticRoundingMethodAttrName;
    if (!rounds && method)
      return op->emitOpError() << "has attribute '" << name
                               << "' in a module that rounds to nearest";
    if (rounds && !method)
      return op->emitOpError()
             << "expects attribute '" << name
             << "' in a module that rounds stochastically; run "
                "pop-stochastic-rounding";
    if (!method || method.getPartition().getNumReplicas() == replicas)
      return success();
    InFlightDiagnostic error = op->emitOpError();
    error << "expects a rounding method for " << replicas
          << (replicas > 1 ? " replicas" : " replica") << " but got " << method;
    auto module = op->getParentOfType<ModuleOp>();
    if (!module->hasAttr(IPUDialect::kTargetAttrName))
      error.attachNote(module.getLoc())
          << "the module has no target, which means one replica";
    return error;
  }
};
} // namespace
