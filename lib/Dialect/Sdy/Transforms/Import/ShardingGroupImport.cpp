//===- ShardingGroupImport.cpp - Sharding groups that do not overlap ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Propagation/ShardingGroups.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/IntEqClasses.h"
#include <map>

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_SHARDINGGROUPIMPORTPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Members are in one manual computation, or in none.
static LogicalResult verifyGroup(ArrayRef<ShardingGroupOp> group) {
  ShardingGroupOp first = group.front();
  for (ShardingGroupOp op : group.drop_front()) {
    if (op->getParentOfType<ManualComputationOp>() !=
        first->getParentOfType<ManualComputationOp>()) {
      InFlightDiagnostic diagnostic =
          op.emitOpError() << "of group " << op.getGroupId()
                           << " expects all members in one manual computation, "
                              "or all outside of manual computations";
      diagnostic.attachNote(first.getLoc()) << "another member is here";
      return diagnostic;
    }
  }
  return success();
}

namespace {
struct ShardingGroupImportPass
    : sdy::impl::ShardingGroupImportPassBase<ShardingGroupImportPass> {
  using ShardingGroupImportPassBase::ShardingGroupImportPassBase;
  void runOnOperation() override {
    // By the order of their numbers, which may be any.
    std::map<int64_t, SmallVector<ShardingGroupOp>> members;
    getOperation().walk([&](ShardingGroupOp op) {
      members[static_cast<int64_t>(op.getGroupId())].push_back(op);
    });
    if (members.empty())
      return markAllAnalysesPreserved();
    if (failed(verifyGroupShapes(getOperation())))
      return signalPassFailure();
    // Groups that share a value are one.
    llvm::IntEqClasses classes(members.size());
    llvm::DenseMap<Value, unsigned> groupOfValue;
    for (auto [i, entry] : llvm::enumerate(members))
      for (ShardingGroupOp op : entry.second) {
        auto [it, isNew] = groupOfValue.try_emplace(op.getInput(), i);
        if (isNew)
          continue;
        classes.join(it->second, i);
        duplicates.push_back(op);
      }
    // Numbered anew in the order of their smallest numbers.
    classes.compress();
    std::map<int64_t, SmallVector<ShardingGroupOp>> merged;
    for (auto [i, entry] : llvm::enumerate(members))
      llvm::append_range(merged[classes[i]], entry.second);
    for (auto &[id, ops] : merged) {
      if (failed(verifyGroup(ops)))
        return signalPassFailure();
      for (ShardingGroupOp op : ops)
        op.setGroupId(id);
    }
    for (ShardingGroupOp op : duplicates)
      op.erase();
    duplicates.clear();
  }

private:
  /// On values that are in their group already.
  SmallVector<ShardingGroupOp> duplicates;
};
} // namespace
