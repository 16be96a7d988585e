//===- OverlapIO.cpp - Transfers that overlap compute -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with loops that load and store tensors on I/O tiles. Out: the
// same module, where an iteration of a loop stores the results of the previous
// iteration, and loads the operands of the next one, while it computes.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "PipelineBuilder.h"
#include "StagedLoop.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_OVERLAPIOPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

static bool isTransfer(Operation *op) {
  return op->hasTrait<pop::Transfer>() || isa<RemoteExchangeOp>(op);
}

/// Returns whether `op` only loads tensors to I/O tiles.
static bool isLoad(Operation *op) {
  if (auto exchange = dyn_cast<RemoteExchangeOp>(op))
    return llvm::all_of(exchange.getBody().front().without_terminator(),
                        [](Operation &transfer) { return isLoad(&transfer); });
  return isTransfer(op) && isOnIOTiles(op) && op->getNumResults() > 0;
}

/// Returns whether `op` only stores tensors from I/O tiles, for example if a
/// condition holds.
static bool isStore(Operation *op) {
  if (isTransfer(op) && !isa<RemoteExchangeOp>(op))
    return isOnIOTiles(op) && op->getNumResults() == 0 &&
           op->getNumOperands() > 0;
  if (op->getNumRegions() == 0 || op->getNumResults() > 0 ||
      isa<LoopLikeOpInterface>(op))
    return false;
  bool stores = false, isOther = false;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps()) {
      bool isNestedStore = isStore(&nested);
      stores |= isNestedStore;
      isOther |= !isNestedStore && !isMemoryEffectFree(&nested);
    }
  return stores && !isOther;
}

static IoTileCopyOp getCopyTo(TileSet set, Operation *op) {
  auto copy = dyn_cast_if_present<IoTileCopyOp>(op);
  return copy && copy.getDestination() == set ? copy : nullptr;
}

namespace {
/// The transfers of a loop that can overlap compute, with the copies between
/// their tiles and the compute tiles.
class OverlappedTransfers {
public:
  OverlappedTransfers(scf::ForOp loop, const GraphEffects &effects);

  int64_t getNumLoads() const { return countTransfers(early); }
  int64_t getNumStores() const { return countTransfers(late); }
  /// States the stages of the body: loads, compute, and stores.
  void setStages();
  /// Emits a remark for each other transfer on I/O tiles.
  void reportOthers() const;

private:
  using Ops = llvm::SetVector<Operation *>;

  static int64_t countTransfers(const Ops &ops);
  void findEarly();
  void findLate();
  bool isReadByCopies(Operation *load) const;
  bool isIndependent(Operation *load) const;
  bool storesCopies(Operation *store) const;
  bool canPass(Operation *op, ArrayRef<Operation *> others) const;
  Operation *getOpOfBody(Operation *op) const;

  mutable scf::ForOp loop;
  const GraphEffects &effects;
  /// The ops that any stage may execute, because they depend on nothing but the
  /// index of the loop.
  llvm::DenseSet<Operation *> free;
  Ops early, late;
};
} // namespace

OverlappedTransfers::OverlappedTransfers(scf::ForOp loop,
                                         const GraphEffects &effects)
    : loop(loop), effects(effects),
      free(StagedLoop(loop, effects).findInvariantOps(/*usesIndex=*/true)) {
  findEarly();
  findLate();
}

int64_t OverlappedTransfers::countTransfers(const Ops &ops) {
  return llvm::count_if(ops,
                        [](Operation *op) { return !isa<IoTileCopyOp>(op); });
}

/// Returns the op of the body in which `op` is.
Operation *OverlappedTransfers::getOpOfBody(Operation *op) const {
  return loop.getBody()->findAncestorOpInBlock(*op);
}

/// Returns whether only copies to compute tiles read what `load` loads.
bool OverlappedTransfers::isReadByCopies(Operation *load) const {
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    return getCopyTo(TileSet::Compute, user) &&
           user->getBlock() == loop.getBody();
  });
}

/// Returns whether `load` depends on nothing that the loop computes.
bool OverlappedTransfers::isIndependent(Operation *load) const {
  bool result = true;
  forEachOuterOperand(load, [&](Operation *, Value operand) {
    Operation *producer = operand.getDefiningOp();
    result &= loop.isDefinedOutsideOfLoop(operand) ||
              (producer && free.contains(producer));
  });
  return result;
}

/// Returns whether all values that `store` uses can be in another stage. Those
/// on I/O tiles are copies of values on compute tiles, which only late ops use.
bool OverlappedTransfers::storesCopies(Operation *store) const {
  bool result = true;
  forEachOuterOperand(store, [&](Operation *, Value operand) {
    Operation *producer = operand.getDefiningOp();
    if (loop.isDefinedOutsideOfLoop(operand) ||
        (producer && free.contains(producer)))
      return;
    result &= isa<RankedTensorType>(operand.getType());
    if (getTileSet(operand) != TileSet::IO)
      return;
    result &= producer && getCopyTo(TileSet::IO, producer) &&
              llvm::all_of(producer->getUsers(), [&](Operation *user) {
                return late.contains(getOpOfBody(user));
              });
  });
  return result;
}

/// Returns whether `op` can keep its order with `others`, whose order with `op`
/// changes otherwise.
bool OverlappedTransfers::canPass(Operation *op,
                                  ArrayRef<Operation *> others) const {
  return llvm::none_of(others, [&](Operation *other) {
    return effects.getEffects(op).conflictsWith(effects.getEffects(other));
  });
}

/// Finds loads that do not depend on what the loop does before.
void OverlappedTransfers::findEarly() {
  SmallVector<Operation *> before;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isLoad(&op) && isReadByCopies(&op) && isIndependent(&op) &&
        canPass(&op, before)) {
      early.insert(&op);
      early.insert_range(op.getUsers());
    } else if (!early.contains(&op) && !isMemoryEffectFree(&op)) {
      before.push_back(&op);
    }
  }
}

/// Finds stores with which nothing interferes that the loop does later.
void OverlappedTransfers::findLate() {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isStore(&op) && canPass(&op, early.getArrayRef()))
      late.insert(&op);
    if (!early.contains(&op) && !isMemoryEffectFree(&op))
      ops.push_back(&op);
  }
  auto isLate = [&](Operation *store) {
    SmallVector<Operation *> after;
    llvm::copy_if(ops, std::back_inserter(after), [&](Operation *op) {
      return !late.contains(op) && store->isBeforeInBlock(op);
    });
    return storesCopies(store) && canPass(store, after);
  };
  // A store that is not late may keep other stores from being late.
  while (late.remove_if([&](Operation *store) { return !isLate(store); }))
    ;
  for (Operation *store : late.getArrayRef().vec())
    forEachOuterOperand(store, [&](Operation *, Value operand) {
      if (!loop.isDefinedOutsideOfLoop(operand))
        if (IoTileCopyOp copy = getCopyTo(TileSet::IO, operand.getDefiningOp()))
          late.insert(copy);
    });
}

void OverlappedTransfers::setStages() {
  Builder b(loop.getContext());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<AdvanceDrawsOp>(op) || free.contains(&op))
      continue;
    int64_t stage = early.contains(&op) ? 0 : late.contains(&op) ? 2 : 1;
    op.setAttr(PopDialect::kStageAttrName, b.getI64IntegerAttr(stage));
  }
}

/// Returns why the transfers of `op` do not overlap compute.
static StringRef getReason(Operation *op) {
  if (isLoad(op))
    return "the load does not overlap compute, because the loop computes its "
           "row, writes its row before, or uses its result on I/O tiles";
  if (isStore(op))
    return "the store does not overlap compute, because the loop reads or "
           "writes the same memory afterwards, stores another value than a "
           "copy of a value on compute tiles, or computes a condition of the "
           "store";
  return "the transfers do not overlap compute, because the exchange both "
         "loads and stores";
}

void OverlappedTransfers::reportOthers() const {
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isExchange = isa<RemoteExchangeOp>(op) && isOnIOTiles(&op);
    if ((isLoad(&op) || isStore(&op) || isExchange) && !early.contains(&op) &&
        !late.contains(&op))
      remark::missed(op.getLoc(), getGraphRemark("OverlapIO"))
          << getReason(&op);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OverlapIOPass : pop::impl::OverlapIOPassBase<OverlapIOPass> {
  using OverlapIOPassBase::OverlapIOPassBase;

  void runOnOperation() override;

private:
  SmallVector<scf::ForOp> findLoops(const FunctionCalls &calls);
  LogicalResult overlap(scf::ForOp loop, SymbolTable &symbols);
};
} // namespace

static bool hasTransfers(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    return isLoad(&op) || isStore(&op);
  });
}

/// Returns the loops with transfers on I/O tiles. An inner loop is before the
/// loops around it, which then have the transfers of its first and last
/// iterations. The loops of a function are before those that call it, because a
/// loop may get a copy of the function.
SmallVector<scf::ForOp> OverlapIOPass::findLoops(const FunctionCalls &calls) {
  llvm::SetVector<Operation *> around;
  SmallVector<scf::ForOp> loops;
  auto find = [&](scf::ForOp loop) {
    bool hasInner = around.contains(loop);
    if (!hasInner && !hasTransfers(loop))
      return;
    if (!hasInner || strategy == OverlapStrategy::Loops)
      loops.push_back(loop);
    for (Operation *parent = loop->getParentOp(); parent;
         parent = parent->getParentOp())
      if (isa<scf::ForOp>(parent))
        around.insert(parent);
  };
  for (FunctionOpInterface function : calls.getPostOrder())
    function->walk(find);
  return loops;
}

/// Returns an error if an op that `loop` executes has a pipeline stage.
static LogicalResult verifyNoStages(scf::ForOp loop,
                                    const GraphEffects &effects) {
  Operation *staged = nullptr;
  visitExecuted(loop, effects.getCalls(), [&](Operation *op) {
    if (!staged && getStage(op))
      staged = op;
  });
  if (!staged)
    return success();
  return staged->emitOpError()
         << "is in a pipeline stage, but 'pop-overlap-io' expects loops "
            "without stages; run 'pop-pipeline' before, which processes stages";
}

LogicalResult OverlapIOPass::overlap(scf::ForOp loop, SymbolTable &symbols) {
  GraphEffects effects(getOperation());
  if (failed(verifyNoStages(loop, effects)))
    return failure();
  OverlappedTransfers transfers(loop, effects);
  transfers.reportOthers();
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (transfers.getNumLoads() + transfers.getNumStores() == 0 ||
      (trips && trips->ule(1)))
    return success();
  remark::passed(loop.getLoc(), getGraphRemark("OverlapIO"))
      << "transfers on I/O tiles overlap compute"
      << remark::metric("loads", transfers.getNumLoads())
      << remark::metric("stores", transfers.getNumStores());
  transfers.setStages();
  StagedLoop staged(loop, effects, StageKind::Transfers);
  if (failed(staged.find()))
    return failure();
  for (Operation &op : *loop.getBody())
    op.removeAttr(PopDialect::kStageAttrName);
  unsigned numStages = staged.getStages().size();
  PipelineSchedule schedule(PipelineKind::Popart, numStages, numStages);
  DrawShifter shifter(symbols);
  if (failed(staged.shiftDraws(schedule, shifter)))
    return failure();
  for (unsigned stage = 0; stage < numStages; ++stage)
    if (staged.getStages()[stage].number == 1)
      staged.outlineStage(stage, "overlapped_compute", symbols);
  PipelineBuilder(staged, schedule).build();
  return success();
}

void OverlapIOPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(numberDraws(module)))
    return signalPassFailure();
  FunctionCalls calls(module);
  SmallVector<scf::ForOp> loops = findLoops(calls);
  if (loops.empty()) {
    module.emitError()
        << "'" << getArgument()
        << "' expects an scf.for with transfers on I/O tiles; "
           "'pop-place-transfers' and 'pop-io-tile-copy' place the transfers "
           "of loops, and a pipeline has a loop if there are more "
           "micro-batches than stages";
    return signalPassFailure();
  }
  SymbolTable symbols(module);
  for (scf::ForOp loop : loops)
    if (failed(overlap(loop, symbols)))
      return signalPassFailure();
  eraseUnusedFunctions(module, calls);
}
