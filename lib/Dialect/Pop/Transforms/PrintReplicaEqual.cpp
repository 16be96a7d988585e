//===- PrintReplicaEqual.cpp - Printing of equal replicas -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions with ops of any dialects. Out: the same module.
// Prints on which replicas each value and each modified ref is
// equal.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PRINTREPLICAEQUALPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct PrintReplicaEqualPass
    : pop::impl::PrintReplicaEqualPassBase<PrintReplicaEqualPass> {
  using PrintReplicaEqualPassBase::PrintReplicaEqualPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(module, getNumReplicas(module, replicas),
                             StochasticRoundingSemantics());
    if (failed(analysis))
      return signalPassFailure();
    printReplicaEqual(module, *analysis, llvm::outs());
    if (explain)
      explainReplicaEqual(module, *analysis);
    warnOfReplicaDisagreements(*analysis);
  }
};
} // namespace
