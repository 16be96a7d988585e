//===- ManualAxesCleanup.cpp - Order of manual axes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_MANUALAXESCLEANUPPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// What the shardings of a manual computation are bound to, empty meshes aside.
struct CommonMesh {
  Attribute meshOrRef;
  MeshAttr mesh;
};
} // namespace

static CommonMesh getCommonMesh(ManualComputationOp op, SymbolTable &symbols) {
  for (TensorShardingPerValueAttr list :
       {op.getInShardings(), op.getOutShardings()})
    for (TensorShardingAttr sharding : list.getShardings())
      if (MeshAttr mesh = sharding.getMesh(symbols); mesh && !mesh.empty())
        return {sharding.getMeshOrRef(), mesh};
  return {};
}

/// Manual axes, or parts of them, that a sharding does not name are replicated.
static TensorShardingAttr addReplicated(TensorShardingAttr sharding,
                                        ManualAxesAttr manual,
                                        const CommonMesh &common) {
  MeshAttr mesh = common.mesh;
  sharding::AxisList all, used;
  sharding.forEachAxisRef([&](AxisRefAttr axis) {
    if (auto ref = getAxisRef(axis, mesh))
      used.push_back(*ref);
  });
  for (StringAttr axis : manual.getValue())
    if (std::optional<unsigned> index = mesh.getAxisIndex(axis))
      all.push_back(sharding::getFullAxis(*index, getMeshSizes(mesh)));
  sharding::AxisList unused = sharding::getDifference(all, used);
  if (unused.empty())
    return sharding;
  llvm::append_range(unused, getAxisList(sharding.getReplicatedAxes(), mesh));
  llvm::sort(unused, sharding::isBefore);
  sharding::AxisList replicated;
  for (const sharding::AxisRef &axis : unused)
    sharding::appendMerged(replicated, axis);
  MLIRContext *context = sharding.getContext();
  auto refs = llvm::map_to_vector(replicated, [&](const auto &axis) {
    return getAxisRefAttr(context, axis, mesh);
  });
  return TensorShardingAttr::get(
      context, common.meshOrRef, sharding.getDimShardings(), refs,
      sharding.getUnreducedAxes(), sharding.getReductionKind());
}

static void clean(ManualComputationOp op, const CommonMesh &common) {
  MLIRContext *context = op.getContext();
  SmallVector<StringAttr> axes(op.getManualAxes().getValue());
  llvm::sort(axes, [&](StringAttr a, StringAttr b) {
    return common.mesh.getAxisIndex(a) < common.mesh.getAxisIndex(b);
  });
  auto manual = ManualAxesAttr::get(context, axes);
  op.setManualAxesAttr(manual);
  auto cleanList = [&](TensorShardingPerValueAttr list, TypeRange types) {
    SmallVector<TensorShardingAttr> shardings(list.getShardings());
    // An op without values can be on one device. Tokens have no axes.
    for (auto [sharding, type] : llvm::zip(shardings, types))
      if (isa<ShapedType>(type))
        sharding = addReplicated(sharding, manual, common);
    return TensorShardingPerValueAttr::get(context, shardings);
  };
  op.setInShardingsAttr(cleanList(op.getInShardings(), op.getOperandTypes()));
  op.setOutShardingsAttr(cleanList(op.getOutShardings(), op.getResultTypes()));
}

static LogicalResult reportNoMesh(ManualComputationOp op) {
  InFlightDiagnostic error = op.emitOpError() << "has manual axes {";
  llvm::interleaveComma(op.getManualAxes().getValue(), error,
                        [&](StringAttr axis) { error << axis; });
  return error << "} but no operand or result with a sharding that names "
                  "their mesh";
}

namespace {
struct ManualAxesCleanupPass
    : sdy::impl::ManualAxesCleanupPassBase<ManualAxesCleanupPass> {
  using ManualAxesCleanupPassBase::ManualAxesCleanupPassBase;
  void runOnOperation() override {
    bool found = false;
    SymbolTable symbols(getOperation());
    WalkResult walked = getOperation().walk([&](ManualComputationOp op) {
      if (op.getManualAxes().empty())
        return WalkResult::advance();
      found = true;
      if (CommonMesh common = getCommonMesh(op, symbols); common.mesh)
        clean(op, common);
      else if (!op.getBody().front().without_terminator().empty())
        return WalkResult(reportNoMesh(op));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
    if (!found)
      markAllAnalysesPreserved();
  }
};
} // namespace
