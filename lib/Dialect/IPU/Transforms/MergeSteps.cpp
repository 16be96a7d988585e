//===- MergeSteps.cpp - Merging of independent steps ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program whose operands are on the tiles that read them. Out: the same
// program with fewer exchanges, compute sets and syncs.
//
// The pass makes one sweep over each block. Steps that remain are *slots*,
// numbered in order. A step that depends on no slot after number s may be
// merged into a later slot of its kind.
//
//===----------------------------------------------------------------------===//

#include "SplitExchange.h"
#include "StepDependences.h"
#include "StepIPUs.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/IR/Origins.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MERGESTEPSPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// How far back a step may move, and how many slots there it may try: the time
/// of the pass grows with the number of steps, not its square.
static constexpr int64_t kMaxDistance = 256;
static constexpr unsigned kMaxTries = 8;
/// Users of a variable that are looked at to find the first.
static constexpr unsigned kMaxUsers = 64;
/// Longer names of merged steps are abbreviated.
static constexpr size_t kMaxNameLength = 80;
/// Sums of bytes of many variables stay far from overflow.
static constexpr int64_t kMaxBytes = int64_t(1) << 40;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether the live range of a variable ends in its block: it has no initial
/// value and is not of a storage.
static bool isTemporary(VarOp variable) {
  return !variable.getInitAttr() && !variable.getStorageAttr();
}

/// Bytes of a variable on its fullest tile.
static int64_t getMaxTileBytes(VarOp variable) {
  MemRefType type = variable.getResult().getType();
  int64_t elements = std::min(getTileMapping(type).getMaxElements(), kMaxBytes);
  return std::min<int64_t>(
      llvm::alignTo(elements * getStoredBytes(type.getElementType()), 8),
      kMaxBytes);
}

/// Bytes of all variables of `function` with initial values, and of all storage
/// of its module, on the fullest tile.
static int64_t getAlwaysLiveBytes(const TargetModel &target,
                                  func::FuncOp function) {
  // Programs with many functions have many storages of few types.
  llvm::MapVector<MemRefType, int64_t> countOfType;
  function.walk([&](VarOp variable) {
    if (variable.getInitAttr())
      ++countOfType[variable.getResult().getType()];
  });
  if (auto module = function->getParentOfType<ModuleOp>())
    for (auto storage : module.getOps<StorageOp>())
      ++countOfType[cast<MemRefType>(storage.getType())];
  TileCounts sum(target.getTilesPerReplica());
  for (auto [type, count] : countOfType) {
    TileCounts elements =
        getElementsPerTile(getTileMapping(type), target.getTilesPerReplica());
    int64_t bytes = getStoredBytes(type.getElementType());
    sum.add(TileCounts::combine({&elements}, [&, count = count](
                                                 ArrayRef<int64_t> counts) {
      int64_t size = llvm::alignTo(std::min(counts[0], kMaxBytes) * bytes, 8);
      return llvm::SaturatingMultiply<uint64_t>(size, count) > kMaxBytes
                 ? kMaxBytes
                 : size * count;
    }));
  }
  return std::min(sum.getMax().second, kMaxBytes);
}

namespace {
/// The bytes that are live at each slot on one tile, at most: the fullest tiles
/// of all variables taken together.
class LiveBytes {
public:
  explicit LiveBytes(int64_t now) : now(now) {}

  /// At the next slot, which has `more` bytes of its own.
  void appendSlot(int64_t more) { slots.push_back(now + more); }
  /// Adds `bytes` at slots from `first` on, those to come included.
  void addFrom(int64_t first, int64_t bytes) {
    for (int64_t &slot : MutableArrayRef(slots).drop_front(first))
      slot += bytes;
    now += bytes;
  }
  int64_t getNow() const { return now; }
  /// The most at slots from `first` on.
  int64_t getMaxFrom(int64_t first) const {
    int64_t most = 0;
    for (int64_t bytes : ArrayRef(slots).drop_front(first))
      most = std::max(most, bytes);
    return most;
  }

private:
  std::vector<int64_t> slots;
  int64_t now;
};

struct Slot {
  Operation *step = nullptr;
  /// The sync of an exchange, if it has one of its own.
  SyncOp sync;
  /// Of an exchange: the strongest sync since the last step of another kind.
  int cover = -1;
  /// Of an exchange: what its moves do, and its cycles.
  std::optional<ExchangeSources> sources;
  int64_t cycles = 0;
  /// The IPUs that take part in a compute set or an exchange.
  llvm::SmallBitVector ipus;
};

/// Life of a variable of the block; not begun if there is no last slot.
struct LiveRange {
  int64_t bytes = 0;
  /// Uses by steps that have no slot yet.
  int64_t usesLeft = 0;
  int64_t lastSlot = -1;
};

struct MergeCounters {
  int64_t exchanges = 0, computeSets = 0, moves = 0;
};

/// Merges the steps of one block. Syncs are compared as numbers: SyncKind, or
/// -1 for none.
class Merger {
public:
  Merger(const TargetModel &target, Block &block, int64_t liveBytes,
         int64_t maxBytes, MergeCounters &counters, StepIPUs &stepIPUs)
      : target(target), block(block), maxBytes(maxBytes), counters(counters),
        stepIPUs(stepIPUs), live(liveBytes) {}
  void run();
  int64_t getMaxLiveBytes() const { return live.getMaxFrom(0); }

private:
  void countUses();
  void visit(SyncOp sync);
  void visit(ExchangeOp exchange);
  void visit(ComputeSetOp computeSet);
  void visitRegions(Operation *op);
  void visitOther(Operation *op, int64_t moreBytes = 0);

  bool reuseMove(MoveOp move);
  std::optional<int64_t> findSlot(
      Operation *step, const StepAccesses &accesses,
      ArrayRef<int64_t> slotsOfKind,
      function_ref<bool(Slot &)> canTake = [](Slot &) { return true; });
  int64_t getReadySlotOfUser(Operation *step, const StepAccesses &accesses);
  bool fits(int64_t slot, const StepAccesses &accesses);
  template <typename StepOp>
  void mergeInto(int64_t slot, StepOp step);
  void hoist(Value value, Operation *before);
  void append(Operation *step, const StepAccesses &accesses,
              int64_t moreBytes = 0);
  void book(int64_t slot, Operation *step, const StepAccesses &accesses);
  void endUse(VarOp variable);
  void passPending();
  bool saves(const Slot &slot, const ExchangeSources &sources, int64_t cycles,
             int64_t syncCycles);
  void strengthenSync(Slot &slot, int kind);

  const TargetModel &target;
  Block &block;
  int64_t maxBytes;
  MergeCounters &counters;
  StepIPUs &stepIPUs;
  LiveBytes live;
  StepDependences dependences;
  std::vector<Slot> slots;
  SmallVector<int64_t> exchangeSlots, computeSlots;
  /// The positions of ops, as a block would number all of them again after each
  /// change. An op that was moved has the number of the op after it.
  llvm::DenseMap<Operation *, int64_t> order;
  llvm::DenseMap<Operation *, LiveRange> liveRanges;
  /// A move for each variable, view and map, and the slot that it is in.
  using MoveKey = std::tuple<Operation *, Type, Type>;
  llvm::DenseMap<MoveKey, std::pair<MoveOp, int64_t>> moves;

  /// The sync that the next exchange has.
  SyncOp pending;
  /// The strongest sync since the last slot that is no exchange.
  int cover = -1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

/// Calls `visit` for each operand of ops other than views in `op`.
static void forEachUse(Operation *op, function_ref<void(VarOp)> visit) {
  op->walk([&](Operation *inner) {
    if (isa<memref::ReinterpretCastOp>(inner))
      return;
    for (Value operand : inner->getOperands())
      if (VarOp variable = getVariable(operand))
        visit(variable);
  });
}

void Merger::countUses() {
  for (auto variable : block.getOps<VarOp>())
    if (isTemporary(variable))
      liveRanges[variable].bytes = getMaxTileBytes(variable);
  for (Operation &op : block)
    forEachUse(&op, [&](VarOp variable) {
      auto it = liveRanges.find(variable);
      if (it != liveRanges.end())
        ++it->second.usesLeft;
    });
}

/// Whether memory suffices if a step with `accesses` is done at `slot` already:
/// variables that nothing used before live from there on.
bool Merger::fits(int64_t slot, const StepAccesses &accesses) {
  int64_t bytes = 0;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (const StepAccess &access : accesses.list) {
    auto it = liveRanges.find(access.variable);
    if (it != liveRanges.end() && it->second.lastSlot < 0 &&
        seen.insert(access.variable).second)
      bytes += it->second.bytes;
  }
  return bytes == 0 || live.getMaxFrom(slot) + bytes <= maxBytes;
}

void Merger::endUse(VarOp variable) {
  auto it = liveRanges.find(variable);
  if (it == liveRanges.end())
    return;
  LiveRange &life = it->second;
  if (--life.usesLeft == 0 && life.lastSlot >= 0)
    live.addFrom(life.lastSlot + 1, -life.bytes);
}

/// Accounts for `step`, which is, or becomes part of, a slot.
void Merger::book(int64_t slot, Operation *step, const StepAccesses &accesses) {
  dependences.add(slot, accesses);
  forEachUse(step, [&](VarOp variable) {
    auto it = liveRanges.find(variable);
    if (it == liveRanges.end())
      return;
    LiveRange &life = it->second;
    if (life.lastSlot < 0)
      live.addFrom(slot, life.bytes);
    life.lastSlot = std::max(life.lastSlot, slot);
  });
  forEachUse(step, [&](VarOp variable) { endUse(variable); });
}

void Merger::append(Operation *step, const StepAccesses &accesses,
                    int64_t moreBytes) {
  live.appendSlot(moreBytes);
  slots.emplace_back().step = step;
  if (isa<ComputeSetOp, ExchangeOp>(step))
    slots.back().ipus = stepIPUs.getIPUs(step);
  book(slots.size() - 1, step, accesses);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The last slot that the first user of what `step` writes depends on, apart
/// from `step` itself: done sooner, `step` would only take memory.
int64_t Merger::getReadySlotOfUser(Operation *step,
                                   const StepAccesses &accesses) {
  Operation *first = nullptr;
  unsigned numUsers = 0;
  SmallVector<Value> worklist;
  for (const StepAccess &access : accesses.list)
    if (access.isWrite)
      worklist.push_back(getVariable(access.view).getResult());
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (++numUsers > kMaxUsers)
        break;
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user)) {
        worklist.push_back(view.getResult());
        continue;
      }
      Operation *other = block.findAncestorOpInBlock(*user);
      if (other && order.at(step) < order.at(other) &&
          (!first || order.at(other) < order.at(first)))
        first = other;
    }
  if (!first || !isa<ComputeSetOp, ExchangeOp>(first))
    return static_cast<int64_t>(slots.size()) - 1;
  return dependences.getLastConflict(getStepAccesses(first));
}

/// The slot among `slotsOfKind` that `step` becomes part of, if there is one:
/// the first at which its user could follow, else the last before that.
std::optional<int64_t> Merger::findSlot(Operation *step,
                                        const StepAccesses &accesses,
                                        ArrayRef<int64_t> slotsOfKind,
                                        function_ref<bool(Slot &)> canTake) {
  int64_t numSlots = slots.size();
  int64_t first = std::max(dependences.getLastConflict(accesses) + 1,
                           numSlots - kMaxDistance);
  int64_t ready = std::max(first, getReadySlotOfUser(step, accesses));
  const int64_t *middle = llvm::lower_bound(slotsOfKind, ready);
  unsigned tries = 0;
  llvm::SmallBitVector ipus = stepIPUs.getIPUs(step);
  // An IPU must not wait for steps of other IPUs.
  auto accepts = [&](int64_t slot) {
    return tries++ < kMaxTries && slots[slot].ipus == ipus &&
           fits(slot, accesses) && canTake(slots[slot]);
  };
  for (const int64_t *it = middle; it != slotsOfKind.end(); ++it)
    if (accepts(*it))
      return *it;
  for (const int64_t *it = middle; it != slotsOfKind.begin(); --it) {
    if (it[-1] < first)
      break;
    if (accepts(it[-1]))
      return it[-1];
  }
  return std::nullopt;
}

/// Sees to it that `value`, a variable or view, is defined before `before`.
void Merger::hoist(Value value, Operation *before) {
  SmallVector<Operation *> late;
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (op->getBlock() != &block || order.at(op) <= order.at(before))
      break;
    late.push_back(op);
    auto view = dyn_cast<memref::ReinterpretCastOp>(op);
    value = view ? view.getSource() : Value();
  }
  for (Operation *op : llvm::reverse(late)) {
    op->moveBefore(before);
    order[op] = order.at(before);
  }
}

/// `a+b`; names that are there already are not repeated.
static std::string joinNames(StringRef name, StringRef more) {
  SmallVector<StringRef> parts;
  name.split(parts, '+');
  if (llvm::is_contained(parts, more) || parts.back() == "...")
    return name.str();
  if (name.size() + more.size() >= kMaxNameLength)
    return (name + "+...").str();
  return (name + "+" + more).str();
}

/// Makes `step` part of the step at `slot`.
template <typename StepOp>
void Merger::mergeInto(int64_t slot, StepOp step) {
  auto into = cast<StepOp>(slots[slot].step);
  Operation *before = into;
  if (slots[slot].sync)
    before = slots[slot].sync;
  for (Operation &inner : step.getBody().front())
    for (Value operand : inner.getOperands())
      hoist(operand, before);
  moveOriginsInside(into);
  moveOriginsInside(step);
  Block &body = into.getBody().front();
  body.getOperations().splice(body.end(),
                              step.getBody().front().getOperations());
  into.setName(joinNames(into.getName(), step.getName()));
  into->setLoc(
      FusedLoc::get(step.getContext(), {into.getLoc(), step.getLoc()}));
  into.removeCostAttr();
  step.erase();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// The variable that `move`, and no other op, writes as a whole, if it is one
/// of `block`.
static VarOp getVariableOfMove(MoveOp move, Block &block) {
  auto variable = move.getTarget().getDefiningOp<VarOp>();
  if (!variable || variable->getBlock() != &block || !isTemporary(variable))
    return VarOp();
  SmallVector<Value> worklist{variable.getResult()};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user))
        worklist.push_back(view.getResult());
      else if (user != move)
        for (const StepAccess &access : getStepAccesses(user).list)
          if (access.isWrite && access.variable == variable)
            return VarOp();
    }
  return variable;
}

/// Erases a move whose elements an earlier one has brought to the same tiles.
bool Merger::reuseMove(MoveOp move) {
  MoveKey key(getVariable(move.getSource()), move.getSource().getType(),
              move.getTarget().getType());
  auto found = moves.find(key);
  if (found == moves.end())
    return false;
  auto [earlier, slot] = found->second;
  // The earlier move would copy what its readers read in place.
  if (getRowsInPlace(move) != getRowsInPlace(earlier))
    return false;
  VarOp from = getVariableOfMove(move, block);
  VarOp to = from ? getVariableOfMove(earlier, block) : VarOp();
  if (!to || from.getCopies() != to.getCopies())
    return false;
  // Nothing may have written the source since.
  StepAccess read{getVariable(move.getSource()), move.getSource(),
                  /*isWrite=*/false};
  if (dependences.getLastConflict(read) >= slot)
    return false;
  LiveRange &unused = liveRanges[from], &life = liveRanges[to];
  int64_t moreUses = unused.usesLeft - 1;
  if (unused.lastSlot >= 0)
    return false;
  if (life.usesLeft == 0 && moreUses > 0) {
    if (live.getMaxFrom(life.lastSlot + 1) + life.bytes > maxBytes)
      return false;
    live.addFrom(life.lastSlot + 1, life.bytes);
  }
  life.usesLeft += moreUses;
  liveRanges.erase(from);
  endUse(getVariable(move.getSource()));
  if (order.at(from) <= order.at(to)) {
    to->moveBefore(from);
    order[to] = order.at(from);
  }
  from.getResult().replaceAllUsesWith(to.getResult());
  move.erase();
  from.erase();
  ++counters.moves;
  return true;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Makes the sync at an exchange at least as strong as `kind`.
void Merger::strengthenSync(Slot &slot, int kind) {
  if (kind <= slot.cover)
    return;
  slot.cover = kind;
  auto syncKind = static_cast<SyncKind>(kind);
  if (slot.sync) {
    slot.sync.setKind(syncKind);
    slot.sync.removeCostAttr();
    return;
  }
  OpBuilder builder(slot.step);
  slot.sync = SyncOp::create(builder, slot.step->getLoc(), syncKind,
                             /*cost=*/StepCostAttr());
  order[slot.sync] = order.at(slot.step);
}

/// A sync that no exchange followed directly stays where it is.
void Merger::passPending() {
  if (pending)
    cover = std::max(cover, static_cast<int>(pending.getKind()));
  pending = SyncOp();
}

void Merger::visit(SyncOp sync) {
  passPending();
  pending = sync;
  // The host's syncs are of no use to exchanges elsewhere.
  if (sync.getKind() == SyncKind::External)
    passPending();
}

/// Whether the exchange at `slot` and one of `sources`, which takes `cycles`,
/// take no longer as one, for which `syncCycles` of a sync are saved. They
/// would if one of them could use buses at double width, or rearrange elements
/// on its tiles in bigger pieces, without the other.
bool Merger::saves(const Slot &slot, const ExchangeSources &sources,
                   int64_t cycles, int64_t syncCycles) {
  return slot.sources->getMergedCycles(target, sources) <=
         slot.cycles + cycles + syncCycles;
}

/// Whether the next step relies on the sync of `exchange`.
static bool sharesSync(ExchangeOp exchange) {
  Operation *next = exchange->getNextNode();
  while (next && (isa<VarOp>(next) || isMemoryEffectFree(next)))
    next = next->getNextNode();
  return isa_and_nonnull<ExchangeOp>(next);
}

void Merger::visit(ExchangeOp exchange) {
  SyncOp sync = std::exchange(pending, SyncOp());
  int kind = sync ? static_cast<int>(sync.getKind()) : -1;
  int needed = std::max(cover, kind);
  bool isShared = sharesSync(exchange);
  for (auto move :
       llvm::make_early_inc_range(exchange.getBody().getOps<MoveOp>()))
    reuseMove(move);
  bool isEmpty = exchange.getBody().front().empty();
  StepAccesses accesses = getStepAccesses(exchange);
  std::optional<ExchangeSources> sources;
  int64_t cycles = 0;
  std::optional<int64_t> slot;
  if (!isEmpty) {
    sources.emplace(target, exchange);
    cycles = sources->getCycles(target);
    // Where it goes there must not be a sync for it that is still needed here.
    slot = findSlot(exchange, accesses, exchangeSlots, [&](Slot &into) {
      if (needed > into.cover && (needed != kind || isShared))
        return false;
      // One of the two syncs is left, the stronger one.
      int weaker = sync && !isShared ? std::min(kind, into.cover) : -1;
      auto ipus = static_cast<int>(SyncKind::IPUs);
      return saves(into, *sources, cycles,
                   weaker < 0 ? 0
                              : getExchangeSyncCycles(target, weaker >= ipus));
    });
  }
  int64_t place = slot.value_or(slots.size());
  for (auto move : exchange.getBody().getOps<MoveOp>())
    moves[{getVariable(move.getSource()), move.getSource().getType(),
           move.getTarget().getType()}] = {move, place};
  if (!isEmpty && !slot) {
    append(exchange, accesses);
    exchangeSlots.push_back(place);
    cover = needed;
    slots.back().sync = sync;
    slots.back().cover = cover;
    slots.back().sources = std::move(sources);
    slots.back().cycles = cycles;
    return;
  }
  if (slot) {
    strengthenSync(slots[*slot], needed);
    book(*slot, exchange, accesses);
    mergeInto(*slot, exchange);
    slots[*slot].sources->add(target, *sources);
    slots[*slot].cycles = slots[*slot].sources->getCycles(target);
  } else {
    exchange.erase();
  }
  ++counters.exchanges;
  if (isShared)
    pending = sync;
  else if (sync)
    sync.erase();
}

void Merger::visit(ComputeSetOp computeSet) {
  passPending();
  StepAccesses accesses = getStepAccesses(computeSet);
  std::optional<int64_t> slot = findSlot(computeSet, accesses, computeSlots);
  if (slot) {
    book(*slot, computeSet, accesses);
    mergeInto(*slot, computeSet);
    ++counters.computeSets;
    return;
  }
  computeSlots.push_back(slots.size());
  append(computeSet, accesses);
  cover = -1;
}

void Merger::visitRegions(Operation *op) {
  int64_t most = live.getNow();
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Merger body(target, region.front(), live.getNow(), maxBytes, counters,
                stepIPUs);
    body.run();
    most = std::max(most, body.getMaxLiveBytes());
  }
  visitOther(op, most - live.getNow());
}

void Merger::visitOther(Operation *op, int64_t moreBytes) {
  StepAccesses accesses = getStepAccesses(op);
  if (accesses.list.empty() && !accesses.isBarrier && !accesses.usesResources)
    return;
  passPending();
  append(op, accesses, moreBytes);
  cover = -1;
}

void Merger::run() {
  countUses();
  for (auto [index, op] : llvm::enumerate(block))
    order[&op] = index;
  for (Operation &op : llvm::make_early_inc_range(block))
    llvm::TypeSwitch<Operation *>(&op)
        .Case<SyncOp, ExchangeOp, ComputeSetOp>([&](auto step) { visit(step); })
        .Case<RegionBranchOpInterface>([&](auto step) { visitRegions(step); })
        .Default([&](Operation *other) { visitOther(other); });
  // A sync belongs to all ops whose moves wait for it.
  for (int64_t slot : exchangeSlots)
    if (slots[slot].sync)
      copyOrigins(cast<ExchangeOp>(slots[slot].step), slots[slot].sync);
  // More may gain together by what each gained too little by.
  for (int64_t slot : exchangeSlots)
    splitExchangeInPairs(target, cast<ExchangeOp>(slots[slot].step),
                         *slots[slot].sources);
}

namespace {
struct MergeSteps : ipu::impl::MergeStepsPassBase<MergeSteps> {
  using MergeStepsPassBase::MergeStepsPassBase;

  void runOnOperation() override {
    // No NaN is one.
    bool isProportion =
        availableMemoryProportion >= 0 && availableMemoryProportion <= 1;
    if (!isProportion) {
      getOperation().emitError()
          << "expects a proportion of memory from 0 to 1 but got "
          << availableMemoryProportion;
      return signalPassFailure();
    }
    TargetModel target = getTargetModel(getOperation());
    auto maxBytes = std::min(
        static_cast<int64_t>(target.tile_memory * availableMemoryProportion),
        kMaxBytes - 1);
    int64_t alwaysLive = getAlwaysLiveBytes(target, getOperation());
    MergeCounters counters;
    StepIPUs stepIPUs(target);
    for (Block &block : getOperation().getBody())
      Merger(target, block, alwaysLive, maxBytes, counters, stepIPUs).run();
    remark::analysis(
        getOperation().getLoc(),
        remark::RemarkOpts::name("ipu-merge-steps").category("ipu-merge"))
        << remark::metric("exchanges", counters.exchanges)
        << remark::metric("compute_sets", counters.computeSets)
        << remark::metric("moves", counters.moves);
  }
};
} // namespace
