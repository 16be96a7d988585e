//===- FusionBuilder.cpp - Construction of fusions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGroups.h"

#include "../FusionViews.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Moves a group of ops of a block into a new fusion.
class FusionBuilder {
public:
  explicit FusionBuilder(ArrayRef<Operation *> group)
      : group(group), members(group.begin(), group.end()) {}

  /// The fusion stands where the last op of the group stood.
  FusionOp build() {
    for (Operation *op : group)
      forEachUsedValue(op, [&](Value value) { addUsed(value); });
    addJoins();
    for (Operation *op : joins)
      forEachUsedValue(op, [&](Value value) { addUsed(value); });
    SmallVector<Value> results;
    for (ArrayRef<Operation *> ops : {group, joins.getArrayRef()})
      for (Operation *op : ops)
        for (Value result : op->getResults())
          if (isUsedOutside(result))
            results.push_back(result);

    OpBuilder builder(group.back());
    Location loc = builder.getFusedLoc(
        llvm::map_to_vector(group, [](Operation *op) { return op->getLoc(); }));
    auto fusion = FusionOp::create(builder, loc, ValueRange(results).getTypes(),
                                   inputs.getArrayRef());
    Block *body = builder.createBlock(&fusion.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : sunk)
      builder.clone(*op, mapping);
    for (ArrayRef<Operation *> ops : {group, joins.getArrayRef()})
      for (Operation *op : ops)
        op->moveBefore(body, body->end());
    for (Value input : inputs)
      replaceInBody(input, mapping.lookup(input), fusion);
    for (Operation *op : sunk)
      for (Value result : op->getResults())
        replaceInBody(result, mapping.lookup(result), fusion);
    // No op that stays outside may use an op that is in the fusion now.
    for (Operation *op : llvm::reverse(sunk))
      if (isOpTriviallyDead(op))
        op->erase();
    // What is sunk may be made of what it was put before.
    sortTopologically(body);
    builder.setInsertionPointToEnd(body);
    YieldOp::create(builder, loc, results);
    for (auto [result, value] : llvm::zip_equal(fusion.getResults(), results))
      value.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !fusion->isProperAncestor(use.getOwner());
      });
    return fusion;
  }

private:
  static void forEachUsedValue(Operation *op, function_ref<void(Value)> fn) {
    for (Value operand : op->getOperands())
      fn(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      fn(value);
  }

  /// The one use of a value that is not in the group.
  OpOperand *getOutsideUse(Value value) const {
    OpOperand *outside = nullptr;
    for (OpOperand &use : value.getUses()) {
      if (!isOutside(use))
        continue;
      if (outside)
        return nullptr;
      outside = &use;
    }
    return outside;
  }

  /// Takes in what only puts results side by side in a fresh tensor.
  void addJoins() {
    SmallVector<tensor::InsertSliceOp> candidates;
    for (Operation *op : group)
      for (Value result : op->getResults())
        if (OpOperand *use = getOutsideUse(result))
          if (auto insert = dyn_cast<tensor::InsertSliceOp>(use->getOwner());
              insert && use == &insert.getSourceMutable() &&
              insert->getBlock() == op->getBlock() && canJoin(insert))
            candidates.push_back(insert);
    llvm::sort(candidates, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (tensor::InsertSliceOp insert : candidates) {
      Operation *base = insert.getDest().getDefiningOp();
      bool isFirst = isa_and_nonnull<tensor::EmptyOp>(base);
      if (!isFirst && !(base && joins.contains(base) && base->hasOneUse()))
        continue;
      if (llvm::any_of(getJoin(insert.getDest()),
                       [&](tensor::InsertSliceOp other) {
                         return !areDisjoint(insert, other);
                       }))
        continue;
      joins.insert(insert);
      members.insert(insert);
    }
  }

  /// Puts what a value needs into `sunk`, operands first, or into `inputs`.
  void addUsed(Value value) {
    Operation *definition = value.getDefiningOp();
    if (definition && members.contains(definition))
      return;
    if (!definition || !isSunkIntoFusions(definition)) {
      inputs.insert(value);
      return;
    }
    if (sunk.contains(definition))
      return;
    for (Value operand : definition->getOperands())
      addUsed(operand);
    sunk.insert(definition);
  }

  /// What is sunk is outside only if it is used there.
  bool isOutside(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (sunk.contains(user))
      return llvm::any_of(user->getResults(),
                          [&](Value result) { return isUsedOutside(result); });
    return !isMember(user);
  }
  bool isUsedOutside(Value value) const {
    return llvm::any_of(value.getUses(),
                        [&](OpOperand &use) { return isOutside(use); });
  }
  bool isMember(Operation *op) const {
    Block *block = group.front()->getBlock();
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    return ancestor && members.contains(ancestor);
  }

  static void replaceInBody(Value from, Value to, FusionOp fusion) {
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return fusion->isProperAncestor(use.getOwner());
    });
  }

  ArrayRef<Operation *> group;
  llvm::SmallPtrSet<Operation *, 16> members;
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> sunk;
  llvm::SetVector<Operation *> joins;
};
} // namespace

FusionOp fuse::buildFusion(ArrayRef<Operation *> group) {
  return FusionBuilder(group).build();
}

void fuse::dissolve(FusionOp fusion) {
  Block *body = &fusion.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body->getArguments(), fusion.getInputs()))
    argument.replaceAllUsesWith(input);
  fusion->replaceAllUsesWith(body->getTerminator()->getOperands());
  for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
    op.moveBefore(fusion);
  fusion.erase();
}
