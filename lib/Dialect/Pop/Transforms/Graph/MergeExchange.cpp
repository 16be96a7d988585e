//===- MergeExchange.cpp - Merging of transfers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where consecutive
// transfers that do not depend on each other are one
// `pop.remote_exchange`.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/ExchangedRows.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGEEXCHANGEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// Transfers of one block that can be done at once where the last of them is.
class TransferRun {
public:
  /// Adds the transfers of `op`, one or an exchange, or returns why it cannot:
  /// then nothing more can be added.
  std::optional<std::string> add(Operation *op);
  bool isEmpty() const { return ops.empty(); }
  /// Whether `op` reads what one of the transfers gives.
  bool isUsedBy(Operation *op) const;
  /// Makes one exchange of several ops.
  void merge();

private:
  /// In the order of the program; exchanges that were there before are whole.
  llvm::SetVector<Operation *> ops;
  ExchangedRows rows;
  llvm::DenseSet<Attribute> streams;
};
} // namespace

/// The transfers of `op`: those of an exchange, or itself.
static SmallVector<Operation *> getTransfers(Operation *op) {
  if (!isa<RemoteExchangeOp>(op))
    return {op};
  SmallVector<Operation *> transfers;
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    transfers.push_back(&inner);
  return transfers;
}

/// The stream that `transfer` uses; null if it uses none.
static Attribute getStream(Operation *transfer) {
  if (auto load = dyn_cast<HostLoadOp>(transfer))
    return load.getStreamAttr();
  if (auto store = dyn_cast<HostStoreOp>(transfer))
    return store.getStreamAttr();
  return {};
}

bool TransferRun::isUsedBy(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        bool uses = llvm::any_of(inner->getOperands(), [&](Value operand) {
          return ops.contains(operand.getDefiningOp());
        });
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<std::string> TransferRun::add(Operation *op) {
  if (isUsedBy(op))
    return "it uses the result of an earlier transfer";
  if (!ops.empty()) {
    if (getExecutionContext(ops.back()) != getExecutionContext(op))
      return "its execution context differs";
    if (getBatchPhase(ops.back()).has_value() != getBatchPhase(op).has_value())
      return "exactly one of this transfer and the transfer before it has a "
             "batch phase";
    // A pipeline executes the transfers of a stage with the stage.
    if (getStage(ops.back()) != getStage(op))
      return "its pipeline stage differs";
  }
  for (Operation *transfer : getTransfers(op)) {
    if (rows.add(transfer))
      return "it may use a row of a remote buffer that an earlier transfer "
             "uses, and one of these two transfers is a store";
    if (Attribute stream = getStream(transfer);
        stream && !streams.insert(stream).second)
      return "it is the next transfer of a stream that an earlier transfer "
             "uses";
  }
  ops.insert(op);
  return std::nullopt;
}

/// Gives `to` the attributes of placements that all of `ops` have.
static void inheritCommonPlacement(ArrayRef<Operation *> ops, Operation *to) {
  for (NamedAttribute attribute : pop::getPlacement(ops.front()))
    if (llvm::all_of(ops, [&](Operation *op) {
          return op->getAttr(attribute.getName()) == attribute.getValue();
        }))
      to->setAttr(attribute.getName(), attribute.getValue());
}

/// Moves the transfer, or those of the exchange, `op` to before `end`, and adds
/// the values that the new exchange gives for its results.
static void moveInto(Operation *op, Operation *end,
                     SmallVectorImpl<Value> &values) {
  if (!isa<RemoteExchangeOp>(op)) {
    op->moveBefore(end);
    llvm::append_range(values, op->getResults());
    return;
  }
  Operation *yield = op->getRegion(0).front().getTerminator();
  for (Operation *transfer : getTransfers(op)) {
    inheritPlacement(op, transfer);
    transfer->moveBefore(end);
  }
  llvm::append_range(values, yield->getOperands());
}

void TransferRun::merge() {
  if (ops.size() < 2)
    return;
  OpBuilder b(ops.back());
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Operation *op : ops) {
    llvm::append_range(types, op->getResultTypes());
    locations.push_back(op->getLoc());
  }
  // The last op may be an exchange, which is erased.
  Location last = locations.back();
  auto exchange = RemoteExchangeOp::create(b, b.getFusedLoc(locations), types);
  inheritCommonPlacement(ops.getArrayRef(), exchange);
  // The results are those of the exchange before what gives them is in it.
  unsigned next = 0;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      result.replaceAllUsesWith(exchange.getResult(next++));
  b.createBlock(&exchange.getBody());
  auto yield = YieldOp::create(b, exchange.getLoc(), ValueRange());
  SmallVector<Value> values;
  for (Operation *op : ops) {
    moveInto(op, yield, values);
    if (isa<RemoteExchangeOp>(op))
      op->erase();
  }
  yield->setOperands(values);
  remark::passed(last, getGraphRemark("MergeExchange")) << remark::metric(
      "transfers", int64_t(llvm::range_size(exchange.getBody().front()) - 1));
}

/// Whether an exchange may be done after `op` instead of before it: `op` only
/// makes a scalar, a constant or a ref.
static bool canPass(Operation *op) {
  if (op->getNumRegions() > 0)
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<pop::RefOrigin>())
    return true;
  return isMemoryEffectFree(op) &&
         (isa<ViewLikeOpInterface>(op) ||
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>));
}

static void mergeIn(Block &block) {
  TransferRun run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isTransfer = op.hasTrait<Transfer>() || isa<RemoteExchangeOp>(op);
    if (!isTransfer && !run.isEmpty() && canPass(&op) && !run.isUsedBy(&op))
      continue;
    if (isTransfer) {
      std::optional<std::string> reason = run.add(&op);
      if (!reason)
        continue;
      remark::missed(op.getLoc(), getGraphRemark("MergeExchange"))
          << "the transfer is not merged with the transfers before it: " +
                 *reason;
    }
    run.merge();
    run = TransferRun();
    // An exchange that cannot be combined with itself is left alone.
    if (isTransfer && run.add(&op))
      run = TransferRun();
  }
  run.merge();
}

namespace {
struct MergeExchangePass : pop::impl::MergeExchangePassBase<MergeExchangePass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      // What is in an exchange happens at once as it is.
      if (!isa_and_nonnull<RemoteExchangeOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      mergeIn(*block);
  }
};
} // namespace
