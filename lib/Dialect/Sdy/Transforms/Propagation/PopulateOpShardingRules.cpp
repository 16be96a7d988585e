//===- PopulateOpShardingRules.cpp - Attributes of sharding rules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_POPULATEOPSHARDINGRULESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
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
