//===- LiftInlinedMeshes.cpp - One name for each mesh ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: shardings that contain meshes, and equal meshes with different names.
// Out: shardings that name meshes. Of equal meshes, only the first mesh
// remains.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_LIFTINLINEDMESHESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Names for meshes: those of the module's, new ones for others.
class MeshNames {
public:
  explicit MeshNames(ModuleOp module) : module(module), symbols(module) {
    for (MeshOp op : module.getOps<MeshOp>())
      names.insert({op.getMesh(), op.getSymNameAttr()});
  }

  FlatSymbolRefAttr get(MeshAttr mesh) {
    StringAttr &name = names[mesh];
    if (!name)
      name = create(mesh);
    return FlatSymbolRefAttr::get(name);
  }
  MeshAttr lookup(FlatSymbolRefAttr ref) {
    auto op = symbols.lookup<MeshOp>(ref.getValue());
    return op ? op.getMesh() : MeshAttr();
  }

private:
  StringAttr create(MeshAttr mesh) {
    std::string base =
        mesh.isMaximal()
            ? "maximal_mesh_" + std::to_string(mesh.getDeviceIds().front())
            : "mesh";
    std::string name = base;
    for (unsigned i = 0; symbols.lookup(name); ++i)
      name = base + "_" + std::to_string(i);
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto op = MeshOp::create(builder, module.getLoc(), name, mesh);
    symbols.insert(op);
    return op.getSymNameAttr();
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::MapVector<MeshAttr, StringAttr> names;
};

struct LiftInlinedMeshesPass
    : sdy::impl::LiftInlinedMeshesPassBase<LiftInlinedMeshesPass> {
  using LiftInlinedMeshesPassBase::LiftInlinedMeshesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    MeshNames names(getOperation());
    auto lift = [&](TensorShardingAttr sharding) {
      auto mesh = dyn_cast<MeshAttr>(sharding.getMeshOrRef());
      if (auto ref = dyn_cast<FlatSymbolRefAttr>(sharding.getMeshOrRef()))
        mesh = names.lookup(ref);
      return mesh ? TensorShardingAttr::get(&getContext(), names.get(mesh),
                                            sharding.getDimShardings(),
                                            sharding.getReplicatedAxes(),
                                            sharding.getUnreducedAxes(),
                                            sharding.getReductionKind())
                  : sharding;
    };
    bool changed = replaceShardings(getOperation(), lift);
    // Of equal meshes the first is left.
    for (MeshOp op :
         llvm::make_early_inc_range(getOperation().getOps<MeshOp>()))
      if (names.get(op.getMesh()).getAttr() != op.getSymNameAttr()) {
        op.erase();
        changed = true;
      }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
