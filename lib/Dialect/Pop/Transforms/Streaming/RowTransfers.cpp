//===- RowTransfers.cpp - Transfers of rows of remote buffers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTransfers.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::pop;

/// Returns the buffer and the row that `op` loads or stores. The row is
/// std::nullopt if a tensor gives its number.
static std::optional<std::pair<StringRef, std::optional<uint64_t>>>
getRow(Operation *op) {
  if (auto load = dyn_cast<RemoteLoadOp>(op))
    return std::pair(load.getBuffer(), load.getStaticRow());
  if (auto store = dyn_cast<RemoteStoreOp>(op))
    return std::pair(store.getBuffer(), store.getStaticRow());
  return std::nullopt;
}

bool mlir::pop::mayConflict(Operation *op, Operation *transfer) {
  auto own = *getRow(transfer);
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<CallOpInterface>(nested))
      return WalkResult::interrupt();
    bool areLoads = isa<RemoteLoadOp>(nested) && isa<RemoteLoadOp>(transfer);
    auto other = getRow(nested);
    if (other && !areLoads && other->first == own.first &&
        (!other->second || !own.second || other->second == own.second))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Moves `load` directly after the last load of its buffer before it.
static void moveUp(RemoteLoadOp load, int64_t distance) {
  Operation *at = load->getPrevNode();
  for (int64_t i = 0; at && i <= distance; ++i, at = at->getPrevNode()) {
    auto other = dyn_cast<RemoteLoadOp>(at);
    if (other && other.getBuffer() == load.getBuffer()) {
      if (getSchedule(at) == getSchedule(load))
        load->moveAfter(at);
      return;
    }
    if (mayConflict(at, load))
      return;
  }
}

/// Moves `store` directly before the next store to its buffer.
static void moveDown(RemoteStoreOp store, int64_t distance) {
  Operation *at = store->getNextNode();
  for (int64_t i = 0; at && i <= distance; ++i, at = at->getNextNode()) {
    auto other = dyn_cast<RemoteStoreOp>(at);
    if (other && other.getBuffer() == store.getBuffer()) {
      if (getSchedule(at) == getSchedule(store))
        store->moveBefore(at);
      return;
    }
    if (mayConflict(at, store))
      return;
  }
}

void mlir::pop::gatherTransfers(Block *block, StringRef buffer,
                                int64_t distance) {
  SmallVector<RemoteLoadOp> loads;
  SmallVector<RemoteStoreOp> stores;
  for (Operation &op : *block) {
    if (auto load = dyn_cast<RemoteLoadOp>(op);
        load && load.getStaticRow() && load.getBuffer() == buffer)
      loads.push_back(load);
    if (auto store = dyn_cast<RemoteStoreOp>(op);
        store && store.getStaticRow() && store.getBuffer() == buffer)
      stores.push_back(store);
  }
  for (RemoteLoadOp load : loads)
    moveUp(load, distance);
  // The stores after a store have moved when it moves.
  for (RemoteStoreOp store : llvm::reverse(stores))
    moveDown(store, distance);
}
