//===- PropagationPasses.cpp - The passes of propagation ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_BASICPROPAGATEPASS
#define GEN_PASS_DEF_AGGRESSIVEPROPAGATEPASS
#define GEN_PASS_DEF_OPPRIORITYPROPAGATEPASS
#define GEN_PASS_DEF_USERPRIORITYPROPAGATEPASS
#define GEN_PASS_DEF_POPULATEOPSHARDINGRULESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct BasicPropagatePass
    : sdy::impl::BasicPropagatePassBase<BasicPropagatePass> {
  using BasicPropagatePassBase::BasicPropagatePassBase;
  void runOnOperation() override {
    PropagationOptions options;
    options.strategy = PropagationStrategy::Basic;
    options.opPriority = options.userPriority = false;
    options.conservative = conservative;
    options.keepShardingRules = keepShardingRules;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct AggressivePropagatePass
    : sdy::impl::AggressivePropagatePassBase<AggressivePropagatePass> {
  using AggressivePropagatePassBase::AggressivePropagatePassBase;
  void runOnOperation() override {
    PropagationOptions options;
    options.strategy = strategy;
    options.opPriority = options.userPriority = false;
    options.conservative = conservative;
    options.keepShardingRules = keepShardingRules;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct OpPriorityPropagatePass
    : sdy::impl::OpPriorityPropagatePassBase<OpPriorityPropagatePass> {
  using OpPriorityPropagatePassBase::OpPriorityPropagatePassBase;
  void runOnOperation() override {
    PropagationOptions options;
    options.strategy = strategy;
    options.opPriority = runOpPriority;
    options.userPriority = false;
    options.conservative = conservative;
    options.keepShardingRules = keepShardingRules;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct UserPriorityPropagatePass
    : sdy::impl::UserPriorityPropagatePassBase<UserPriorityPropagatePass> {
  using UserPriorityPropagatePassBase::UserPriorityPropagatePassBase;
  void runOnOperation() override {
    PropagationOptions options;
    options.strategy = strategy;
    options.opPriority = runOpPriority;
    options.conservative = conservative;
    options.keepShardingRules = keepShardingRules;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct PopulateOpShardingRulesPass
    : sdy::impl::PopulateOpShardingRulesPassBase<PopulateOpShardingRulesPass> {
  using PopulateOpShardingRulesPassBase::PopulateOpShardingRulesPassBase;
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (std::optional<sharding::Rule> rule =
              getShardingRule(op, conservative))
        op->setAttr(kShardingRuleAttrName, getRuleAttr(&getContext(), *rule));
    });
  }
};
} // namespace
