//===- ShardingGroups.cpp - Groups of equally sharded values --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingGroups.h"

#include "../DataFlowEdges.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

LogicalResult sdy::verifyGroupShapes(ModuleOp module) {
  std::map<int64_t, ShardingGroupOp> firsts;
  auto getShape = [](ShardingGroupOp op) {
    return cast<ShapedType>(op.getInput().getType()).getShape();
  };
  WalkResult walked = module.walk([&](ShardingGroupOp op) {
    auto [it, isNew] =
        firsts.try_emplace(static_cast<int64_t>(op.getGroupId()), op);
    ShardingGroupOp first = it->second;
    if (isNew || getShape(op) == getShape(first))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "of group " << op.getGroupId()
                                    << " expects members of one shape but got "
                                    << op.getInput().getType();
    diagnostic.attachNote(first.getLoc())
        << "another member is of type " << first.getInput().getType();
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

ShardingGroups::ShardingGroups(ModuleOp module) {
  module.walk([&](ShardingGroupOp op) {
    auto id = static_cast<int64_t>(op.getGroupId());
    if (groupOfValue.try_emplace(op.getInput(), id).second)
      groups[id].push_back(op.getInput());
  });
}

ArrayRef<Value> ShardingGroups::getMembers(Value value) const {
  auto it = groupOfValue.find(value);
  if (it == groupOfValue.end())
    return {};
  return groups.find(it->second)->second;
}

void ShardingGroups::forget(Value value) {
  auto it = groupOfValue.find(value);
  if (it == groupOfValue.end())
    return;
  llvm::erase(groups[it->second], value);
  groupOfValue.erase(it);
}

/// Whether a sharding leaves everything open.
static bool saysNothing(TensorShardingAttr sharding) {
  return !sharding ||
         llvm::all_of(sharding.getDimShardings(),
                      [](DimensionShardingAttr dim) {
                        return dim.emptyAxes() && !dim.getIsClosed();
                      });
}

void ShardingGroups::wrap(int64_t id, ArrayRef<Value> members,
                          Attribute meshOrRef) {
  SmallVector<Value> &wrapped = groups[id];
  wrapped.clear();
  for (Value member : members) {
    OpBuilder builder(member.getContext());
    builder.setInsertionPointAfterValue(member);
    auto type = cast<RankedTensorType>(member.getType());
    auto constraint = ShardingConstraintOp::create(
        builder, member.getLoc(), type, member,
        TensorShardingAttr::getFullyOpen(member.getContext(), type.getRank(),
                                         meshOrRef));
    member.replaceAllUsesExcept(constraint.getResult(), constraint);
    groupOfValue.erase(member);
    wrapped.push_back(constraint.getResult());
    groupOfValue[constraint.getResult()] = id;
  }
}

void ShardingGroups::sync() {
  for (auto &[id, members] : groups) {
    SmallVector<Value> carriers;
    for (Value member : members)
      // Without an edge, what an argument of a manual computation has is not
      // what is seen inside.
      if (Value carrier = getShardedValue(member);
          carrier && !getManualComputation(carrier))
        carriers.push_back(carrier);
    TensorShardingAttr given;
    Value first, other;
    for (Value carrier : carriers) {
      TensorShardingAttr sharding = getSharding(carrier);
      if (saysNothing(sharding))
        continue;
      if (!given) {
        given = sharding;
        first = carrier;
      } else if (sharding != given && !other) {
        other = carrier;
      }
    }
    if (!given)
      continue;
    if (!other) {
      for (Value carrier : carriers)
        setSharding(carrier, given);
      continue;
    }
    // Import has numbered groups anew: their members tell which one it is.
    InFlightDiagnostic warning =
        mlir::emitWarning(other.getLoc())
        << "members of a sharding group have different shardings: "
        << getSharding(other) << " here but " << given
        << " at another member; the members keep these shardings, and only "
           "the uses of the members get one common sharding";
    warning.attachNote(first.getLoc()) << "the other member";
    wrap(id, SmallVector<Value>(members), given.getMeshOrRef());
  }
}
