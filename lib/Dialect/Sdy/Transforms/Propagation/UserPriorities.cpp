//===- UserPriorities.cpp - Priorities of dimensions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UserPriorities.h"

#include "../DataFlowEdges.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static TensorShardingPerValueAttr
dropPriorities(TensorShardingPerValueAttr shardings) {
  MLIRContext *context = shardings.getContext();
  auto dropped = llvm::map_to_vector(
      shardings.getShardings(), [&](TensorShardingAttr sharding) {
        auto dims = llvm::map_to_vector(
            sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
              return DimensionShardingAttr::get(
                  context, dim.getAxes(), dim.getIsClosed(), std::nullopt);
            });
        return TensorShardingAttr::get(context, sharding.getMeshOrRef(), dims,
                                       sharding.getReplicatedAxes(),
                                       sharding.getUnreducedAxes(),
                                       sharding.getReductionKind());
      });
  return TensorShardingPerValueAttr::get(context, dropped);
}

UserPriorities::UserPriorities(ModuleOp module, ShardingState &state)
    : state(state) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      if (!function.isExternal())
        for (Value argument : function.getArguments())
          add(state.get(argument));
      for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
        add(state.get(function, i));
      return;
    }
    // The edges of the computation carry its shardings.
    if (auto manual = dyn_cast<ManualComputationOp>(op)) {
      manual.setInShardingsAttr(dropPriorities(manual.getInShardings()));
      manual.setOutShardingsAttr(dropPriorities(manual.getOutShardings()));
      return;
    }
    // Of an edge, its op has the sharding.
    for (Value result : op->getResults())
      if (getSharding(result) && getShardedValue(result) == result)
        add(state.get(result));
  });
}

void UserPriorities::add(ShardingState::Tensor *tensor) {
  TensorShardingAttr given =
      tensor ? ShardingState::getGiven(*tensor) : nullptr;
  if (!given)
    return;
  for (auto [i, dim] : llvm::enumerate(given.getDimShardings())) {
    if (!dim.getPriority())
      continue;
    state.markChanged(*tensor);
    tensor->hasPriorities = false;
    if (*dim.getPriority() == 0)
      continue;
    sharding::DimSharding &current = tensor->sharding.dims[i];
    waiting[*dim.getPriority()].push_back(
        {tensor, static_cast<unsigned>(i), current});
    llvm::append_range(tensor->sharding.replicated, current.axes);
    current.axes.clear();
    current.isClosed = true;
  }
  llvm::sort(tensor->sharding.replicated, sharding::isBefore);
}

std::optional<int64_t> UserPriorities::activateNext() {
  if (waiting.empty())
    return std::nullopt;
  int64_t priority = waiting.begin()->first;
  for (Waiting &entry : waiting.begin()->second) {
    sharding::TensorSharding &current = entry.tensor->sharding;
    for (const sharding::AxisRef &axis : entry.given.axes)
      llvm::erase(current.replicated, axis);
    current.dims[entry.dim] = entry.given;
    state.markChanged(*entry.tensor);
  }
  waiting.erase(waiting.begin());
  return priority;
}
