//===- InlineMeshes.cpp - Meshes in shardings -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: shardings with names of meshes. Out: shardings with meshes. Named meshes
// are erased unless an op uses their name.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INLINEMESHESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
struct InlineMeshesPass : sdy::impl::InlineMeshesPassBase<InlineMeshesPass> {
  using InlineMeshesPassBase::InlineMeshesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    replaceShardings(getOperation(), [&](TensorShardingAttr sharding) {
      MeshAttr mesh = sharding.getMesh(symbols);
      return mesh ? TensorShardingAttr::get(&getContext(), mesh,
                                            sharding.getDimShardings(),
                                            sharding.getReplicatedAxes(),
                                            sharding.getUnreducedAxes(),
                                            sharding.getReductionKind())
                  : sharding;
    });
    for (MeshOp op :
         llvm::make_early_inc_range(getOperation().getOps<MeshOp>()))
      if (SymbolTable::symbolKnownUseEmpty(op, getOperation()))
        op.erase();
  }
};
} // namespace
