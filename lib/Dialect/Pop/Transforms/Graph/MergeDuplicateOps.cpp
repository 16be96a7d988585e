//===- MergeDuplicateOps.cpp - Merging of duplicate ops ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where an op is erased if an
// earlier op computes the same results, and their uses are
// replaced.
//
//===----------------------------------------------------------------------===//

#include "DuplicateOps.h"
#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/DeviceResources.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/Support/RecyclingAllocator.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MERGEDUPLICATEOPSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
/// What an op computes: itself, and how often what it reads was written before.
struct Computation {
  Operation *op;
  unsigned lastWrite;
};

struct ComputationInfo : llvm::DenseMapInfo<Operation *> {
  static Computation getEmptyKey() {
    return {DenseMapInfo<Operation *>::getEmptyKey(), 0};
  }
  static Computation getTombstoneKey() {
    return {DenseMapInfo<Operation *>::getTombstoneKey(), 0};
  }
  static unsigned getHashValue(const Computation &computation) {
    return llvm::hash_combine(computation.lastWrite,
                              OperationEquivalence::computeHash(
                                  computation.op,
                                  OperationEquivalence::directHashValue,
                                  OperationEquivalence::ignoreHashValue,
                                  OperationEquivalence::IgnoreLocations));
  }
  static bool isSpecial(Operation *op) {
    return op == DenseMapInfo<Operation *>::getEmptyKey() ||
           op == DenseMapInfo<Operation *>::getTombstoneKey();
  }
  static bool isEqual(const Computation &a, const Computation &b) {
    if (a.op == b.op)
      return a.lastWrite == b.lastWrite;
    if (isSpecial(a.op) || isSpecial(b.op) || a.lastWrite != b.lastWrite)
      return false;
    return OperationEquivalence::isEquivalentTo(
        a.op, b.op, OperationEquivalence::exactValueMatch,
        /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
  }
};

/// Merges the ops of a function in the order of the program.
class DuplicateMerger {
public:
  explicit DuplicateMerger(const GraphEffects &effects) : effects(effects) {}

  void mergeIn(Region &region);

private:
  using Allocator = llvm::RecyclingAllocator<
      llvm::BumpPtrAllocator,
      llvm::ScopedHashTableVal<Computation, Operation *>>;
  using Table = llvm::ScopedHashTable<Computation, Operation *, ComputationInfo,
                                      Allocator>;

  void mergeOp(Operation *op);
  bool canMerge(Operation *op) const;
  unsigned getLastWrite(Operation *op) const;
  void addWrites(Operation *op);

  const GraphEffects &effects;
  Table table;
  /// The number of the last op that may have written a location, and anything.
  llvm::DenseMap<MemoryLocation, unsigned> lastWrites;
  unsigned lastUnknownWrite = 0;
  unsigned number = 0;
};
} // namespace

/// An op is the same as another one only if it changes nothing and makes no
/// tensor that may be changed.
bool DuplicateMerger::canMerge(Operation *op) const {
  // A row is loaded again so that the tensor is not on the tiles in between.
  if (op->getNumRegions() > 0 || op->getNumResults() == 0 ||
      op->hasTrait<OpTrait::IsTerminator>() || isa<RemoteLoadOp>(op))
    return false;
  if (isMemoryEffectFree(op))
    return true;
  const EffectSummary &summary = effects.getEffects(op);
  return !summary.isUnknown() &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<RefType>) &&
         llvm::all_of(summary.getMemoryLocations(), [](const auto &entry) {
           return entry.second.writes.isEmpty();
         });
}

/// The number of the last op before `op` that may have written what it reads.
unsigned DuplicateMerger::getLastWrite(Operation *op) const {
  unsigned last = 0;
  // Random bits depend on the number of advances before the op.
  if (op->hasAttr(PopDialect::kDrawAttrName))
    last = std::max(
        lastUnknownWrite,
        lastWrites.lookup(MemoryLocation::getResource(RngResource::get())));
  for (const auto &[location, effect] :
       effects.getEffects(op).getMemoryLocations()) {
    last = std::max({last, lastUnknownWrite, lastWrites.lookup(location)});
    // Without a symbol, any part of a resource may be read or written.
    if (location.getResource() && !location.getSymbol())
      return number;
    if (location.getResource())
      last = std::max(last, lastWrites.lookup(MemoryLocation::getResource(
                                location.getResource())));
  }
  return last;
}

void DuplicateMerger::addWrites(Operation *op) {
  const EffectSummary &summary = effects.getEffects(op);
  ++number;
  if (summary.isUnknown())
    lastUnknownWrite = number;
  for (const auto &[location, effect] : summary.getMemoryLocations())
    if (!effect.writes.isEmpty())
      lastWrites[location] = number;
}

void DuplicateMerger::mergeOp(Operation *op) {
  if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return addWrites(op);
  if (op->getNumRegions() > 0) {
    // What a loop writes may be written before the first of its ops.
    addWrites(op);
    for (Region &region : op->getRegions())
      mergeIn(region);
    addWrites(op);
    return;
  }
  if (!canMerge(op))
    return addWrites(op);
  Computation computation{op, getLastWrite(op)};
  Operation *first = table.lookup(computation);
  if (!first)
    return table.insert(computation, op);
  remark::passed(op->getLoc(), getGraphRemark("MergeDuplicateOps"))
      << "the op computes the same values as an earlier op";
  op->replaceAllUsesWith(first);
  op->erase();
}

/// Ops of a block may use those of the blocks around it.
void DuplicateMerger::mergeIn(Region &region) {
  for (Block &block : region) {
    Table::ScopeTy scope(table);
    for (Operation &op : llvm::make_early_inc_range(block))
      mergeOp(&op);
  }
}

void mlir::pop::mergeDuplicateOps(Region &region, const GraphEffects &effects) {
  DuplicateMerger(effects).mergeIn(region);
}

namespace {
struct MergeDuplicateOpsPass
    : pop::impl::MergeDuplicateOpsPassBase<MergeDuplicateOpsPass> {
  void runOnOperation() override {
    const auto &effects = getAnalysis<GraphEffects>();
    for (FunctionOpInterface function : effects.getCalls().getFunctions())
      mergeDuplicateOps(function.getFunctionBody(), effects);
  }
};
} // namespace
