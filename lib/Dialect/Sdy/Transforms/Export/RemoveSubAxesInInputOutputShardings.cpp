//===- RemoveSubAxesInInputOutputShardings.cpp - Full axes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVESUBAXESININPUTOUTPUTSHARDINGSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct RemoveSubAxesInInputOutputShardingsPass
    : sdy::impl::RemoveSubAxesInInputOutputShardingsPassBase<
          RemoveSubAxesInInputOutputShardingsPass> {
  using RemoveSubAxesInInputOutputShardingsPassBase::
      RemoveSubAxesInInputOutputShardingsPassBase;
  void runOnOperation() override {
    auto replace = [](TensorShardingAttr sharding, ShapedType) {
      return replaceDims(sharding, [](unsigned, DimensionShardingAttr dim) {
        if (dim.getIsClosed())
          return dim;
        auto isFull = [](AxisRefAttr axis) { return !axis.getSubAxisInfo(); };
        return replaceAxes(
            dim, SmallVector<AxisRefAttr>(dim.getAxes().take_while(isFull)));
      });
    };
    if (FunctionOpInterface function = getMainFunction(getOperation()))
      replaceSignatureShardings(function, replace);
  }
};
} // namespace
