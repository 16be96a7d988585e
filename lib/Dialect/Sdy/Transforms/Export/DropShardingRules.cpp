//===- DropShardingRules.cpp - Removal of sharding rules ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_DROPSHARDINGRULESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct DropShardingRulesPass
    : sdy::impl::DropShardingRulesPassBase<DropShardingRulesPass> {
  using DropShardingRulesPassBase::DropShardingRulesPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](Operation *op) {
      changed |= static_cast<bool>(op->removeAttr(kShardingRuleAttrName));
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
