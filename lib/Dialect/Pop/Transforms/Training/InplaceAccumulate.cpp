//===- InplaceAccumulate.cpp - Sums in accumulators -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with accumulators, to which sums are added. Out: the same
// module, where each addend of a sum is added to the accumulator as soon as it
// is defined.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "Addends.h"

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"

namespace mlir::pop {
#define GEN_PASS_DEF_INPLACEACCUMULATEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// The sum that an op accumulates.
struct Tree {
  SmallVector<Value> addends;
  /// The additions, from the root.
  SmallVector<Operation *> additions;
};
} // namespace

/// The addition that gives `value` for `accumulate` alone, in the same fragment
/// of the program and on the same virtual graph; null if there is none.
static Operation *getAddition(Value value, Operation *accumulate) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<AddOp, SumOp>(op) || !value.hasOneUse() ||
      op->getBlock() != accumulate->getBlock() ||
      getExecutionContext(op) != getExecutionContext(accumulate) ||
      getVgraph(op) != getVgraph(accumulate))
    return nullptr;
  // An addend that is broadcast is not as large as the accumulator.
  bool isBroadcast = llvm::any_of(op->getOperandTypes(), [&](Type type) {
    return type != value.getType();
  });
  return isBroadcast ? nullptr : op;
}

static Tree getTree(Value root, Operation *accumulate) {
  Tree tree;
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (Operation *addition = getAddition(value, accumulate)) {
      tree.additions.push_back(addition);
      llvm::append_range(worklist, llvm::reverse(addition->getOperands()));
    } else if (!matchPattern(value, m_AnyZeroFloat())) {
      // Sums of PopART start from zeros, which need not be added.
      tree.addends.push_back(value);
    }
  }
  return tree;
}

//===----------------------------------------------------------------------===//
// Accumulations
//===----------------------------------------------------------------------===//

namespace {
/// An op that accumulates a sum.
template <typename Op>
class Accumulation {
public:
  Accumulation(Op op) : op(op), tree(getTree(op.getValue(), op)) {}

  /// Whether `f * (a + b) = f * a + f * b` for what the op adds, and there is
  /// something to gain: PopART's InplaceAccumulate also splits squares, of
  /// which this is not true.
  bool isSplit() const {
    return op.getKind() == AccumulateKind::Add && !tree.additions.empty() &&
           !tree.addends.empty();
  }
  /// Whether nothing between the first addend and the op conflicts with what
  /// the op does in place.
  bool canMoveUp(const GraphEffects &effects) const;
  void split();
  int64_t getNumAddends() const { return tree.addends.size(); }
  Location getLoc() const { return op->getLoc(); }

private:
  SmallVector<Addend> getAddends() const;

  mutable Op op;
  Tree tree;
};
} // namespace

/// The addends, each after the other operands of the op.
template <typename Op>
SmallVector<Addend> Accumulation<Op>::getAddends() const {
  SmallVector<Addend> addends = orderAddends(tree.addends, *op->getBlock());
  SmallVector<Value> others;
  for (Value operand : op->getOperands())
    if (operand != op.getValue())
      others.push_back(operand);
  for (const Addend &other : orderAddends(others, *op->getBlock()))
    for (Addend &addend : addends)
      addend.after = getLater(addend.after, other.after);
  return addends;
}

template <typename Op>
bool Accumulation<Op>::canMoveUp(const GraphEffects &effects) const {
  if (isMemoryEffectFree(op))
    return true;
  const EffectSummary &own = effects.getEffects(op);
  Operation *first = getAddends().front().after;
  for (Operation *other = first ? first->getNextNode()
                                : &op->getBlock()->front();
       other != op; other = other->getNextNode())
    if (effects.getEffects(other).conflictsWith(own))
      return false;
  return true;
}

/// The result of an accumulation, which the next one accumulates into.
static void setAccumulator(AccumulateOp op, AccumulateOp previous) {
  op.getAccumulatorMutable().assign(previous.getResult());
}
/// It is the tensor that the ref refers to.
static void setAccumulator(AccumulateInPlaceOp, AccumulateInPlaceOp) {}

template <typename Op>
void Accumulation<Op>::split() {
  SmallVector<Addend> addends = getAddends();
  Op previous;
  for (const Addend &addend : addends) {
    OpBuilder b = OpBuilder::atBlockBegin(op->getBlock());
    if (Operation *after = getLater(addend.after, previous))
      b.setInsertionPointAfter(after);
    auto part = cast<Op>(b.clone(*op));
    // Each part rounds, with bits of its own.
    part->removeAttr(PopDialect::kDrawAttrName);
    part.getValueMutable().assign(addend.value);
    if (previous)
      setAccumulator(part, previous);
    previous = part;
  }
  op->replaceAllUsesWith(previous);
  op->erase();
  for (Operation *addition : tree.additions)
    addition->erase();
}

template <typename Op>
static int64_t splitAccumulations(ModuleOp module,
                                  const GraphEffects &effects) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  // What conflicts is asked for before any op is replaced.
  llvm::erase_if(ops, [&](Op op) {
    Accumulation<Op> accumulation(op);
    return !accumulation.isSplit() || !accumulation.canMoveUp(effects);
  });
  for (Op op : ops) {
    Accumulation<Op> accumulation(op);
    remark::passed(op->getLoc(), getGraphRemark("InplaceAccumulate"))
        << remark::metric("addends", accumulation.getNumAddends());
    accumulation.split();
  }
  return ops.size();
}

namespace {
struct InplaceAccumulatePass
    : pop::impl::InplaceAccumulatePassBase<InplaceAccumulatePass> {
  void runOnOperation() override {
    const auto &effects = getAnalysis<GraphEffects>();
    int64_t count =
        splitAccumulations<AccumulateOp>(getOperation(), effects) +
        splitAccumulations<AccumulateInPlaceOp>(getOperation(), effects);
    if (count == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
