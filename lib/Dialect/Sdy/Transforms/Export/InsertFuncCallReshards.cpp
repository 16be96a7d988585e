//===- InsertFuncCallReshards.cpp - Reshards of calls ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: calls and functions after propagation. Out: a call has the shardings of
// the callee's results. If the call had other shardings, reshards to these
// shardings follow it. A tensor without sharding is replicated, except results
// of declarations, which are unknown and do not change.
//
//===----------------------------------------------------------------------===//

#include "OpReshards.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INSERTFUNCCALLRESHARDSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Of `sharding`, or if that has none: closed, on the mesh of `other`. Null if
/// that is one device.
static TensorShardingAttr getAttr(const ValueSharding &sharding,
                                  const ValueSharding &other) {
  if (sharding.attr || other.isMaximal())
    return sharding.attr;
  return TensorShardingAttr::getFullyClosed(other.attr.getContext(),
                                            sharding.axes.dims.size(),
                                            other.attr.getMeshOrRef());
}

/// What a call must have where its callee has `own` and it `given`; null if
/// that is what it has.
static TensorShardingAttr getWanted(FunctionOpInterface callee,
                                    const ValueSharding &own,
                                    const ValueSharding &given) {
  bool isUnknown = callee.isExternal() && !own.attr;
  return isUnknown || isSameDistribution(own, given) ? TensorShardingAttr()
                                                     : getAttr(own, given);
}

/// Whether the call or what follows it changes.
static bool reshardResult(OpResult result, FunctionOpInterface callee,
                          const ValueResharder &resharder) {
  ValueSharding given = resharder.get(result);
  ValueSharding own =
      resharder.get(callee.getResultAttrOfType<TensorShardingAttr>(
                        result.getResultNumber(), kShardingAttrName),
                    getTensorShape(result).size());
  TensorShardingAttr wanted = getWanted(callee, own, given);
  TensorShardingAttr back = wanted ? getAttr(given, own) : nullptr;
  if (!back)
    return false;
  setSharding(result, wanted);
  if (result.use_empty())
    return true;
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfterValue(result);
  auto reshard = ReshardOp::create(builder, result.getLoc(), result.getType(),
                                   result, back);
  result.replaceAllUsesExcept(reshard.getResult(), reshard);
  return true;
}

namespace {
struct InsertFuncCallReshardsPass
    : sdy::impl::InsertFuncCallReshardsPassBase<InsertFuncCallReshardsPass> {
  using InsertFuncCallReshardsPassBase::InsertFuncCallReshardsPassBase;
  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    ValueResharder resharder(getOperation());
    bool changed = false;
    for (FunctionOpInterface callee : calls.getFunctions())
      for (CallOpInterface call : calls.getCallsOf(callee))
        for (OpResult result : call->getResults())
          changed |= reshardResult(result, callee, resharder);
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
