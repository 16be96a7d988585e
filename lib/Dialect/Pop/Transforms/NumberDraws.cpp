//===- NumberDraws.cpp - Numbers of draws -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module, where some ops may have numbers already. Out: the same module
// with a number on each op that may round, and an advance in each function and
// loop body that draws. Equal ops of a block, and of equal functions, have one
// number, also if they are on different IPUs or tile sets. An option enables
// stochastic rounding first.
//
//===----------------------------------------------------------------------===//

#include "DrawAdvances.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/DrawNumbers.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include <unordered_map>

namespace mlir::pop {
#define GEN_PASS_DEF_NUMBERDRAWSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
using Draws = llvm::DenseMap<Operation *, pop::DrawAttr>;

/// While it exists, ops do not have the attributes that do not affect which ops
/// are equal: numbers of draws, IPUs, stages, tile sets, and roles in training,
/// which only placed ops have.
class HiddenAttrs {
public:
  explicit HiddenAttrs(ModuleOp module) {
    module.walk([&](Operation *op) {
      for (StringRef name :
           {PopDialect::kDrawAttrName, PopDialect::kVgraphAttrName,
            PopDialect::kStageAttrName, PopDialect::kTileSetAttrName,
            kTrainingRoleAttrName})
        if (Attribute value = op->removeAttr(name))
          hidden.emplace_back(op, NamedAttribute(name, value));
    });
  }
  HiddenAttrs(const HiddenAttrs &) = delete;
  HiddenAttrs &operator=(const HiddenAttrs &) = delete;
  ~HiddenAttrs() {
    for (auto [op, attribute] : hidden)
      op->setAttr(attribute.getName(), attribute.getValue());
  }

private:
  SmallVector<std::pair<Operation *, NamedAttribute>> hidden;
};

/// Finds ops that compute the same as an earlier op of their block. They get
/// one number: whether or not a pass merges them, they draw the same bits. Ops
/// with different numbers compute different values. Ops on different IPUs or
/// tile sets may be equal, so that numbers do not depend on placement.
class EqualOps {
public:
  /// `draws` are the draws of ops that have a number.
  EqualOps(ModuleOp module, Draws draws) : draws(std::move(draws)) {
    HiddenAttrs hidden(module);
    // The ops that a nested block uses have to be known before the block.
    module.walk<WalkOrder::PreOrder>([&](Block *block) {
      firstOf.clear();
      for (Operation &op : *block)
        add(&op);
    });
    SmallVector<FunctionOpInterface> functions;
    for (auto function : module.getOps<FunctionOpInterface>())
      if (!function.isExternal())
        addFunction(function, functions);
  }

  /// Returns the draw of the ops that compute the same as `op`. It is null
  /// before it is set.
  pop::DrawAttr &getDraw(Operation *op) { return draws[getFirst(op)]; }

private:
  /// Returns the first op that computes the same as `op`, which may be `op`.
  Operation *getFirst(Operation *op) const {
    Operation *first = firsts.lookup(op);
    return first ? first : op;
  }

  /// Returns the first value that is equal to `value`. A copy on another IPU or
  /// tile set is not the first.
  Value getFirst(Value value) const {
    auto result = dyn_cast<OpResult>(value);
    while (result && isa<PlacementOpInterface>(result.getOwner())) {
      value = result.getOwner()->getOperand(result.getResultNumber());
      result = dyn_cast<OpResult>(value);
    }
    return result ? getFirst(result.getOwner())
                        ->getResult(result.getResultNumber())
                  : value;
  }

  /// Returns whether `op` and `other` do not have different numbers.
  bool mayShareDraw(Operation *op, Operation *other) const {
    pop::DrawAttr draw = draws.lookup(op), otherDraw = draws.lookup(other);
    return !draw || !otherDraw || draw == otherDraw;
  }

  void setFirst(Operation *op, Operation *first) {
    firsts[op] = first;
    if (pop::DrawAttr draw = draws.lookup(op))
      draws[first] = draw;
  }

  bool isEqual(Operation *op, Operation *other) const {
    return mayShareDraw(op, other) &&
           OperationEquivalence::isEquivalentTo(
               op, other,
               [&](Value a, Value b) {
                 return success(getFirst(a) == getFirst(b));
               },
               /*markEquivalent=*/nullptr,
               OperationEquivalence::IgnoreLocations);
  }

  void add(Operation *op) {
    if (op->getNumRegions() > 0 || op->getNumResults() == 0 ||
        !isMemoryEffectFree(op))
      return;
    size_t hash = OperationEquivalence::computeHash(
        op, [&](Value operand) { return hash_value(getFirst(operand)); },
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    SmallVector<Operation *, 1> &others = firstOf[hash];
    auto *equal = llvm::find_if(
        others, [&](Operation *other) { return isEqual(op, other); });
    if (equal == others.end()) {
      others.push_back(op);
      return;
    }
    setFirst(op, *equal);
  }

  /// Gives the ops of `function` the first ops of an earlier function that is
  /// equal. So copies of a function for several IPUs draw the bits of the
  /// function.
  void addFunction(FunctionOpInterface function,
                   SmallVectorImpl<FunctionOpInterface> &earlier) {
    Region &body = function.getFunctionBody();
    auto *equal = llvm::find_if(earlier, [&](FunctionOpInterface other) {
      return OperationEquivalence::isRegionEquivalentTo(
          &other.getFunctionBody(), &body,
          OperationEquivalence::IgnoreLocations);
    });
    if (equal == earlier.end())
      return earlier.push_back(function);
    SmallVector<Operation *> ops, others;
    body.walk([&](Operation *op) { ops.push_back(op); });
    equal->getFunctionBody().walk([&](Operation *op) { others.push_back(op); });
    for (auto [op, other] : llvm::zip_equal(ops, others))
      if (Operation *first = getFirst(other); mayShareDraw(op, first))
        setFirst(op, first);
  }

  Draws draws;
  /// The first ops of a block by their hash.
  std::unordered_map<size_t, SmallVector<Operation *, 1>> firstOf;
  llvm::DenseMap<Operation *, Operation *> firsts;
};

/// Gives draws to ops that may round and have none.
class DrawNumberer {
public:
  DrawNumberer(ModuleOp module, int64_t first);

  LogicalResult run();

private:
  FailureOr<pop::DrawAttr> getNext(Operation *op);

  SmallVector<Operation *> unnumbered;
  Draws draws;
  llvm::DenseSet<int64_t> used;
  ModuleOp module;
  int64_t first, next;
};
} // namespace

DrawNumberer::DrawNumberer(ModuleOp module, int64_t first)
    : module(module), first(first), next(first) {
  forEachRoundedOp(module, [&](Operation *op) {
    if (!mayRoundStochastically(op))
      return;
    auto draw = op->getAttrOfType<pop::DrawAttr>(PopDialect::kDrawAttrName);
    if (!draw) {
      unnumbered.push_back(op);
      return;
    }
    used.insert(draw.getNumber());
    draws[op] = draw;
  });
  // A draw has further numbers if calls of its function shift it. The new
  // numbers are above all of them. Shifts end after a call, so that only those
  // of nested calls add up, and each function is nested at most once.
  int64_t shifts = 0;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    int64_t greatest = 0;
    function->walk([&](AdvanceDrawsOp op) {
      greatest = std::max<int64_t>(greatest, op.getShift());
    });
    shifts += greatest;
  }
  if (shifts > 0 && !used.empty())
    next = std::max(next, *llvm::max_element(used) + shifts + 1);
}

FailureOr<pop::DrawAttr> DrawNumberer::getNext(Operation *op) {
  while (used.contains(next))
    ++next;
  if (next > pop::DrawAttr::kMaxNumber)
    return op->emitOpError()
           << "gets no 'pop.draw' because other ops use all numbers from "
           << first << " to " << pop::DrawAttr::kMaxNumber;
  return pop::DrawAttr::get(op->getContext(), next++, /*part=*/0, /*offset=*/0);
}

LogicalResult DrawNumberer::run() {
  if (unnumbered.empty())
    return success();
  EqualOps equalOps(module, draws);
  for (Operation *op : unnumbered) {
    pop::DrawAttr &draw = equalOps.getDraw(op);
    if (!draw) {
      FailureOr<pop::DrawAttr> number = getNext(op);
      if (failed(number))
        return failure();
      draw = *number;
    }
    op->setAttr(PopDialect::kDrawAttrName, draw);
  }
  return success();
}

LogicalResult mlir::pop::numberDraws(ModuleOp module, int64_t first) {
  if (!usesDrawNumbers(module))
    return success();
  if (failed(DrawNumberer(module, first).run()))
    return failure();
  for (auto function : module.getOps<FunctionOpInterface>())
    addAdvances(function);
  return success();
}

namespace {
struct NumberDrawsPass : pop::impl::NumberDrawsPassBase<NumberDrawsPass> {
  using NumberDrawsPassBase::NumberDrawsPassBase;

  void runOnOperation() override {
    if (failed(checkFirst()) || failed(setRounding()) ||
        failed(numberDraws(getOperation(), first)))
      signalPassFailure();
  }

private:
  LogicalResult checkFirst() {
    if (first >= 0)
      return success();
    return getOperation().emitError()
           << "'" << getArgument()
           << "' expects option 'first' to be at least 0 but got "
           << first.getValue();
  }

  /// Makes the module round as the options state.
  LogicalResult setRounding() {
    ModuleOp module = getOperation();
    FailureOr<RoundingOverflow> result = getOverflow();
    if (failed(result))
      return failure();
    if (generator.empty() && !overflow.empty())
      return module.emitError()
             << "'" << getArgument()
             << "' expects option 'generator' with option 'overflow' but got "
                "none";
    if (generator.empty())
      return success();
    std::optional<RngGenerator> source = symbolizeRngGenerator(generator);
    if (!source)
      return module.emitError() << "expects generator 'counter' or 'stream' "
                                   "but got '"
                                << generator << "'";
    module->setAttr(
        PopDialect::kStochasticRoundingAttrName,
        StochasticRoundingAttr::get(&getContext(), *source, *result));
    return success();
  }

  /// Without the option, an overflow has the result that the module states.
  FailureOr<RoundingOverflow> getOverflow() {
    ModuleOp module = getOperation();
    if (overflow.empty()) {
      auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
          PopDialect::kStochasticRoundingAttrName);
      return rounding ? rounding.getOverflow() : RoundingOverflow::NaN;
    }
    std::optional<RoundingOverflow> result =
        symbolizeRoundingOverflow(overflow);
    if (!result)
      return module.emitError()
             << "expects overflow 'nan' or 'clip' but got '" << overflow << "'";
    return *result;
  }
};
} // namespace
