//===- NumberDraws.cpp - Numbers of draws -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module, where some ops may have numbers already. Out: the same module
// with a number on each op that may round, and an advance in each function and
// loop body that draws.
//
//===----------------------------------------------------------------------===//

#include "DrawNumbers.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/ExecutedBodies.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

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
  int64_t next = first;
  for (Operation *op : unnumbered) {
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
    if (first < 0) {
      getOperation().emitError()
          << "'" << getArgument()
          << "' expects option 'first' to be at least 0 but got "
          << first.getValue();
      return signalPassFailure();
    }
    if (failed(numberDraws(getOperation(), first)))
      signalPassFailure();
  }
};
} // namespace
