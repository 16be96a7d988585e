//===- NumberDraws.cpp - Numbers of draws -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module, where some ops may have numbers already. Out: the same module
// with a number on each op that may round, and an advance in each function and
// loop body that draws. Equal ops of a block have one number. An option enables
// stochastic rounding first.
//
//===----------------------------------------------------------------------===//

#include "DrawNumbers.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/ExecutedBodies.h"
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

/// Whether ops of `body` draw but not each execution of it advances: the next
/// one would draw the same bits.
static bool needsAdvance(Region &body) {
  if (!body.getOps<AdvanceDrawsOp>().empty())
    return false;
  bool draws = false;
  walkExecutedBody(body,
                   [&](Operation *op) { draws |= mayRoundStochastically(op); });
  return draws;
}

/// Regions of several blocks have to be made one before anything is lowered.
static void addAdvances(Operation *root) {
  root->walk([](Operation *op) {
    if (!hasExecutedBodies(op))
      return;
    for (Region &body : op->getRegions()) {
      if (!body.hasOneBlock() || !body.front().mightHaveTerminator() ||
          !needsAdvance(body))
        continue;
      OpBuilder b(body.front().getTerminator());
      AdvanceDrawsOp::create(b, op->getLoc());
    }
  });
}

namespace {
/// Finds ops that compute the same as an earlier op of their block. They get
/// one number: whether or not a pass merges them, they draw the same bits.
class EqualOps {
public:
  explicit EqualOps(ModuleOp module) {
    module.walk([&](Block *block) {
      firstOf.clear();
      for (Operation &op : *block)
        add(&op);
    });
  }

  /// Returns the first op that computes the same as `op`, which may be `op`.
  Operation *getFirst(Operation *op) const {
    Operation *first = firsts.lookup(op);
    return first ? first : op;
  }

private:
  Value getFirst(Value value) const {
    auto result = dyn_cast<OpResult>(value);
    return result ? getFirst(result.getOwner())
                        ->getResult(result.getResultNumber())
                  : value;
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
    auto *equal = llvm::find_if(others, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(
          op, other,
          [&](Value a, Value b) { return success(getFirst(a) == getFirst(b)); },
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
    });
    if (equal == others.end())
      others.push_back(op);
    else
      firsts[op] = *equal;
  }

  /// The first ops of a block by their hash.
  std::unordered_map<size_t, SmallVector<Operation *, 1>> firstOf;
  llvm::DenseMap<Operation *, Operation *> firsts;
};
} // namespace

static LogicalResult addNumbers(ModuleOp module, int64_t first) {
  llvm::DenseSet<int64_t> used;
  SmallVector<Operation *> unnumbered;
  forEachRoundedOp(module, [&](Operation *op) {
    if (!mayRoundStochastically(op))
      return;
    if (auto draw = op->getAttrOfType<pop::DrawAttr>(PopDialect::kDrawAttrName))
      used.insert(draw.getNumber());
    else
      unnumbered.push_back(op);
  });
  EqualOps equalOps(module);
  int64_t next = first;
  for (Operation *op : unnumbered) {
    Operation *equal = equalOps.getFirst(op);
    if (equal != op) {
      op->setAttr(PopDialect::kDrawAttrName,
                  equal->getAttr(PopDialect::kDrawAttrName));
      continue;
    }
    while (used.contains(next))
      ++next;
    if (next > pop::DrawAttr::kMaxNumber)
      return op->emitOpError()
             << "gets no 'pop.draw' because other ops use all numbers from "
             << first << " to " << pop::DrawAttr::kMaxNumber;
    op->setAttr(PopDialect::kDrawAttrName,
                pop::DrawAttr::get(op->getContext(), next++, /*part=*/0,
                                   /*offset=*/0));
  }
  return success();
}

LogicalResult mlir::pop::numberDraws(ModuleOp module, int64_t first) {
  auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
      PopDialect::kStochasticRoundingAttrName);
  if (!rounding || rounding.getGenerator() != RngGenerator::Counter)
    return success();
  if (failed(addNumbers(module, first)))
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
    std::optional<RoundingOverflow> result =
        symbolizeRoundingOverflow(overflow);
    if (!result)
      return module.emitError()
             << "expects overflow 'nan' or 'clip' but got '" << overflow << "'";
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
};
} // namespace
