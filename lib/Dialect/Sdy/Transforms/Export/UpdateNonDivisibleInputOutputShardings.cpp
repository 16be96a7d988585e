//===- UpdateNonDivisibleInputOutputShardings.cpp - Axes that divide ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes axes that do not divide the dimensions of tensors from the shardings
// of arguments and results of functions and computations.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct UpdateNonDivisibleInputOutputShardingsPass
    : sdy::impl::UpdateNonDivisibleInputOutputShardingsPassBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
  using UpdateNonDivisibleInputOutputShardingsPassBase::
      UpdateNonDivisibleInputOutputShardingsPassBase;
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    bool changed = false;
    getOperation().walk([&](Operation *op) {
      replaceInputOutputShardings(op, [&](TensorShardingAttr sharding,
                                          ShapedType type,
                                          const ShardedPlace &place) {
        auto kept = getDivisibleSharding(sharding, type, symbols);
        changed |= kept != sharding;
        if (warn && kept != sharding)
          warnOfNonDivisible(place, type, sharding, kept);
        return kept;
      });
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
