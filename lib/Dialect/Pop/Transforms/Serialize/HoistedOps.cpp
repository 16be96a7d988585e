//===- HoistedOps.cpp - Ops that are executed earlier ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HoistedOps.h"

#include "../DrawAdvances.h"
#include <algorithm>

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

/// All objects of a resource are one location, because an op may access them
/// together.
static MemoryLocation getKey(const MemoryLocation &location) {
  if (SideEffects::Resource *resource = location.getResource())
    return MemoryLocation::getResource(resource);
  return location;
}

void EffectfulOps::add(OpsOfBlock &ops, Operation *op) {
  if (isMemoryEffectFree(op))
    return;
  const EffectSummary &summary = effects.getEffects(op);
  if (!summary.hasRefEffects() && !summary.hasResourceEffects())
    return;
  ops.all.push_back(op);
  if (summary.isUnknown() || summary.inheritsEffects()) {
    ops.others.push_back(op);
    return;
  }
  llvm::SmallSetVector<MemoryLocation, 4> keys;
  for (const auto &[location, what] : summary.getOwnMemoryLocations())
    keys.insert(getKey(location));
  for (const MemoryLocation &key : keys)
    ops.ofLocations[key].push_back(op);
}

EffectfulOps::OpsOfBlock &EffectfulOps::getOpsOfBlock(Block &block) {
  auto [it, isNew] = ofBlocks.try_emplace(&block);
  if (isNew)
    for (Operation &op : block)
      add(it->second, &op);
  return it->second;
}

SmallVector<Operation *>
EffectfulOps::getOpsOf(Block &block, const MemoryLocation &location) {
  OpsOfBlock &ops = getOpsOfBlock(block);
  SmallVector<Operation *> found = ops.others;
  llvm::append_range(found, ops.ofLocations[getKey(location)]);
  llvm::erase_if(found, [&](Operation *op) { return erased.contains(op); });
  return found;
}

SmallVector<Operation *> EffectfulOps::getOps(Block &block) {
  SmallVector<Operation *> found = getOpsOfBlock(block).all;
  llvm::erase_if(found, [&](Operation *op) { return erased.contains(op); });
  return found;
}

void EffectfulOps::erase(Operation *op) {
  op->dropAllReferences();
  op->remove();
  erased.insert(op);
}

void EffectfulOps::add(Block &block, ArrayRef<Operation *> created) {
  // If the block has no table yet, its table will contain the ops.
  auto it = ofBlocks.find(&block);
  if (it != ofBlocks.end())
    for (Operation *op : created)
      add(it->second, op);
}

//===----------------------------------------------------------------------===//
// HoistedOps
//===----------------------------------------------------------------------===//

static void forEachOperandOp(Operation *op,
                             function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *defining = operand.getDefiningOp())
        visit(defining);
  });
}

static bool isLess(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

/// Adds `op` to the ops to visit if it is between `position` and `before`.
void HoistedOps::visitLater(Operation *op, Operation *before) {
  bool isBetween = position->isBeforeInBlock(op) && op->isBeforeInBlock(before);
  if (!isBetween || set.contains(op) || !seen.insert(op).second)
    return;
  unvisited.push_back(op);
  std::push_heap(unvisited.begin(), unvisited.end(), isLess);
}

/// Adds the effects of `op`. Ops before `before` may conflict with them.
void HoistedOps::addEffects(Operation *op, Operation *before) {
  const EffectSummary &added = effectful.getEffects().getEffects(op);
  summary.inherit(added);
  if (added.isUnknown() || added.inheritsEffects()) {
    for (Operation *other : effectful.getOps(*block))
      visitLater(other, before);
    return;
  }
  for (const auto &[location, what] : added.getOwnMemoryLocations())
    for (Operation *other : effectful.getOpsOf(*block, location))
      visitLater(other, before);
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
    visitLater(next, getLast());
    // Random bits depend on the number of advances before the op.
    if (containsDraw(next)) {
      auto states = MemoryLocation::getResource(RngResource::get());
      summary.addRead(states, /*view=*/std::nullopt);
      for (Operation *advance : effectful.getOpsOf(*block, states))
        visitLater(advance, next);
    }
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
  const GraphEffects &effects = effectful.getEffects();
  for (Operation *op : ops) {
    auto write = dyn_cast<InPlaceOpInterface>(op);
    if (!write)
      continue;
    const ipu::RefOrigin &origin = effects.getOrigin(write.getTarget());
    for (Operation *other :
         effectful.getOpsOf(*block, origin.getMemoryLocation())) {
      auto read = dyn_cast<ReadOp>(other);
      if (read && read->isBeforeInBlock(getLast()) &&
          effects.mayWrite(op, read.getTarget()) && !requireReadersOf(read))
        return false;
    }
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
/// ops. The ops are visited from the last one to the first one, because an op
/// can only be required by ops after it.
bool HoistedOps::requireConflictingOps() {
  while (!unvisited.empty()) {
    std::pop_heap(unvisited.begin(), unvisited.end(), isLess);
    Operation *op = unvisited.pop_back_val();
    const EffectSummary &effects = effectful.getEffects().getEffects(op);
    if (!earlier.contains(op) && !effects.conflictsWith(summary))
      continue;
    if (conflictsWithOpsBefore(op) || !require(op))
      return false;
    addEffects(op, op);
  }
  return true;
}

bool HoistedOps::findEarlierOps() {
  for (Operation *op : ops)
    addEffects(op, getLast());
  return requireOperands() && requireReaders() && requireConflictingOps();
}

void HoistedOps::moveEarlierOps() {
  SmallVector<Operation *> sorted(earlier.begin(), earlier.end());
  llvm::sort(sorted, isLess);
  for (Operation *op : sorted)
    op->moveBefore(position);
}
