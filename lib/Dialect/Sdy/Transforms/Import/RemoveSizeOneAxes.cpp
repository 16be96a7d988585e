//===- RemoveSizeOneAxes.cpp - Meshes without axes of size 1 --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_REMOVESIZEONEAXESPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

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

/// Manual axes have no mesh of their own: that of the shardings is meant.
static void dropSizeOneOfManual(ManualComputationOp op, SymbolTable &symbols) {
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
  op.setManualAxesAttr(ManualAxesAttr::get(op.getContext(), kept));
}

/// Returns whether there were any.
static bool dropSizeOneOfMesh(MeshOp op) {
  MeshAttr mesh = op.getMesh();
  SmallVector<MeshAxisAttr> kept;
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getSize() != 1)
      kept.push_back(axis);
  if (kept.size() == mesh.getAxes().size())
    return false;
  // One device under another number than 0 is a maximal mesh.
  op.setMeshAttr(
      MeshAttr::getNormalized(op.getContext(), kept, mesh.getDeviceIds()));
  return true;
}

namespace {
struct RemoveSizeOneAxesPass
    : sdy::impl::RemoveSizeOneAxesPassBase<RemoveSizeOneAxesPass> {
  using RemoveSizeOneAxesPassBase::RemoveSizeOneAxesPassBase;
  void runOnOperation() override {
    if (failed(verifyNoModulesInside(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    if (fromMeshes)
      getOperation().walk(
          [&](ManualComputationOp op) { dropSizeOneOfManual(op, symbols); });
    getOperation().walk(
        [&](Operation *op) { dropSizeOneOfCollective(op, symbols); });
    bool found =
        replaceShardings(getOperation(), [&](TensorShardingAttr sharding) {
          MeshAttr mesh = sharding.getMesh(symbols);
          return mesh ? dropSizeOne(sharding, mesh) : sharding;
        });
    if (fromMeshes)
      for (MeshOp op : getOperation().getOps<MeshOp>())
        found |= dropSizeOneOfMesh(op);
    if (!found)
      markAllAnalysesPreserved();
  }
};
} // namespace
