//===- Meshes.cpp - Meshes in their simplest form -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_LIFTINLINEDMESHESPASS
#define GEN_PASS_DEF_REMOVESIZEONEAXESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Inlined meshes
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Axes of size 1
//===----------------------------------------------------------------------===//

/// Parts of an axis that only one of size 1 kept apart become one.
static SmallVector<AxisRefAttr> dropSizeOne(ArrayRef<AxisRefAttr> axes,
                                            MeshAttr mesh) {
  sharding::AxisList kept;
  for (const sharding::AxisRef &axis : getAxisList(axes, mesh))
    if (axis.size != 1)
      sharding::appendMerged(kept, axis);
  return llvm::map_to_vector(kept, [&](const sharding::AxisRef &axis) {
    return getAxisRefAttr(mesh.getContext(), axis, mesh);
  });
}

static TensorShardingAttr dropSizeOne(TensorShardingAttr sharding,
                                      MeshAttr mesh) {
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    dims.push_back(replaceAxes(dim, dropSizeOne(dim.getAxes(), mesh)));
  return TensorShardingAttr::get(
      sharding.getContext(), sharding.getMeshOrRef(), dims,
      dropSizeOne(sharding.getReplicatedAxes(), mesh),
      dropSizeOne(sharding.getUnreducedAxes(), mesh),
      sharding.getReductionKind());
}

static AxisRefListAttr dropSizeOne(AxisRefListAttr list, MeshAttr mesh) {
  return AxisRefListAttr::get(list.getContext(),
                              dropSizeOne(list.getValue(), mesh));
}

static ListOfAxisRefListsAttr dropSizeOne(ListOfAxisRefListsAttr lists,
                                          MeshAttr mesh) {
  auto dims = llvm::map_to_vector(lists.getValue(), [&](AxisRefListAttr list) {
    return dropSizeOne(list, mesh);
  });
  return ListOfAxisRefListsAttr::get(lists.getContext(), dims);
}

static void replaceByOperand(Operation *op) {
  op->replaceAllUsesWith(op->getOperands());
  op->erase();
}

/// The axes that a collective exchanges are of the mesh of its result.
static void dropSizeOneOfCollective(Operation *op, SymbolTable &symbols) {
  auto withMesh = [&](auto collective, auto drop) {
    if (MeshAttr mesh = collective.getOutSharding().getMesh(symbols))
      drop(mesh);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<AllGatherOp, AllSliceOp, ShardedToUnreducedOp>([&](auto op) {
        withMesh(op, [&](MeshAttr mesh) {
          op.setAxesAttr(dropSizeOne(op.getAxes(), mesh));
        });
      })
      .Case([&](ReduceScatterOp op) {
        withMesh(op, [&](MeshAttr mesh) {
          op.setReduceScatterAxesAttr(
              dropSizeOne(op.getReduceScatterAxes(), mesh));
        });
      })
      .Case([&](AllReduceOp op) {
        withMesh(op, [&](MeshAttr mesh) {
          op.setReductionAxesAttr(dropSizeOne(op.getReductionAxes(), mesh));
        });
      })
      .Case([&](ReplicatedToUnreducedOp op) {
        withMesh(op, [&](MeshAttr mesh) {
          op.setAxesAttr(dropSizeOne(op.getAxes(), mesh));
          if (op.getAxes().getValue().empty())
            replaceByOperand(op);
        });
      })
      .Case([&](AllToAllOp op) {
        withMesh(op, [&](MeshAttr mesh) {
          SmallVector<AllToAllParamAttr> params;
          for (AllToAllParamAttr param : op.getParams().getValue()) {
            SmallVector<AxisRefAttr> axes = dropSizeOne(param.getAxes(), mesh);
            if (!axes.empty())
              params.push_back(AllToAllParamAttr::get(
                  op.getContext(), axes, param.getSrcDim(), param.getTgtDim()));
          }
          op.setParamsAttr(AllToAllParamListAttr::get(op.getContext(), params));
          if (params.empty())
            replaceByOperand(op);
        });
      });
}

namespace {
struct RemoveSizeOneAxesPass
    : sdy::impl::RemoveSizeOneAxesPassBase<RemoveSizeOneAxesPass> {
  using RemoveSizeOneAxesPassBase::RemoveSizeOneAxesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    // Manual axes have no mesh of their own: that of the shardings is meant.
    getOperation().walk([&](ManualComputationOp op) {
      MeshAttr mesh;
      for (TensorShardingPerValueAttr list :
           {op.getInShardings(), op.getOutShardings()})
        for (TensorShardingAttr sharding : list.getShardings())
          if (MeshAttr own = sharding.getMesh(symbols); own && !own.empty())
            mesh = own;
      if (!mesh)
        return;
      SmallVector<StringAttr> kept;
      for (StringAttr axis : op.getManualAxes().getValue())
        if (mesh.getAxisSize(axis) != 1)
          kept.push_back(axis);
      op.setManualAxesAttr(ManualAxesAttr::get(&getContext(), kept));
    });
    getOperation().walk(
        [&](Operation *op) { dropSizeOneOfCollective(op, symbols); });
    bool found = false;
    replaceShardings(getOperation(), [&](TensorShardingAttr sharding) {
      found |= isa<MeshAttr>(sharding.getMeshOrRef());
      MeshAttr mesh = sharding.getMesh(symbols);
      return mesh ? dropSizeOne(sharding, mesh) : sharding;
    });
    for (MeshOp op : getOperation().getOps<MeshOp>()) {
      MeshAttr mesh = op.getMesh();
      SmallVector<MeshAxisAttr> kept;
      for (MeshAxisAttr axis : mesh.getAxes())
        if (axis.getSize() != 1)
          kept.push_back(axis);
      // One device under another number than 0 is a maximal mesh.
      if (kept.size() == mesh.getAxes().size())
        continue;
      op.setMeshAttr(
          MeshAttr::getNormalized(&getContext(), kept, mesh.getDeviceIds()));
      found = true;
    }
    if (!found)
      markAllAnalysesPreserved();
  }
};
} // namespace
