//===- PlaceTransfers.cpp - Transfers on I/O tiles --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with transfers between host and device. Out: the same module,
// where the transfers in loops are on I/O tiles.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PLACETRANSFERSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Adds the streams that `op`, a transfer or an exchange, uses.
static void addStreams(Operation *op, SmallVectorImpl<StringRef> &streams) {
  if (auto load = dyn_cast<HostLoadOp>(op))
    streams.push_back(load.getStream());
  else if (auto store = dyn_cast<HostStoreOp>(op))
    streams.push_back(store.getStream());
  else if (auto exchange = dyn_cast<RemoteExchangeOp>(op))
    for (Operation &transfer : exchange.getBody().getOps())
      addStreams(&transfer, streams);
}

namespace {
struct PlaceTransfersPass
    : pop::impl::PlaceTransfersPassBase<PlaceTransfersPass> {
  using PlaceTransfersPassBase::PlaceTransfersPassBase;

  void runOnOperation() override;

private:
  bool isPlaced(Operation *op) const;
};
} // namespace

/// Returns whether `op` is a transfer, or an exchange of transfers, that the
/// pass places on I/O tiles.
bool PlaceTransfersPass::isPlaced(Operation *op) const {
  SmallVector<StringRef> streams;
  addStreams(op, streams);
  bool isStated = false;
  op->walk([&](Operation *transfer) {
    isStated |= getTileSet(transfer).has_value();
  });
  return !streams.empty() && !isStated &&
         op->getParentOfType<LoopLikeOpInterface>() &&
         llvm::none_of(streams, [&](StringRef stream) {
           return llvm::is_contained(justInTime, stream);
         });
}

void PlaceTransfersPass::runOnOperation() {
  ModuleOp module = getOperation();
  for (StringRef name : justInTime)
    if (!module.lookupSymbol<StreamOp>(name)) {
      module.emitError() << "'" << getArgument()
                         << "' expects names of streams in its option "
                            "'just-in-time', but there is no stream '"
                         << name << "'";
      return signalPassFailure();
    }
  auto io = TileSetAttr::get(&getContext(), TileSet::IO);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isPlaced(op))
      op->walk([&](Operation *transfer) {
        if (isPlaceable(transfer))
          transfer->setAttr(PopDialect::kTileSetAttrName, io);
      });
    // The tiles of an exchange are those of its transfers.
    return isa<RemoteExchangeOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
}
