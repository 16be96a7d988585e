//===- ConstantSplitter.cpp - A constant for each use ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: constants and what is computed from nothing else, used anywhere. Out:
// each use by an op that is not such has a copy of its own, so that uses do not
// meet there.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
  void run(Operation *function) {
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function || isa<ShardingGroupOp>(op))
        return;
      bool isConstant = isConstantExpression(op);
      if (isConstant)
        constants.insert(op);
      if (isConstant || isScalarExpansion(op)) {
        split.insert(op);
        return;
      }
      for (OpOperand &operand : op->getOpOperands()) {
        auto result = dyn_cast<OpResult>(operand.get());
        if (!result || !split.contains(result.getOwner()))
          continue;
        IRMapping mapping;
        operand.set(clone(result, mapping));
      }
    });
    for (Operation *op : llvm::reverse(split))
      eraseIfUnused(op);
  }

private:
  bool isConstantExpression(Operation *op) {
    if (isa<ConstantOp, stablehlo::IotaOp>(op))
      return true;
    auto rules = dyn_cast<ShardingRuleOpInterface>(op);
    if (!rules || !isPure(op) || op->getNumOperands() == 0)
      return false;
    bool isSimple = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                        stablehlo::SliceOp>(op) ||
                    rules.getShardingClass() == sharding::OpClass::Elementwise;
    return isSimple && llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *definition = operand.getDefiningOp();
             return definition && constants.contains(definition);
           });
  }

  bool isScalarExpansion(Operation *op) const {
    return isa<stablehlo::BroadcastInDimOp>(op) &&
           getTensorShape(op->getOperand(0)).empty();
  }

  Value clone(OpResult result, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(result))
      return known;
    Operation *op = result.getOwner();
    if (!split.contains(op) || getTensorShape(result).empty())
      return result;
    for (Value operand : op->getOperands())
      if (auto inner = dyn_cast<OpResult>(operand))
        mapping.map(operand, clone(inner, mapping));
    OpBuilder builder(op);
    builder.clone(*op, mapping);
    // What is said of the value holds of all its copies.
    for (Operation *user : llvm::to_vector(result.getUsers()))
      if (isa<ShardingGroupOp>(user)) {
        builder.setInsertionPointAfterValue(mapping.lookup(result));
        builder.clone(*user, mapping);
      }
    return mapping.lookup(result);
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
    getOperation().walk([](stablehlo::ConstantOp op) {
      OpBuilder builder(op);
      auto constant =
          ConstantOp::create(builder, op.getLoc(), op.getType(), op.getValue());
      constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      op.replaceAllUsesWith(constant.getResult());
      op.erase();
    });
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      Splitter().run(function);
  }
};
} // namespace
