//===- ManualAxesCleanup.cpp - Manual axes in order -----------------------===//
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

/// Manual axes that a sharding does not name are replicated.
static TensorShardingAttr addReplicated(TensorShardingAttr sharding,
                                        ManualAxesAttr manual, MeshAttr mesh) {
  llvm::SmallDenseSet<StringRef> used;
  sharding.forEachAxisRef(
      [&](AxisRefAttr axis) { used.insert(axis.getName()); });
  sharding::AxisList replicated =
      getAxisList(sharding.getReplicatedAxes(), mesh);
  for (StringAttr axis : manual.getValue())
    if (!used.contains(axis.getValue()))
      if (std::optional<unsigned> index = mesh.getAxisIndex(axis))
        replicated.push_back(sharding::getFullAxis(*index, getMeshSizes(mesh)));
  llvm::sort(replicated, sharding::isBefore);
  MLIRContext *context = sharding.getContext();
  auto refs = llvm::map_to_vector(replicated, [&](const auto &axis) {
    return getAxisRefAttr(context, axis, mesh);
  });
  return TensorShardingAttr::get(
      context, sharding.getMeshOrRef(), sharding.getDimShardings(), refs,
      sharding.getUnreducedAxes(), sharding.getReductionKind());
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
      MeshAttr mesh;
      for (TensorShardingPerValueAttr list :
           {op.getInShardings(), op.getOutShardings()})
        for (TensorShardingAttr sharding : list.getShardings())
          if (MeshAttr own = sharding.getMesh(symbols); own && !own.empty())
            mesh = own;
      if (!mesh) {
        if (op.getBody().front().without_terminator().empty())
          return WalkResult::advance();
        InFlightDiagnostic error = op.emitOpError() << "has manual axes {";
        llvm::interleaveComma(op.getManualAxes().getValue(), error,
                              [&](StringAttr axis) { error << axis; });
        error << "} but no operand or result whose sharding says of which mesh";
        return WalkResult::interrupt();
      }
      SmallVector<StringAttr> axes(op.getManualAxes().getValue());
      llvm::sort(axes, [&](StringAttr a, StringAttr b) {
        return mesh.getAxisIndex(a) < mesh.getAxisIndex(b);
      });
      auto manual = ManualAxesAttr::get(&getContext(), axes);
      op.setManualAxesAttr(manual);
      auto clean = [&](TensorShardingPerValueAttr list) {
        auto shardings = llvm::map_to_vector(
            list.getShardings(), [&](TensorShardingAttr sharding) {
              return addReplicated(sharding, manual, mesh);
            });
        return TensorShardingPerValueAttr::get(&getContext(), shardings);
      };
      op.setInShardingsAttr(clean(op.getInShardings()));
      op.setOutShardingsAttr(clean(op.getOutShardings()));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
    if (!found)
      markAllAnalysesPreserved();
  }
};
} // namespace
