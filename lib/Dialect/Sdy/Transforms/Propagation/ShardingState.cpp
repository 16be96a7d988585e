//===- ShardingState.cpp - Shardings while they propagate -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingState.h"

#include "../DataFlowEdges.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

SmallVector<sharding::AxisList> ShardingState::getHiddenAxes(const Slot &slot) {
  ManualComputationOp manual = getManualComputation(slot.value);
  return manual ? getLeadingManualAxes(manual, getSharding(slot.value))
                : SmallVector<sharding::AxisList>();
}

bool ShardingState::Slot::hasAxes() const {
  return llvm::any_of(sharding.dims, [](const sharding::DimSharding &dim) {
    return !dim.axes.empty();
  });
}

static bool isShardable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

static bool isOpaque(Operation *op) {
  return !op->isRegistered() && op->getNumRegions() != 0;
}

ShardingState::ShardingState(ModuleOp module) : module(module) {
  module.walk([&](Operation *op) { hasOpaqueRegions |= isOpaque(op); });
}

/// Meshes cannot be looked up from there.
static bool isInOpaqueRegion(Value value) {
  Operation *parent = value.getParentBlock()->getParentOp();
  for (; parent; parent = parent->getParentOp())
    if (isOpaque(parent))
      return true;
  return false;
}

ShardingState::Slot *ShardingState::get(Value value) {
  auto [it, isNew] = slotOfValue.try_emplace(value, nullptr);
  if (!isNew)
    return it->second;
  if (!isShardable(value.getType()) ||
      (hasOpaqueRegions && isInOpaqueRegion(value)))
    return nullptr;
  Value owner = getShardedValue(value);
  if (!owner)
    return nullptr;
  if (owner != value) {
    Slot *slot = get(owner);
    return slotOfValue[value] = slot;
  }
  Slot &slot = slots.emplace_back();
  slot.value = value;
  read(slot);
  return it->second = &slot;
}

ShardingState::Slot *ShardingState::get(FunctionOpInterface function,
                                        unsigned result) {
  if (!isShardable(function.getResultTypes()[result]))
    return nullptr;
  auto [it, isNew] = slotOfResult.try_emplace({function, result}, nullptr);
  if (!isNew)
    return it->second;
  Slot &slot = slots.emplace_back();
  slot.function = function;
  slot.result = result;
  read(slot);
  return it->second = &slot;
}

TensorShardingAttr ShardingState::getGiven(const Slot &slot) {
  if (slot.value)
    return getSharding(slot.value);
  FunctionOpInterface function = slot.function;
  return function.getResultAttrOfType<TensorShardingAttr>(slot.result,
                                                          kShardingAttrName);
}

/// Lets no manual axis of `op` come to a dimension of its result that has not
/// got it: the type of the body would not fit.
static void keepFree(sharding::TensorSharding &sharding, ManualComputationOp op,
                     MeshAttr mesh) {
  for (StringAttr name : op.getManualAxes().getValue()) {
    std::optional<sharding::AxisRef> axis =
        getAxisRef(AxisRefAttr::get(op.getContext(), name, nullptr), mesh);
    auto isSame = [&](const sharding::AxisRef &other) {
      return sharding::overlaps(*axis, other);
    };
    if (!axis || llvm::any_of(sharding.replicated, isSame) ||
        llvm::any_of(sharding.unreduced, isSame) ||
        llvm::any_of(sharding.dims, [&](const sharding::DimSharding &dim) {
          return llvm::any_of(dim.axes, isSame);
        }))
      continue;
    sharding.replicated.push_back(*axis);
  }
  llvm::sort(sharding.replicated, sharding::isBefore);
}

void ShardingState::read(Slot &slot) {
  TensorShardingAttr given = getGiven(slot);
  Type type =
      slot.value
          ? slot.value.getType()
          : FunctionOpInterface(slot.function).getResultTypes()[slot.result];
  slot.sharding =
      sharding::getOpenSharding(cast<RankedTensorType>(type).getRank());
  if (!given)
    return;
  slot.meshOrRef = given.getMeshOrRef();
  slot.mesh = given.getMesh(symbols.getSymbolTable(module));
  slot.reductionKind = given.getReductionKind();
  for (auto [dim, from] :
       llvm::zip(slot.sharding.dims, given.getDimShardings())) {
    dim.axes = getAxisList(from.getAxes(), slot.mesh);
    dim.isClosed = from.getIsClosed();
    slot.hasPriorities |= from.getPriority().has_value();
  }
  for (auto [dim, hidden] : llvm::zip(slot.sharding.dims, getHiddenAxes(slot)))
    dim.axes.erase(dim.axes.begin(), dim.axes.begin() + hidden.size());
  slot.sharding.replicated = getAxisList(given.getReplicatedAxes(), slot.mesh);
  slot.sharding.unreduced = getAxisList(given.getUnreducedAxes(), slot.mesh);
  if (auto manual = dyn_cast_or_null<ManualComputationOp>(
          slot.value ? slot.value.getDefiningOp() : nullptr))
    keepFree(slot.sharding, manual, slot.mesh);
}

TensorShardingAttr ShardingState::getAttr(const Slot &slot) const {
  MLIRContext *context = slot.meshOrRef.getContext();
  auto getRefs = [&](ArrayRef<sharding::AxisRef> axes) {
    return llvm::map_to_vector(axes, [&](const sharding::AxisRef &axis) {
      return getAxisRefAttr(context, axis, slot.mesh);
    });
  };
  SmallVector<sharding::AxisList> hidden = getHiddenAxes(slot);
  SmallVector<DimensionShardingAttr> dims;
  for (auto [i, dim] : llvm::enumerate(slot.sharding.dims)) {
    sharding::AxisList axes(dim.axes);
    if (!hidden.empty())
      axes.insert(axes.begin(), hidden[i].begin(), hidden[i].end());
    dims.push_back(DimensionShardingAttr::get(
        context, getRefs(axes), dim.isClosed, /*priority=*/std::nullopt));
  }
  return TensorShardingAttr::get(
      context, slot.meshOrRef, dims, getRefs(slot.sharding.replicated),
      getRefs(slot.sharding.unreduced), slot.reductionKind);
}

void ShardingState::write() {
  StringAttr name = StringAttr::get(module.getContext(), kShardingAttrName);
  for (Slot &slot : slots) {
    if (!slot.hasChanged)
      continue;
    slot.hasChanged = false;
    if (!slot.value)
      slot.function.setResultAttr(slot.result, name, getAttr(slot));
    else if (slotOfValue.contains(slot.value))
      setSharding(slot.value, getAttr(slot));
  }
}
