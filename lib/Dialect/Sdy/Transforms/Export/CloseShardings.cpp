//===- CloseShardings.cpp - Closing of all dimensions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CLOSESHARDINGSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct CloseShardingsPass
    : sdy::impl::CloseShardingsPassBase<CloseShardingsPass> {
  using CloseShardingsPassBase::CloseShardingsPassBase;
  void runOnOperation() override {
    auto close = [&](TensorShardingAttr sharding) {
      auto dims = llvm::map_to_vector(
          sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
            return DimensionShardingAttr::get(&getContext(), dim.getAxes(),
                                              /*is_closed=*/true, std::nullopt);
          });
      return TensorShardingAttr::get(
          &getContext(), sharding.getMeshOrRef(), dims, /*replicated=*/{},
          sharding.getUnreducedAxes(), sharding.getReductionKind());
    };
    if (!replaceShardings(getOperation(), close))
      markAllAnalysesPreserved();
  }
};
} // namespace
