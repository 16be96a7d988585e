//===- WhileLoops.cpp - Differentiation of loops with conditions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop with a condition counts its iterations and is differentiated as a
// counted loop in reverse order. The first region is executed before each
// iteration and once more at the end. The backward loop reverses this order:
// the gradients of the first region are computed at the start, and again after
// the gradients of each execution of the second region, the body.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Builds the backward loop of a loop, which is extended as it goes.
class WhileDifferentiator {
public:
  WhileDifferentiator(scf::WhileOp loop, Scope &scope, int64_t limit)
      : loop(loop), scope(scope), limit(limit) {}

  LogicalResult run();

private:
  void addCounter();
  void findCarried();
  LogicalResult buildIterations();
  LogicalResult buildFirst();
  FailureOr<SmallVector<Value>> buildRegion(RegionScope &inner, Region &region,
                                            ArrayRef<unsigned> from,
                                            ValueRange gradients,
                                            ArrayRef<unsigned> to,
                                            MutableArrayRef<Value> sums);
  std::unique_ptr<RegionScope> makeScope(Region &region, Block *backward) {
    return std::make_unique<RegionScope>(scope, region, backward);
  }
  void keepValues();

  scf::WhileOp loop;
  Scope &scope;
  int64_t limit;
  /// The number of iterations, 0-d of i32, in the backward graph.
  Value count;
  /// The first op that uses what is kept.
  scf::ForOp backwardLoop;
  /// Numbers of what the first and the second region get that have gradients.
  SmallVector<unsigned> before, after;
  SmallVector<Value> captures;
  /// Gradients: of what the second region gets, of what the first one gets, and
  /// of what both capture.
  SmallVector<Value> afterGradients, beforeGradients, sums;
  /// The scopes of the regions, and the rows that they read.
  struct Part {
    std::unique_ptr<RegionScope> scope;
    Value row;
  };
  SmallVector<Part> beforeParts, afterParts;
};
} // namespace

/// What the terminators of the regions pass on.
static OperandRange getPassed(Region &region) {
  Operation *terminator = region.front().getTerminator();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator))
    return condition.getArgs();
  return terminator->getOperands();
}

/// Lets the loop carry the number of iterations that are done.
void WhileDifferentiator::addCounter() {
  Location loc = loop.getLoc();
  Value zero;
  {
    PopBuilder b(loop);
    zero = b.splat(b.getI32IntegerAttr(0));
  }
  loop = cast<scf::WhileOp>(extendOp(loop, scope, zero, zero.getType()));
  PopBuilder b(loop);
  for (Region *region : {&loop.getBefore(), &loop.getAfter()}) {
    Value number = region->addArgument(zero.getType(), loc);
    Operation *terminator = region->front().getTerminator();
    if (region == &loop.getAfter()) {
      b.setInsertionPoint(terminator);
      number = b.add(number, b.splat(b.getI32IntegerAttr(1)));
    }
    terminator->insertOperands(terminator->getNumOperands(), number);
  }
}

void WhileDifferentiator::findCarried() {
  llvm::DenseSet<Value> reached;
  for (Value result : loop.getResults())
    if (scope.hasGradient(result))
      reached.insert(result);
  findReachedBy(loop, reached);
  auto isCarried = [&](Value value) {
    return getGradientType(value.getType()) && scope.isActive(value) &&
           reached.contains(value);
  };
  for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
    if (isCarried(argument))
      before.push_back(i);
  for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
    if (isCarried(argument) || isCarried(loop.getResult(i)))
      after.push_back(i);
  captures = getActiveCaptures(loop, scope, reached);
}

/// Differentiates a region whose terminator passes values on of which numbers
/// `from` have `gradients`. Returns the gradients of its arguments `to`, and
/// adds to the `sums` of captures.
FailureOr<SmallVector<Value>> WhileDifferentiator::buildRegion(
    RegionScope &inner, Region &region, ArrayRef<unsigned> from,
    ValueRange gradients, ArrayRef<unsigned> to, MutableArrayRef<Value> sums) {
  for (auto [i, gradient] : llvm::zip_equal(from, gradients))
    inner.addValue(getPassed(region)[i], gradient, loop);
  Operation *terminator = region.front().getTerminator();
  if (failed(inner.differentiate(terminator->getPrevNode())))
    return failure();
  SmallVector<Value> result;
  SmallVector<Type> types;
  for (unsigned i : to) {
    result.push_back(inner.takeGradient(region.getArgument(i)));
    types.push_back(region.getArgument(i).getType());
  }
  for (auto [capture, sum] : llvm::zip_equal(captures, sums))
    sum = inner.takeGradient(capture, sum);
  PopBuilder b(loop);
  b.restoreInsertionPoint(inner.getInsertPoint());
  fillGradients(b, loop.getLoc(), types, result);
  return result;
}

/// count - iteration - less, at the start of the body of `backwardLoop`.
static Value buildRow(PopBuilder &b, scf::ForOp backwardLoop, Value count,
                      int64_t less) {
  Location loc = backwardLoop.getLoc();
  auto type = RankedTensorType::get({}, b.getI32Type());
  Value done =
      FromScalarOp::create(b, loc, type, backwardLoop.getInductionVar());
  Value left = b.sub(count, done);
  return b.sub(left, b.splat(b.getI32IntegerAttr(less)));
}

/// All iterations but the first execution of the first region.
LogicalResult WhileDifferentiator::buildIterations() {
  PopBuilder b(loop);
  b.restoreInsertionPoint(scope.getInsertPoint());
  SmallVector<Value> inits(afterGradients);
  llvm::append_range(inits, sums);
  backwardLoop = buildLoop(b, loop.getLoc(), count, limit, inits);
  Operation *anchor = scope.setAnchor(backwardLoop);
  Block *body = backwardLoop.getBody();
  b.setInsertionPointToStart(body);
  Value beforeRow = buildRow(b, backwardLoop, count, 0);
  Value afterRow = buildRow(b, backwardLoop, count, 1);
  beforeParts.push_back({makeScope(loop.getBefore(), body), beforeRow});
  afterParts.push_back({makeScope(loop.getAfter(), body), afterRow});

  ValueRange arguments = ValueRange(backwardLoop.getRegionIterArgs());
  SmallVector<Value> yieldedSums(arguments.drop_front(after.size()));
  FailureOr<SmallVector<Value>> passed =
      buildRegion(*beforeParts.back().scope, loop.getBefore(), after,
                  arguments.take_front(after.size()), before, yieldedSums);
  FailureOr<SmallVector<Value>> yielded = failure();
  if (succeeded(passed))
    yielded = buildRegion(*afterParts.back().scope, loop.getAfter(), before,
                          *passed, after, yieldedSums);
  scope.setAnchor(anchor);
  if (failed(yielded))
    return failure();
  llvm::append_range(*yielded, yieldedSums);
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, loop.getLoc(), *yielded);
  ResultRange results = backwardLoop.getResults();
  afterGradients.assign(results.begin(), results.begin() + after.size());
  sums.assign(results.begin() + after.size(), results.end());
  return success();
}

/// The first execution of the first region, in a loop of one iteration, so that
/// it is a scope of its own.
LogicalResult WhileDifferentiator::buildFirst() {
  PopBuilder b(loop);
  b.restoreInsertionPoint(scope.getInsertPoint());
  SmallVector<Type> types;
  for (unsigned i : before)
    types.push_back(loop.getBeforeArguments()[i].getType());
  SmallVector<Value> inits(types.size());
  fillGradients(b, loop.getLoc(), types, inits);
  llvm::append_range(inits, sums);
  scf::ForOp once = buildLoop(b, loop.getLoc(), /*count=*/{},
                              /*limit=*/1, inits);
  Operation *anchor = scope.setAnchor(once);
  b.setInsertionPointToStart(once.getBody());
  Value row = b.splat(b.getI32IntegerAttr(0));
  beforeParts.push_back({makeScope(loop.getBefore(), once.getBody()), row});
  SmallVector<Value> yieldedSums(
      ValueRange(once.getRegionIterArgs()).drop_front(before.size()));
  FailureOr<SmallVector<Value>> yielded =
      buildRegion(*beforeParts.back().scope, loop.getBefore(), after,
                  afterGradients, before, yieldedSums);
  scope.setAnchor(anchor);
  if (failed(yielded))
    return failure();
  llvm::append_range(*yielded, yieldedSums);
  b.setInsertionPointToEnd(once.getBody());
  scf::YieldOp::create(b, loop.getLoc(), *yielded);
  ResultRange results = once.getResults();
  beforeGradients.assign(results.begin(), results.begin() + before.size());
  sums.assign(results.begin() + before.size(), results.end());
  return success();
}

/// Lets the forward loop keep what the parts ask for.
void WhileDifferentiator::keepValues() {
  SmallVector<RegionScope::Kept> ofBefore, ofAfter;
  for (const Part &part : beforeParts)
    llvm::append_range(ofBefore, part.scope->getKept());
  for (const Part &part : afterParts)
    llvm::append_range(ofAfter, part.scope->getKept());
  if (ofBefore.empty() && ofAfter.empty())
    return;
  PopBuilder b(loop);
  // The first region is executed once more than the second one.
  SmallVector<Value> buffers = buildBuffers(b, ofBefore, limit + 1);
  llvm::append_range(buffers, buildBuffers(b, ofAfter, limit));
  unsigned counter = loop.getNumResults() - 1;
  SmallVector<Type> types(ValueRange(buffers).getTypes());
  loop = cast<scf::WhileOp>(extendOp(loop, scope, buffers, types));
  for (Region *region : {&loop.getBefore(), &loop.getAfter()}) {
    SmallVector<Location> locs(types.size(), loop.getLoc());
    region->addArguments(types, locs);
    unsigned first = region->getNumArguments() - types.size();
    SmallVector<Value> passed(region->getArguments().drop_front(first));
    Operation *terminator = region->front().getTerminator();
    PopBuilder inner(loop);
    inner.setInsertionPoint(terminator);
    bool isBefore = region == &loop.getBefore();
    MutableArrayRef<Value> own =
        isBefore ? MutableArrayRef(passed).take_front(ofBefore.size())
                 : MutableArrayRef(passed).drop_front(ofBefore.size());
    Value row = region->getArgument(
        isBefore ? loop.getInits().size() - types.size() - 1 : counter);
    SmallVector<Value> stored =
        storeRows(inner, isBefore ? ofBefore : ofAfter, own, row);
    llvm::copy(stored, own.begin());
    terminator->insertOperands(terminator->getNumOperands(), passed);
  }
  ValueRange results = loop.getResults().take_back(types.size());
  Operation *anchor = scope.setAnchor(backwardLoop);
  for (SmallVector<Part> *parts : {&beforeParts, &afterParts})
    for (Part &part : *parts) {
      ArrayRef<RegionScope::Kept> kept = part.scope->getKept();
      loadRows(kept, results.take_front(kept.size()), part.row, scope);
      results = results.drop_front(kept.size());
    }
  scope.setAnchor(anchor);
}

LogicalResult WhileDifferentiator::run() {
  addCounter();
  findCarried();
  Location loc = loop.getLoc();
  SmallVector<Type> types;
  for (unsigned i : after) {
    afterGradients.push_back(scope.takeGradient(loop.getResult(i)));
    types.push_back(loop.getResult(i).getType());
  }
  PopBuilder b(loop);
  b.restoreInsertionPoint(scope.getInsertPoint());
  fillGradients(b, loc, types, afterGradients);
  sums.resize(captures.size());
  fillGradients(b, loc, ValueRange(captures).getTypes(), sums);
  count = scope.getForward(loop.getResults().back());
  b.restoreInsertionPoint(scope.getInsertPoint());
  buildCountCheck(b, loc, count, limit);
  if (failed(buildIterations()) || failed(buildFirst()))
    return failure();
  keepValues();
  for (auto [i, gradient] : llvm::zip_equal(before, beforeGradients))
    scope.addValue(loop.getInits()[i], gradient, loop);
  for (auto [capture, gradient] : llvm::zip_equal(captures, sums))
    scope.addValue(capture, gradient, loop);
  return success();
}

LogicalResult mlir::pop::differentiateWhile(scf::WhileOp loop, Scope &scope) {
  auto limit =
      loop->getAttrOfType<IntegerAttr>(PopDialect::kMaxTripCountAttrName);
  if (!limit)
    return loop.emitOpError() << "cannot be differentiated: expects attribute '"
                              << PopDialect::kMaxTripCountAttrName
                              << "', the largest number of iterations";
  if (!llvm::isInt<32>(limit.getInt()))
    return reportCount(loop);
  return WhileDifferentiator(loop, scope, limit.getInt()).run();
}
