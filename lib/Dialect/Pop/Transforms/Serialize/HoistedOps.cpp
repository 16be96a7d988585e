//===- HoistedOps.cpp - Ops that are executed earlier ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistedOps.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// EffectfulOps
//===----------------------------------------------------------------------===//

EffectfulOps::~EffectfulOps() {
  for (Operation *op : erased)
    op->destroy();
}

bool EffectfulOps::hasEffects(Operation *op) const {
  if (isMemoryEffectFree(op))
    return false;
  const EffectSummary &summary = effects.getEffects(op);
  return summary.hasRefEffects() || summary.hasResourceEffects();
}

ArrayRef<Operation *> EffectfulOps::get(Block &block) {
  auto [it, isNew] = ofBlocks.try_emplace(&block);
  if (isNew)
    for (Operation &op : block)
      if (hasEffects(&op))
        it->second.push_back(&op);
  return it->second;
}

void EffectfulOps::erase(Operation *op) {
  op->dropAllReferences();
  op->remove();
  erased.push_back(op);
}

void EffectfulOps::update(Block &block, ArrayRef<Operation *> created) {
  auto it = ofBlocks.find(&block);
  if (it == ofBlocks.end())
    return;
  SmallVector<Operation *> &ops = it->second;
  llvm::erase_if(ops, [&](Operation *op) { return op->getBlock() != &block; });
  for (Operation *op : created)
    if (hasEffects(op))
      ops.push_back(op);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

//===----------------------------------------------------------------------===//
// HoistedOps
//===----------------------------------------------------------------------===//

/// Returns whether `op` or an op in its regions draws random bits.
static bool draws(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return inner->hasAttr(PopDialect::kDrawAttrName)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static void forEachOperandOp(Operation *op,
                             function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *defining = operand.getDefiningOp())
        visit(defining);
  });
}

void HoistedOps::addEffects(Operation *op) {
  summary.inherit(effectful.getEffects().getEffects(op));
}

/// Adds `op`, and the ops on whose results it depends, to the earlier ops if
/// they are after `position`. Returns false if one of them depends on the set.
bool HoistedOps::require(Operation *op) {
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty()) {
    Operation *next = block->findAncestorOpInBlock(*worklist.pop_back_val());
    if (!next || next->isBeforeInBlock(position))
      continue;
    if (next == position || set.contains(next))
      return false;
    if (!earlier.insert(next).second)
      continue;
    // Random bits depend on the number of advances before the op.
    if (draws(next))
      summary.addRead(MemoryLocation::getResource(RngResource::get()),
                      /*view=*/std::nullopt);
    forEachOperandOp(
        next, [&](Operation *defining) { worklist.push_back(defining); });
  }
  return true;
}

bool HoistedOps::requireOperands() {
  bool isPossible = true;
  for (Operation *op : ops)
    forEachOperandOp(op, [&](Operation *defining) {
      if (defining != position && !set.contains(defining))
        isPossible = isPossible && require(defining);
    });
  return isPossible;
}

bool HoistedOps::isOverwritten(ReadOp read) const {
  const ipu::RefOrigin &origin =
      effectful.getEffects().getOrigin(read.getTarget());
  return llvm::any_of(ops, [&](Operation *op) {
    return effectful.getEffects().mayWrite(op, origin);
  });
}

/// Requires the users of what `read` reads, also of its views, that are before
/// the last op of the set.
bool HoistedOps::requireReadersOf(ReadOp read) {
  SmallVector<Value> values{read.getResult()};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<ipu::TileViewOpInterface>(user))
        values.push_back(user->getResult(0));
      Operation *op = block->findAncestorOpInBlock(*user);
      bool isBetween =
          op && position->isBeforeInBlock(op) && op->isBeforeInBlock(getLast());
      if (isBetween && !set.contains(op) && !require(op))
        return false;
    }
  return true;
}

bool HoistedOps::requireReaders() {
  for (Operation *op : effectful.get(*block)) {
    if (!op->isBeforeInBlock(getLast()))
      break;
    auto read = dyn_cast<ReadOp>(op);
    if (read && isOverwritten(read) && !requireReadersOf(read))
      return false;
  }
  return true;
}

bool HoistedOps::conflictsWithOpsBefore(Operation *op) const {
  const GraphEffects &effects = effectful.getEffects();
  return llvm::any_of(ops, [&](Operation *before) {
    return before->isBeforeInBlock(op) &&
           effects.getEffects(before).conflictsWith(effects.getEffects(op));
  });
}

/// Requires the ops with effects that conflict with the set or with earlier
/// ops. Operands of an op are before the op, so that one walk from the last op
/// to the first one finds all.
bool HoistedOps::requireConflictingOps() {
  for (Operation *op : llvm::reverse(effectful.get(*block))) {
    if (!op->isBeforeInBlock(getLast()) || set.contains(op))
      continue;
    if (!position->isBeforeInBlock(op))
      break;
    const EffectSummary &effects = effectful.getEffects().getEffects(op);
    if (!earlier.contains(op) && !effects.conflictsWith(summary))
      continue;
    if (conflictsWithOpsBefore(op) || !require(op))
      return false;
    addEffects(op);
  }
  return true;
}

bool HoistedOps::findEarlierOps() {
  for (Operation *op : ops)
    addEffects(op);
  return requireOperands() && requireReaders() && requireConflictingOps();
}

void HoistedOps::moveEarlierOps() {
  SmallVector<Operation *> sorted(earlier.begin(), earlier.end());
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : sorted)
    op->moveBefore(position);
}
