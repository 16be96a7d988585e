//===- RemoveShardingGroups.cpp - Removal of sharding groups --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVESHARDINGGROUPSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct RemoveShardingGroupsPass
    : sdy::impl::RemoveShardingGroupsPassBase<RemoveShardingGroupsPass> {
  using RemoveShardingGroupsPassBase::RemoveShardingGroupsPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](ShardingGroupOp op) {
      op.erase();
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
