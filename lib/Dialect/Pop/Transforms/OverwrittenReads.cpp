//===- OverwrittenReads.cpp - Reads of refs that are overwritten ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverwrittenReads.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Accesses of a block
//===----------------------------------------------------------------------===//

BlockAccesses::BlockAccesses(Block &block, const GraphEffects &effects) {
  for (Operation &op : block) {
    unsigned number = numbers.size();
    numbers[&op] = number;
    const EffectSummary &summary = effects.getEffects(&op);
    if (summary.isUnknown())
      unknown.push_back({number, &op});
    if (summary.inheritsEffects())
      callers.push_back({number, &op});
    for (const auto &[memoryLocation, what] : summary.getOwnMemoryLocations()) {
      if (!what.reads.isEmpty())
        readersOf[memoryLocation].push_back({number, &op});
      if (!what.writes.isEmpty())
        writersOf[memoryLocation].push_back({number, &op});
    }
  }
}

bool BlockAccesses::mayAccess(
    ArrayRef<Access> accesses, unsigned first, unsigned last,
    function_ref<bool(Operation *)> mayAccessOrigin) const {
  const Access *it = llvm::partition_point(
      accesses, [&](const Access &access) { return access.number <= first; });
  for (; it != accesses.end() && it->number <= last; ++it)
    if (mayAccessOrigin(it->op))
      return true;
  return false;
}

bool BlockAccesses::mayAccess(
    const AccessesOf &accessesOf, Operation *first, Operation *last,
    const ipu::RefOrigin &origin,
    function_ref<bool(Operation *)> mayAccessOrigin) const {
  unsigned begin = numbers.at(first), end = numbers.at(last);
  if (mayAccess(unknown, begin, end, [](Operation *) { return true; }) ||
      mayAccess(callers, begin, end, mayAccessOrigin))
    return true;
  auto it = accessesOf.find(origin.getMemoryLocation());
  return it != accessesOf.end() &&
         mayAccess(it->second, begin, end, mayAccessOrigin);
}

bool BlockAccesses::mayWrite(Operation *first, Operation *last,
                             const ipu::RefOrigin &origin,
                             const GraphEffects &effects) const {
  return mayAccess(writersOf, first, last, origin,
                   [&](Operation *op) { return effects.mayWrite(op, origin); });
}

bool BlockAccesses::mayRead(Operation *first, Operation *last,
                            const ipu::RefOrigin &origin,
                            const GraphEffects &effects) const {
  return mayAccess(readersOf, first, last, origin,
                   [&](Operation *op) { return effects.mayRead(op, origin); });
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Returns whether uses of the result of `op` are uses of its operand. This
/// holds for views and for scalars that control flow depends on.
static bool passesOn(Operation *op) {
  return isa<TileViewOpInterface>(op) ||
         (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
          op->getResult(0).getType().isIntOrIndex() && isMemoryEffectFree(op));
}

Operation *mlir::pop::findLastUse(Value tensor, bool &isResult) {
  Operation *last = nullptr;
  SmallVector<Value> values{tensor};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      isResult |= isa<pop::YieldOp>(user);
      if (passesOn(user))
        values.push_back(user->getResult(0));
      Operation *step = tensor.getParentBlock()->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(step))
        last = step;
    }
  return last;
}

SmallVector<ReadOp>
mlir::pop::findOverwrittenReads(ModuleOp module, const GraphEffects &effects) {
  llvm::DenseMap<Block *, std::unique_ptr<BlockAccesses>> accesses;
  SmallVector<ReadOp> overwritten;
  module.walk([&](ReadOp read) {
    bool isResult = false;
    Operation *last = findLastUse(read.getResult(), isResult);
    const ipu::RefOrigin &origin = effects.getOrigin(read.getTarget());
    if (!last)
      return;
    std::unique_ptr<BlockAccesses> &ofBlock = accesses[read->getBlock()];
    if (!ofBlock)
      ofBlock = std::make_unique<BlockAccesses>(*read->getBlock(), effects);
    if (isResult || !origin.isKnown() ||
        ofBlock->mayWrite(read, last, origin, effects))
      overwritten.push_back(read);
  });
  return overwritten;
}
