//===- SeparateVariables.cpp - Variables with a value for each replica ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions with ops of any dialects. Out: the same module,
// where variables that are equal on all replicas at first, but may become
// different, have a group for each replica.
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
    int64_t count = getNumReplicas(module, replicas);
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(module, count, StochasticRoundingSemantics());
    if (failed(analysis))
      return signalPassFailure();
    auto each = pop::ReplicaGroupsAttr::getStrided(&getContext(), 1, 1);
    for (auto variable : module.getOps<pop::VariableOp>())
      if (hasOneStart(variable, count) && !variable.getSharding() &&
          analysis->mayDrift(cast<ReplicaStateOpInterface>(*variable)))
        variable.setGroupsAttr(each);
  }

private:
  /// Whether the host has one value for all replicas at first, and reads either
  /// this value or those of all replicas.
  static bool hasOneStart(pop::VariableOp variable, int64_t count) {
    if (variable.getRetrieval() == Retrieval::AllReplicas)
      return variable.getValue().getShapedType() == variable.getTensorType();
    FailureOr<ReplicaGroups> groups =
        resolveReplicaGroups(variable.getGroupsAttr(), count,
                             [&] { return variable.emitOpError(); });
    return succeeded(groups) && groups->getNumGroups() == 1;
  }
};
} // namespace
