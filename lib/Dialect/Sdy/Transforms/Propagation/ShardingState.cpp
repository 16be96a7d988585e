//===- ShardingState.cpp - Shardings during propagation -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingState.h"

#include "../DataFlowEdges.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

SmallVector<sharding::AxisList>
ShardingState::getHiddenAxes(const Tensor &tensor) {
  ManualComputationOp manual = getManualComputation(tensor.value);
  return manual ? getLeadingManualAxes(manual, getSharding(tensor.value))
                : SmallVector<sharding::AxisList>();
}

bool ShardingState::Tensor::hasAxes() const {
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

ShardingState::Tensor *ShardingState::get(Value value) {
  auto [it, isNew] = tensorOfValue.try_emplace(value, nullptr);
  if (!isNew)
    return it->second;
  if (!isShardable(value.getType()) ||
      (hasOpaqueRegions && isInOpaqueRegion(value)))
    return nullptr;
  Value owner = getShardedValue(value);
  if (!owner)
    return nullptr;
  if (owner != value) {
    Tensor *tensor = get(owner);
    return tensorOfValue[value] = tensor;
  }
  Tensor &tensor = tensors.emplace_back();
  tensor.value = value;
  read(tensor);
  return it->second = &tensor;
}

ShardingState::Tensor *ShardingState::get(FunctionOpInterface function,
                                          unsigned result) {
  if (!isShardable(function.getResultTypes()[result]))
    return nullptr;
  auto [it, isNew] = tensorOfResult.try_emplace({function, result}, nullptr);
  if (!isNew)
    return it->second;
  Tensor &tensor = tensors.emplace_back();
  tensor.function = function;
  tensor.result = result;
  read(tensor);
  return it->second = &tensor;
}

TensorShardingAttr ShardingState::getGiven(const Tensor &tensor) {
  if (tensor.value)
    return getSharding(tensor.value);
  FunctionOpInterface function = tensor.function;
  return function.getResultAttrOfType<TensorShardingAttr>(tensor.result,
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

void ShardingState::read(Tensor &tensor) {
  TensorShardingAttr given = getGiven(tensor);
  Type type = tensor.value ? tensor.value.getType()
                           : FunctionOpInterface(tensor.function)
                                 .getResultTypes()[tensor.result];
  tensor.sharding =
      sharding::getOpenSharding(cast<RankedTensorType>(type).getRank());
  if (!given)
    return;
  tensor.meshOrRef = given.getMeshOrRef();
  tensor.mesh = given.getMesh(symbols.getSymbolTable(module));
  tensor.reductionKind = given.getReductionKind();
  for (auto [dim, from] :
       llvm::zip(tensor.sharding.dims, given.getDimShardings())) {
    dim.axes = getAxisList(from.getAxes(), tensor.mesh);
    dim.isClosed = from.getIsClosed();
    tensor.hasPriorities |= from.getPriority().has_value();
  }
  for (auto [dim, hidden] :
       llvm::zip(tensor.sharding.dims, getHiddenAxes(tensor)))
    dim.axes.erase(dim.axes.begin(), dim.axes.begin() + hidden.size());
  tensor.sharding.replicated =
      getAxisList(given.getReplicatedAxes(), tensor.mesh);
  tensor.sharding.unreduced =
      getAxisList(given.getUnreducedAxes(), tensor.mesh);
  if (auto manual = dyn_cast_or_null<ManualComputationOp>(
          tensor.value ? tensor.value.getDefiningOp() : nullptr))
    keepFree(tensor.sharding, manual, tensor.mesh);
}

TensorShardingAttr ShardingState::getAttr(const Tensor &tensor) const {
  MLIRContext *context = tensor.meshOrRef.getContext();
  auto getRefs = [&](ArrayRef<sharding::AxisRef> axes) {
    return llvm::map_to_vector(axes, [&](const sharding::AxisRef &axis) {
      return getAxisRefAttr(context, axis, tensor.mesh);
    });
  };
  SmallVector<sharding::AxisList> hidden = getHiddenAxes(tensor);
  SmallVector<DimensionShardingAttr> dims;
  for (auto [i, dim] : llvm::enumerate(tensor.sharding.dims)) {
    sharding::AxisList axes(dim.axes);
    if (!hidden.empty())
      axes.insert(axes.begin(), hidden[i].begin(), hidden[i].end());
    dims.push_back(DimensionShardingAttr::get(
        context, getRefs(axes), dim.isClosed, /*priority=*/std::nullopt));
  }
  return TensorShardingAttr::get(
      context, tensor.meshOrRef, dims, getRefs(tensor.sharding.replicated),
      getRefs(tensor.sharding.unreduced), tensor.reductionKind);
}

void ShardingState::write() {
  StringAttr name = StringAttr::get(module.getContext(), kShardingAttrName);
  for (Tensor &tensor : tensors) {
    if (!tensor.hasChanged)
      continue;
    tensor.hasChanged = false;
    if (!tensor.value)
      tensor.function.setResultAttr(tensor.result, name, getAttr(tensor));
    else if (tensorOfValue.contains(tensor.value))
      setSharding(tensor.value, getAttr(tensor));
  }
}
