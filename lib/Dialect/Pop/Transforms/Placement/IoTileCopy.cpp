//===- IoTileCopy.cpp - Copies of values to other tile sets -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program in which ops have tile sets. Out: the same program, in which
// only copies between tile sets read tensors of other tile sets.
//
//===----------------------------------------------------------------------===//

#include "InsertedCopies.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

namespace mlir::pop {
#define GEN_PASS_DEF_IOTILECOPYPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Sets the tile set `set` of `op`. An op without a tile set is on compute
/// tiles.
static void setTileSet(Operation *op, TileSet set) {
  if (set == TileSet::Compute)
    op->removeAttr(PopDialect::kTileSetAttrName);
  else
    op->setAttr(PopDialect::kTileSetAttrName,
                TileSetAttr::get(op->getContext(), set));
}

/// Creates the copy of `value`, which is not on the tiles of `set`. Each tile
/// set has constants of its own.
static Value createCopy(OpBuilder &b, Location loc, Value value, TileSet set) {
  Operation *producer = value.getDefiningOp();
  if (producer && producer->hasTrait<OpTrait::ConstantLike>()) {
    Operation *clone = b.clone(*producer);
    setTileSet(clone, set);
    return clone->getResult(0);
  }
  auto copy = IoTileCopyOp::create(b, loc, value.getType(), value, set);
  inheritSchedule(value, copy);
  return copy;
}

namespace {
struct IoTileCopyPass : pop::impl::IoTileCopyPassBase<IoTileCopyPass> {
  void runOnOperation() override {
    InsertedCopies copies;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        TileSet set = getTileSet(operand);
        if (!isa<RankedTensorType>(operand.get().getType()) ||
            set == getTileSet(operand.get()))
          continue;
        auto create = [&](OpBuilder &b, Location loc) {
          return createCopy(b, loc, operand.get(), set);
        };
        copies.redirect(operand, static_cast<int64_t>(set),
                        set == TileSet::IO ? "I/O tiles" : "compute tiles",
                        create);
      }
    });
  }
};
} // namespace
