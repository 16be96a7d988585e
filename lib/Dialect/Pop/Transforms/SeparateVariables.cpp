//===- SeparateVariables.cpp - Variables with a value for each replica ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions with ops of any dialects. Out: the same module,
// where the host has a value for each replica of those variables that may
// become different on replicas from which it read one value.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_SEPARATEVARIABLESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct SeparateVariablesPass
    : pop::impl::SeparateVariablesPassBase<SeparateVariablesPass> {
  using SeparateVariablesPassBase::SeparateVariablesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(module, getNumReplicas(module, replicas),
                             StochasticRoundingSemantics());
    if (failed(analysis))
      return signalPassFailure();
    auto each = pop::ReplicaGroupsAttr::getStrided(&getContext(), 1, 1);
    for (const ReplicaDrift &drift : analysis->getDrifts()) {
      auto variable = dyn_cast<pop::VariableOp>(drift.op);
      if (variable && !variable.getGroups() && !variable.getSharding())
        variable.setGroupsAttr(each);
    }
  }
};
} // namespace
