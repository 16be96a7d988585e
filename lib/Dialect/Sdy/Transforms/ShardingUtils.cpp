//===- ShardingUtils.cpp - Shardings as attributes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingUtils.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

LogicalResult sdy::verifyNoModulesInside(ModuleOp module) {
  auto inside = module.getOps<ModuleOp>();
  if (inside.empty())
    return success();
  return (*inside.begin())
      ->emitOpError("is in a module: run the pass on each of the two alone");
}

bool sdy::replaceShardings(
    Operation *op,
    function_ref<TensorShardingAttr(TensorShardingAttr)> replace) {
  bool changed = false;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](TensorShardingAttr sharding) -> std::pair<Attribute, WalkResult> {
        TensorShardingAttr replaced = replace(sharding);
        changed |= replaced != sharding;
        return {replaced, WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(op);
  return changed;
}

void sdy::replaceSignatureShardings(FunctionOpInterface function,
                                    ReplaceShardingFn replace) {
  auto replaceOne = [&](TensorShardingAttr sharding, Type type, auto set) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (sharding && shaped && shaped.hasStaticShape())
      set(replace(sharding, shaped));
  };
  StringAttr name = StringAttr::get(function.getContext(), kShardingAttrName);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    replaceOne(
        function.getArgAttrOfType<TensorShardingAttr>(i, name), type,
        [&, i = i](TensorShardingAttr s) { function.setArgAttr(i, name, s); });
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    replaceOne(function.getResultAttrOfType<TensorShardingAttr>(i, name), type,
               [&, i = i](TensorShardingAttr s) {
                 function.setResultAttr(i, name, s);
               });
}

TensorShardingAttr sdy::replaceDims(
    TensorShardingAttr sharding,
    function_ref<DimensionShardingAttr(unsigned, DimensionShardingAttr)>
        replace) {
  SmallVector<DimensionShardingAttr> dims;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings()))
    dims.push_back(replace(i, dim));
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 dims, sharding.getReplicatedAxes(),
                                 sharding.getUnreducedAxes(),
                                 sharding.getReductionKind());
}

DimensionShardingAttr sdy::replaceAxes(DimensionShardingAttr dim,
                                       ArrayRef<AxisRefAttr> axes) {
  bool isNothing = axes.empty() && dim.getIsClosed();
  return DimensionShardingAttr::get(dim.getContext(), axes, dim.getIsClosed(),
                                    isNothing ? std::optional<int64_t>()
                                              : dim.getPriority());
}
