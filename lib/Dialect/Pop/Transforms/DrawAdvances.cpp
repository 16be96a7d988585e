//===- DrawAdvances.cpp - Advances of random bits -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DrawAdvances.h"

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Support/ExecutedBodies.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

bool mlir::pop::usesDrawNumbers(ModuleOp module) {
  auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
      PopDialect::kStochasticRoundingAttrName);
  return rounding && rounding.getGenerator() == RngGenerator::Counter;
}

/// Returns the callee of `op` if `op` calls a function with a body.
static FunctionOpInterface getCallee(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  auto callee =
      call ? dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable())
           : FunctionOpInterface();
  return callee && !callee.isExternal() ? callee : FunctionOpInterface();
}

//===----------------------------------------------------------------------===//
// Adding advances
//===----------------------------------------------------------------------===//

/// Returns whether ops of `body` draw, but an execution of `body` does not
/// advance. The next execution would then draw the same bits.
static bool needsAdvance(Region &body) {
  // A shift belongs to a call.
  if (llvm::any_of(body.getOps<AdvanceDrawsOp>(),
                   [](AdvanceDrawsOp op) { return op.getShift() == 0; }))
    return false;
  bool draws = false;
  walkExecutedBody(body,
                   [&](Operation *op) { draws |= mayRoundStochastically(op); });
  return draws;
}

/// Regions of several blocks have to be made one before anything is lowered.
void mlir::pop::addAdvances(Operation *root) {
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

//===----------------------------------------------------------------------===//
// Draws
//===----------------------------------------------------------------------===//

/// Finds a draw in `root` and in functions that are not in `visited`.
static Operation *findDraw(Operation *root,
                           llvm::DenseSet<Operation *> &visited) {
  Operation *draw = nullptr;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(PopDialect::kDrawAttrName))
      draw = op;
    else if (FunctionOpInterface callee = getCallee(op);
             callee && visited.insert(callee).second)
      draw = findDraw(callee, visited);
    return draw ? WalkResult::interrupt() : WalkResult::advance();
  });
  return draw;
}

Operation *mlir::pop::findNumberedDraw(Operation *root) {
  llvm::DenseSet<Operation *> visited;
  return findDraw(root, visited);
}

bool mlir::pop::containsDraw(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return inner->hasAttr(PopDialect::kDrawAttrName)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// AdvanceCounts
//===----------------------------------------------------------------------===//

using Count = std::optional<int64_t>;

static Count getIfSmall(int64_t count) {
  return llvm::isInt<32>(count) ? Count(count) : std::nullopt;
}

Count AdvanceCounts::get(Block::iterator first, Block::iterator last) {
  int64_t sum = 0;
  for (Operation &op : llvm::make_range(first, last)) {
    Count count = get(&op);
    if (!count)
      return std::nullopt;
    sum += *count;
  }
  return getIfSmall(sum);
}

Count AdvanceCounts::getOfRegion(Region &region) {
  if (region.empty())
    return 0;
  if (!region.hasOneBlock())
    return std::nullopt;
  return get(region.front().begin(), region.front().end());
}

Count AdvanceCounts::getOfCall(CallOpInterface call) {
  FunctionOpInterface callee = getCallee(call);
  if (!callee)
    return std::nullopt;
  // A function that calls itself has no constant number.
  auto [known, isNew] = ofFunctions.try_emplace(callee, std::nullopt);
  if (!isNew)
    return known->second;
  Count count = getOfRegion(callee.getFunctionBody());
  ofFunctions[callee] = count;
  return count;
}

static Count getTripCount(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> count = loop ? loop.getStaticTripCount() : std::nullopt;
  return count && count->isSignedIntN(32) ? Count(count->getSExtValue())
                                          : std::nullopt;
}

/// A loop of one region executes it once in each iteration, and an op that is
/// no loop executes one of its regions.
Count AdvanceCounts::getOfRegions(Operation *op) {
  SmallVector<Count> counts;
  for (Region &region : op->getRegions())
    counts.push_back(getOfRegion(region));
  Count first = counts.front();
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!first || !llvm::all_equal(counts) || (*first != 0 && !branch))
    return std::nullopt;
  if (*first == 0 || !branch.hasLoop())
    return first;
  Count trips = getTripCount(op);
  return trips && counts.size() == 1 ? getIfSmall(*first * *trips)
                                     : std::nullopt;
}

Count AdvanceCounts::get(Operation *op) {
  if (auto advance = dyn_cast<AdvanceDrawsOp>(op))
    return advance.getCount();
  if (auto call = dyn_cast<CallOpInterface>(op))
    return getOfCall(call);
  return op->getNumRegions() > 0 ? getOfRegions(op) : Count(0);
}

//===----------------------------------------------------------------------===//
// DrawShifter
//===----------------------------------------------------------------------===//

FailureOr<FunctionOpInterface>
DrawShifter::getShifted(FunctionOpInterface function, int64_t count) {
  FunctionOpInterface &copy = copies[{function, count}];
  if (copy)
    return copy;
  copy = cast<FunctionOpInterface>(function->clone());
  copy.setPrivate();
  symbols.insert(copy, std::next(Block::iterator(function)));
  if (failed(shift(copy, count)))
    return failure();
  return copy;
}

LogicalResult DrawShifter::shiftOp(Operation *op, int64_t count) {
  if (auto draw = op->getAttrOfType<DrawAttr>(PopDialect::kDrawAttrName)) {
    int64_t offset = draw.getOffset() + count;
    if (!llvm::isInt<32>(offset))
      return op->emitOpError()
             << "cannot be copied to a position where it draws the same random "
                "bits: expects the offset of its draw to fit 32 bits but got "
             << offset;
    op->setAttr(PopDialect::kDrawAttrName,
                DrawAttr::get(op->getContext(), draw.getNumber(),
                              draw.getPart(), offset));
  }
  FunctionOpInterface callee = getCallee(op);
  if (!callee || !findNumberedDraw(callee))
    return success();
  FailureOr<FunctionOpInterface> shifted = getShifted(callee, count);
  if (failed(shifted))
    return failure();
  cast<CallOpInterface>(op).setCalleeFromCallable(
      FlatSymbolRefAttr::get(shifted->getNameAttr()));
  return success();
}

LogicalResult DrawShifter::shift(Operation *op, int64_t count) {
  if (count == 0)
    return success();
  WalkResult result = op->walk(
      [&](Operation *nested) { return WalkResult(shiftOp(nested, count)); });
  return failure(result.wasInterrupted());
}
