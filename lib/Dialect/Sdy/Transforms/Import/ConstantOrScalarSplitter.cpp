//===- ConstantOrScalarSplitter.cpp - A constant for each use -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: constants and what is computed from nothing else, used anywhere. Out:
// each use by an op that is not such has a copy of its own, so that uses do not
// meet there.
//
//===----------------------------------------------------------------------===//

#include "../ConstantExpressions.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CONSTANTORSCALARSPLITTERPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
class Splitter {
public:
  /// Returns whether there was anything to split.
  bool run(Operation *function) {
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function || isa<ShardingGroupOp>(op))
        return;
      if (isConstantExpression(op)) {
        constants.insert(op);
        split.insert(op);
        return;
      }
      if (isScalarExpansion(op,
                            [&](Value value) { return isConstant(value); })) {
        split.insert(op);
        return;
      }
      for (OpOperand &operand : op->getOpOperands()) {
        auto result = dyn_cast<OpResult>(operand.get());
        if (result)
          operand.set(clone(result));
      }
    });
    for (Operation *op : llvm::reverse(split))
      eraseIfUnused(op);
    return !split.empty();
  }

private:
  bool isConstant(Value value) const {
    Operation *definition = value.getDefiningOp();
    return definition && constants.contains(definition);
  }

  bool isConstantExpression(Operation *op) const {
    return isConstantSource(op) ||
           (llvm::all_of(op->getOperands(),
                         [&](Value operand) { return isConstant(operand); }) &&
            preservesConstants(op));
  }

  bool isCloned(Value value) const {
    Operation *definition = value.getDefiningOp();
    return definition && split.contains(definition) &&
           !getTensorShape(value).empty();
  }

  /// Copies what `result` is computed from, operands first, and returns the
  /// copy of it. Scalars are not copied: they are not sharded.
  Value clone(OpResult result) {
    if (!isCloned(result))
      return result;
    IRMapping mapping;
    llvm::DenseSet<Operation *> seen;
    SmallVector<std::pair<OpResult, unsigned>> stack = {{result, 0}};
    while (!stack.empty()) {
      auto [current, next] = stack.back();
      Operation *op = current.getOwner();
      if (next == op->getNumOperands()) {
        cloneOne(current, mapping);
        stack.pop_back();
        continue;
      }
      ++stack.back().second;
      Value operand = op->getOperand(next);
      if (isCloned(operand) && seen.insert(operand.getDefiningOp()).second)
        stack.emplace_back(cast<OpResult>(operand), 0);
    }
    return mapping.lookup(result);
  }

  static void cloneOne(OpResult result, IRMapping &mapping) {
    OpBuilder builder(result.getOwner());
    builder.clone(*result.getOwner(), mapping);
    // What is said of the value holds of all its copies.
    for (Operation *user : llvm::to_vector(result.getUsers()))
      if (isa<ShardingGroupOp>(user)) {
        builder.setInsertionPointAfterValue(mapping.lookup(result));
        builder.clone(*user, mapping);
      }
  }

  static void eraseIfUnused(Operation *op) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<ShardingGroupOp>))
      return;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      user->erase();
    op->erase();
  }

  /// What is copied for each use: constant expressions and broadcast scalars.
  llvm::SetVector<Operation *> split;
  llvm::DenseSet<Operation *> constants;
};

struct ConstantOrScalarSplitterPass
    : sdy::impl::ConstantOrScalarSplitterPassBase<
          ConstantOrScalarSplitterPass> {
  using ConstantOrScalarSplitterPassBase::ConstantOrScalarSplitterPassBase;
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](stablehlo::ConstantOp op) {
      changed = true;
      OpBuilder builder(op);
      auto constant =
          ConstantOp::create(builder, op.getLoc(), op.getType(), op.getValue());
      constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(constant.getResult());
      op.erase();
    });
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      changed |= Splitter().run(function);
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
