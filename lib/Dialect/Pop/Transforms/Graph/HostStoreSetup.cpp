//===- HostStoreSetup.cpp - Stores of the entry's results -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where the entry function stores its
// results to streams and does not return them.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::pop {
#define GEN_PASS_DEF_HOSTSTORESETUPPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// An op of each stage, and one of the last stage on each virtual graph and on
/// all of them. Constants do not count: they have fewer attributes.
struct LastOps {
  explicit LastOps(FunctionOpInterface entry) {
    auto update = [](Operation *&last, Operation *op) {
      if (!last || getStage(op) >= getStage(last))
        last = op;
    };
    entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!hasSchedule(op) || op->hasTrait<OpTrait::ConstantLike>())
        return;
      update(ofAll, op);
      if (std::optional<int64_t> vgraph = getVgraph(op))
        update(ofVgraph[*vgraph], op);
      if (std::optional<int64_t> stage = getStage(op))
        ofStage[*stage] = op;
    });
  }

  /// One that goes with what is known of where `op` is; null if there is none.
  Operation *lookup(Operation *op) const {
    if (std::optional<int64_t> stage = getStage(op))
      return ofStage.lookup(*stage);
    std::optional<int64_t> vgraph = getVgraph(op);
    return vgraph ? ofVgraph.lookup(*vgraph) : ofAll;
  }

  llvm::DenseMap<int64_t, Operation *> ofStage;
  llvm::DenseMap<int64_t, Operation *> ofVgraph;
  Operation *ofAll = nullptr;
};
} // namespace

/// Places the store of `value` where the value is. What is not known of that is
/// as for the last ops there.
static void placeStore(HostStoreOp store, const LastOps &lastOps, Value value,
                       ValueSources &sources) {
  inheritSchedule(value, store, sources);
  if (Operation *last = lastOps.lookup(store))
    inheritSchedule(last, store);
}

namespace {
struct HostStoreSetupPass
    : pop::impl::HostStoreSetupPassBase<HostStoreSetupPass> {
  void runOnOperation() override {
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry) || failed(verify(*entry)))
      return signalPassFailure();
    Operation *terminator = entry->getFunctionBody().front().getTerminator();
    if (terminator->getNumOperands() == 0)
      return markAllAnalysesPreserved();
    OpBuilder b(terminator);
    SymbolTable symbols(getOperation());
    LastOps lastOps(*entry);
    ValueSources sources(getOperation());
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      StreamOp stream = createHostStream(
          *entry, symbols, value.getLoc(),
          entry->getResultAttr(i, PopDialect::kNameAttrName),
          "result" + Twine(i), StreamDirection::DeviceToHost,
          /*isBroadcast=*/false, cast<RankedTensorType>(value.getType()));
      auto store =
          HostStoreOp::create(b, value.getLoc(), value, stream.getSymName());
      placeStore(store, lastOps, value, sources);
    }
    remark::passed(entry->getLoc(), getGraphRemark("HostStoreSetup"))
        << remark::metric("streams", int64_t(terminator->getNumOperands()));
    terminator->setOperands({});
    (void)entry->eraseResults(BitVector(entry->getNumResults(), true));
  }

private:
  static LogicalResult verify(FunctionOpInterface entry) {
    for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
      if (failed(verifyHostType(entry, "result #" + Twine(i), type)))
        return failure();
    return success();
  }
};
} // namespace
