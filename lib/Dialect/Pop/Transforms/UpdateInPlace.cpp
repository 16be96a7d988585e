//===- UpdateInPlace.cpp - Updates of tensors in their refs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that read a tensor from a ref, change a part of it, and later
// copy the result to the ref. Out: the same functions, in which the copy
// directly follows the change, and other ops read the result from the ref.
//
//===----------------------------------------------------------------------===//

#include "OverwrittenReads.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"

namespace mlir::pop {
#define GEN_PASS_DEF_UPDATEINPLACEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Problem
//===----------------------------------------------------------------------===//

/// Returns the op that changes a part of a tensor and whose result `copy`
/// writes to the ref of this tensor. Returns null if there is no such op in the
/// block of the copy.
static CodeletOpInterface findUpdate(CopyInPlaceOp copy) {
  auto update = copy.getValue().getDefiningOp<CodeletOpInterface>();
  if (!update || update->getBlock() != copy->getBlock() ||
      update->getNumResults() != 1)
    return nullptr;
  FailureOr<TileForm> form = update.getTileForm({});
  if (failed(form) || !form->updatedInput)
    return nullptr;
  auto read = update->getOperand(*form->updatedInput).getDefiningOp<ReadOp>();
  return read && read.getTarget() == copy.getTarget() &&
                 read->getBlock() == copy->getBlock()
             ? update
             : nullptr;
}

namespace {
class UpdateFinder {
public:
  explicit UpdateFinder(ModuleOp module) : module(module), effects(module) {}

  /// Returns the copies that may directly follow the updates whose results they
  /// write.
  SmallVector<CopyInPlaceOp> run();

private:
  bool mayFollow(CopyInPlaceOp copy, CodeletOpInterface update);
  const BlockAccesses &getAccesses(Block &block);

  ModuleOp module;
  GraphEffects effects;
  llvm::DenseMap<Block *, std::unique_ptr<BlockAccesses>> accesses;
};
} // namespace

const BlockAccesses &UpdateFinder::getAccesses(Block &block) {
  std::unique_ptr<BlockAccesses> &ofBlock = accesses[&block];
  if (!ofBlock)
    ofBlock = std::make_unique<BlockAccesses>(block, effects);
  return *ofBlock;
}

/// Returns whether no op sees a difference if `copy` directly follows `update`,
/// and no tensor has to be copied because of this.
bool UpdateFinder::mayFollow(CopyInPlaceOp copy, CodeletOpInterface update) {
  const ipu::RefOrigin &origin = effects.getOrigin(copy.getTarget());
  // An op that uses the result may be in the stage or phase of the update.
  if (!origin.isKnown() || getSchedule(copy) != getSchedule(update))
    return false;
  const BlockAccesses &ofBlock = getAccesses(*copy->getBlock());
  Operation *before = copy->getPrevNode();
  if (ofBlock.mayRead(update, before, origin, effects) ||
      ofBlock.mayWrite(update, before, origin, effects))
    return false;
  bool isResult = false;
  for (Value operand : update->getOperands())
    if (auto read = operand.getDefiningOp<ReadOp>();
        read && read.getTarget() == copy.getTarget())
      if (findLastUse(operand, isResult) != update)
        return false;
  Operation *last = findLastUse(copy.getValue(), isResult);
  return !isResult && !ofBlock.mayWrite(copy, last, origin, effects);
}

SmallVector<CopyInPlaceOp> UpdateFinder::run() {
  SmallVector<CopyInPlaceOp> copies;
  module.walk([&](CopyInPlaceOp copy) {
    CodeletOpInterface update = findUpdate(copy);
    bool isDone =
        update && copy.getValue().hasOneUse() && update->getNextNode() == copy;
    if (update && !isDone && mayFollow(copy, update))
      copies.push_back(copy);
  });
  return copies;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct UpdateInPlace : pop::impl::UpdateInPlacePassBase<UpdateInPlace> {
  void runOnOperation() override {
    SmallVector<CopyInPlaceOp> copies = UpdateFinder(getOperation()).run();
    for (CopyInPlaceOp copy : copies) {
      Value value = copy.getValue();
      copy->moveAfter(value.getDefiningOp());
      if (value.hasOneUse())
        continue;
      PopBuilder b(copy);
      b.setInsertionPointAfter(copy);
      auto read =
          ReadOp::create(b, copy.getLoc(), value.getType(), copy.getTarget());
      value.replaceAllUsesExcept(read.getResult(), copy);
    }
    if (copies.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
