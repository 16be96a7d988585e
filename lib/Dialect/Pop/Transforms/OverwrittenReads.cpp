//===- OverwrittenReads.cpp - Reads of refs that are overwritten ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverwrittenReads.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// The table contains the ops of a block that may write a location, in their
/// order.
class BlockWrites {
public:
  BlockWrites(Block &block, const GraphEffects &effects);

  /// Returns whether an op after `first`, up to and including `last`, may write
  /// what `origin` shows.
  bool mayWrite(Operation *first, Operation *last, const ipu::RefOrigin &origin,
                const GraphEffects &effects) const;

private:
  struct Writer {
    unsigned number;
    Operation *op;
  };
  bool mayWrite(ArrayRef<Writer> writers, unsigned first, unsigned last,
                function_ref<bool(Operation *)> mayWriteOrigin) const;

  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<MemoryLocation, SmallVector<Writer>> writersOf;
  /// `callers` contains calls and ops with calls. A table of all that they may
  /// write would be too large.
  SmallVector<Writer> callers;
  /// `unknown` contains the ops that may write anything.
  SmallVector<Writer> unknown;
};
} // namespace

BlockWrites::BlockWrites(Block &block, const GraphEffects &effects) {
  for (Operation &op : block) {
    unsigned number = numbers.size();
    numbers[&op] = number;
    const EffectSummary &summary = effects.getEffects(&op);
    if (summary.isUnknown())
      unknown.push_back({number, &op});
    if (summary.inheritsEffects())
      callers.push_back({number, &op});
    for (const auto &[memoryLocation, what] : summary.getOwnMemoryLocations())
      if (!what.writes.isEmpty())
        writersOf[memoryLocation].push_back({number, &op});
  }
}

bool BlockWrites::mayWrite(
    ArrayRef<Writer> writers, unsigned first, unsigned last,
    function_ref<bool(Operation *)> mayWriteOrigin) const {
  const Writer *it = llvm::partition_point(
      writers, [&](const Writer &writer) { return writer.number <= first; });
  for (; it != writers.end() && it->number <= last; ++it)
    if (mayWriteOrigin(it->op))
      return true;
  return false;
}

bool BlockWrites::mayWrite(Operation *first, Operation *last,
                           const ipu::RefOrigin &origin,
                           const GraphEffects &effects) const {
  unsigned begin = numbers.at(first), end = numbers.at(last);
  if (mayWrite(unknown, begin, end, [](Operation *) { return true; }))
    return true;
  auto mayWriteOrigin = [&](Operation *op) {
    return effects.mayWrite(op, origin);
  };
  if (mayWrite(callers, begin, end, mayWriteOrigin))
    return true;
  auto it = writersOf.find(origin.getMemoryLocation());
  return it != writersOf.end() &&
         mayWrite(it->second, begin, end, mayWriteOrigin);
}

/// Returns whether uses of the result of `op` are uses of its operand. This
/// holds for views and for scalars that control flow depends on.
static bool passesOn(Operation *op) {
  return isa<TileViewOpInterface>(op) ||
         (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
          op->getResult(0).getType().isIntOrIndex() && isMemoryEffectFree(op));
}

/// Returns the op of the read's block that is, or contains, the last use of the
/// read's result or of a view or scalar of this result. Returns null if there
/// is no use. A use as a result of the block sets `isResult`, because its users
/// are elsewhere.
static Operation *findLastUse(ReadOp read, bool &isResult) {
  Operation *last = nullptr;
  SmallVector<Value> values{read.getResult()};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      isResult |= isa<pop::YieldOp>(user);
      if (passesOn(user))
        values.push_back(user->getResult(0));
      Operation *step = read->getBlock()->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(step))
        last = step;
    }
  return last;
}

SmallVector<ReadOp>
mlir::pop::findOverwrittenReads(ModuleOp module, const GraphEffects &effects) {
  llvm::DenseMap<Block *, std::unique_ptr<BlockWrites>> writes;
  SmallVector<ReadOp> overwritten;
  module.walk([&](ReadOp read) {
    bool isResult = false;
    Operation *last = findLastUse(read, isResult);
    const ipu::RefOrigin &origin = effects.getOrigin(read.getTarget());
    if (!last)
      return;
    std::unique_ptr<BlockWrites> &ofBlock = writes[read->getBlock()];
    if (!ofBlock)
      ofBlock = std::make_unique<BlockWrites>(*read->getBlock(), effects);
    if (isResult || !origin.isKnown() ||
        ofBlock->mayWrite(read, last, origin, effects))
      overwritten.push_back(read);
  });
  return overwritten;
}
