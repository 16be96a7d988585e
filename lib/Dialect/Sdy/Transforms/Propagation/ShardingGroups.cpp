//===- ShardingGroups.cpp - Values with one sharding ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingGroups.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

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

void ShardingGroups::sync(ShardingState &state) {
  for (auto &[id, members] : groups) {
    SmallVector<ShardingState::Slot *> slots;
    for (Value member : members)
      if (ShardingState::Slot *slot = state.get(member))
        slots.push_back(slot);
    const ShardingState::Slot *given = nullptr;
    bool agree = true;
    for (ShardingState::Slot *slot : slots) {
      bool saysNothing =
          !slot->exists() ||
          slot->sharding == sharding::getOpenSharding(slot->sharding.dims.size());
      if (saysNothing)
        continue;
      if (given)
        agree &= slot->sharding == given->sharding &&
                 slot->mesh == given->mesh;
      else
        given = slot;
    }
    if (!given)
      continue;
    if (agree) {
      for (ShardingState::Slot *slot : slots) {
        if (slot->exists() && slot->sharding == given->sharding)
          continue;
        slot->sharding = given->sharding;
        slot->meshOrRef = given->meshOrRef;
        slot->mesh = given->mesh;
        slot->hasChanged = true;
      }
      continue;
    }
    InFlightDiagnostic warning = mlir::emitWarning(given->value.getLoc());
    warning << "sharding group " << id
            << " has members of several shardings: propagates between their "
               "users only";
    for (const ShardingState::Slot *slot : slots)
      if (slot->exists() && !(slot->sharding == given->sharding))
        warning.attachNote(slot->value.getLoc()) << "another one is here";
    for (Value &member : members) {
      OpBuilder builder(member.getContext());
      builder.setInsertionPointAfterValue(member);
      auto type = cast<RankedTensorType>(member.getType());
      auto open = TensorShardingAttr::getFullyOpen(
          member.getContext(), type.getRank(), given->meshOrRef);
      auto constraint = ShardingConstraintOp::create(builder, member.getLoc(),
                                                     member.getType(), member,
                                                     open);
      member.replaceAllUsesExcept(constraint.getResult(), constraint);
      groupOfValue.erase(member);
      member = constraint.getResult();
      groupOfValue[member] = id;
    }
  }
}
