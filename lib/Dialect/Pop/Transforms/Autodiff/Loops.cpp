//===- Loops.cpp - Differentiation of counted loops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is differentiated as a loop with the same number of iterations in
// reverse order. It carries the gradients of the values that the forward loop
// carries, and of the values that the forward loop uses but that are defined
// above it. If gradients need a value of an iteration, a buffer with a row for
// each iteration holds it. The forward loop carries these buffers.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// How often a loop iterates, and from where by which step.
struct Iterations {
  /// At most, if `count` is there.
  int64_t numIterations;
  int64_t lower, step;
  /// The number of iterations where it is no constant: 0-d, of i32.
  Value count;
};

class LoopScope : public RegionScope {
public:
  LoopScope(Scope &parent, scf::ForOp loop, scf::ForOp backwardLoop,
            const Iterations &range)
      : RegionScope(parent, loop.getRegion(), backwardLoop.getBody()),
        loop(loop), backwardLoop(backwardLoop), range(range) {
    buildRow();
  }

  /// Lets the forward loop keep what the backward one needs. Returns the loop
  /// that replaces the forward loop.
  scf::ForOp finish();

  Value importIndex(FromScalarOp op) override;

protected:
  Value importScalar(Value value) override;

private:
  void buildRow();
  /// The index of the forward iteration: 0-d, of i32.
  Value buildIndex(PopBuilder &b) const;
  Value buildForwardRow(OpBuilder &b, Location loc, Value index) const;

  scf::ForOp loop, backwardLoop;
  Iterations range;
  /// The number of the forward iteration: 0-d, of i32.
  Value row;
};
} // namespace

void LoopScope::buildRow() {
  PopBuilder b(loop);
  b.setInsertionPointToStart(backward);
  Location loc = loop.getLoc();
  auto type = RankedTensorType::get({}, b.getI32Type());
  Value done =
      FromScalarOp::create(b, loc, type, backwardLoop.getInductionVar());
  Value last = range.count
                   ? b.sub(range.count, b.splat(b.getI32IntegerAttr(1)))
                   : b.splat(b.getI32IntegerAttr(range.numIterations - 1));
  row = b.sub(last, done);
}

/// The row of the iteration of the forward loop whose index is `index`.
Value LoopScope::buildForwardRow(OpBuilder &builder, Location loc,
                                 Value index) const {
  PopBuilder b(builder, loc);
  Type elementType =
      index.getType().isIndex() ? b.getI32Type() : index.getType();
  auto type = RankedTensorType::get({}, elementType);
  Value value = b.cast(b.create<FromScalarOp>(type, index), b.getI32Type());
  if (range.lower != 0)
    value = b.sub(value, b.splat(b.getI32IntegerAttr(range.lower)));
  if (range.step != 1)
    value = b.div(value, b.splat(b.getI32IntegerAttr(range.step)));
  return value;
}

Value LoopScope::importIndex(FromScalarOp op) {
  if (op.getInput() != loop.getInductionVar())
    return RegionScope::importIndex(op);
  PopBuilder b(op);
  b.restoreInsertionPoint(getInsertPoint());
  return b.cast(buildIndex(b), op.getType().getElementType());
}

Value LoopScope::buildIndex(PopBuilder &b) const {
  Value index = row;
  if (range.step != 1)
    index = b.mul(index, b.splat(b.getI32IntegerAttr(range.step)));
  if (range.lower != 0)
    index = b.add(index, b.splat(b.getI32IntegerAttr(range.lower)));
  return index;
}

Value LoopScope::importScalar(Value value) {
  if (value != loop.getInductionVar())
    return {};
  PopBuilder b(loop);
  b.restoreInsertionPoint(getInsertPoint());
  Location loc = loop.getLoc();
  Value index = buildIndex(b);
  Type type = value.getType();
  if (!type.isIndex() && !type.isInteger(32))
    index = b.cast(index, type);
  Value scalar = tensor::ExtractOp::create(b, loc, index, ValueRange());
  return type.isIndex()
             ? arith::IndexCastOp::create(b, loc, type, scalar).getResult()
             : scalar;
}

scf::ForOp LoopScope::finish() {
  if (getKept().empty())
    return loop;
  PopBuilder b(loop);
  SmallVector<Value> buffers = buildBuffers(b, getKept(), range.numIterations);
  TypeRange types = ValueRange(buffers).getTypes();
  auto extended =
      cast<scf::ForOp>(extendOp(loop, *getParent(), buffers, types));
  Block &body = *extended.getBody();
  auto arguments = body.addArguments(
      types, SmallVector<Location>(types.size(), extended.getLoc()));
  Operation *yield = body.getTerminator();
  PopBuilder inner(extended);
  inner.setInsertionPoint(yield);
  Value forwardRow =
      buildForwardRow(inner, extended.getLoc(), extended.getInductionVar());
  yield->insertOperands(
      yield->getNumOperands(),
      storeRows(inner, getKept(),
                SmallVector<Value>(arguments.begin(), arguments.end()),
                forwardRow));
  loadRows(getKept(), extended.getResults().take_back(buffers.size()), row,
           *getParent());
  return extended;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The iterations of `loop`, or an error. What is no constant is computed at
/// the insertion point of `scope`.
static FailureOr<Iterations> getRange(scf::ForOp loop, Scope &scope) {
  APInt lower, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return loop.emitOpError("cannot be differentiated: expects a constant "
                            "lower bound and a constant step");
  if (!lower.isSignedIntN(32) || !step.isSignedIntN(32))
    return loop.emitOpError("cannot be differentiated: expects a lower bound "
                            "and a step that fit 32 bits");
  Iterations range{0, lower.getSExtValue(), step.getSExtValue(), {}};
  if (std::optional<APInt> count = loop.getStaticTripCount()) {
    if (!count->isSignedIntN(32))
      return reportCount(loop);
    range.numIterations = count->getSExtValue();
    // Indices and what is between them are computed in 32 bits.
    int64_t span = std::max<int64_t>(range.numIterations - 1, 0) * range.step;
    if (!llvm::isInt<32>(span) || !llvm::isInt<32>(range.lower + span))
      return loop.emitOpError()
             << "cannot be differentiated: expects indices and their "
                "differences to fit 32 bits but got indices from "
             << range.lower << " to " << range.lower + span;
    return range;
  }
  auto limit =
      loop->getAttrOfType<IntegerAttr>(PopDialect::kMaxTripCountAttrName);
  if (!limit || range.lower != 0 || range.step != 1)
    return loop.emitOpError() << "cannot be differentiated: expects a constant "
                                 "number of iterations, or attribute '"
                              << PopDialect::kMaxTripCountAttrName
                              << "' with lower bound 0 and step 1";
  range.numIterations = limit.getInt();
  if (!llvm::isInt<32>(range.numIterations))
    return reportCount(loop);
  PopBuilder b(loop);
  b.restoreInsertionPoint(scope.getInsertPoint());
  Value upper = buildTensorOfScalar(b, loop, "upper bound",
                                    scope.getForward(loop.getUpperBound()));
  if (!upper)
    return failure();
  range.count = b.cast(upper, b.getI32Type());
  return range;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// What the backward loop carries.
struct Carried {
  /// Numbers of values that the forward loop carries.
  SmallVector<unsigned> arguments;
  /// Values that it uses and does not carry.
  SmallVector<Value> captures;
};
} // namespace

static Carried findCarried(scf::ForOp loop, Scope &scope) {
  llvm::DenseSet<Value> reached;
  for (Value result : loop.getResults())
    if (scope.hasGradient(result))
      reached.insert(result);
  findReachedBy(loop, reached);

  Carried carried;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (getGradientType(argument.getType()) && scope.isActive(argument) &&
        (reached.contains(argument) || scope.hasGradient(loop.getResult(i))))
      carried.arguments.push_back(i);
  carried.captures = getActiveCaptures(loop, scope, reached);
  return carried;
}

/// Builds the body of `backwardLoop`. Returns the forward loop, or the loop
/// that replaces it.
static FailureOr<scf::ForOp> buildBody(scf::ForOp loop, scf::ForOp backwardLoop,
                                       const Carried &carried,
                                       const Iterations &range, Scope &scope) {
  LoopScope inner(scope, loop, backwardLoop, range);
  auto arguments = backwardLoop.getRegionIterArgs();
  for (auto [i, argument] : llvm::zip_first(carried.arguments, arguments))
    inner.addValue(loop.getYieldedValues()[i], argument, loop);
  if (failed(
          inner.differentiate(loop.getBody()->getTerminator()->getPrevNode())))
    return failure();
  SmallVector<Value> yielded;
  PopBuilder b(loop);
  b.setInsertionPointToEnd(backwardLoop.getBody());
  for (unsigned i : carried.arguments)
    yielded.push_back(inner.takeGradient(loop.getRegionIterArg(i)));
  b.setInsertionPointToEnd(backwardLoop.getBody());
  fillGradients(b, loop.getLoc(),
                backwardLoop.getResults().take_front(yielded.size()).getTypes(),
                yielded);
  for (auto [capture, base] : llvm::zip_equal(
           carried.captures, arguments.drop_front(carried.arguments.size())))
    yielded.push_back(inner.takeGradient(capture, base));
  b.setInsertionPointToEnd(backwardLoop.getBody());
  scf::YieldOp::create(b, loop.getLoc(), yielded);
  return inner.finish();
}

LogicalResult mlir::pop::differentiateFor(scf::ForOp loop, Scope &scope) {
  Carried carried = findCarried(loop, scope);
  FailureOr<Iterations> range = getRange(loop, scope);
  if (failed(range))
    return failure();
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (unsigned i : carried.arguments)
    inits.push_back(scope.takeGradient(loop.getResult(i)));
  PopBuilder b(loop);
  b.restoreInsertionPoint(scope.getInsertPoint());
  SmallVector<Type> types;
  for (unsigned i : carried.arguments)
    types.push_back(loop.getResult(i).getType());
  for (Value capture : carried.captures)
    types.push_back(capture.getType());
  inits.resize(types.size());
  fillGradients(b, loc, types, inits);
  if (range->count)
    buildCountCheck(b, loc, range->count, range->numIterations);
  auto backwardLoop =
      buildLoop(b, loc, range->count, range->numIterations, inits);

  Operation *anchor = scope.setAnchor(backwardLoop);
  FailureOr<scf::ForOp> forward =
      buildBody(loop, backwardLoop, carried, *range, scope);
  scope.setAnchor(anchor);
  if (failed(forward))
    return failure();
  ResultRange results = backwardLoop.getResults();
  for (auto [i, gradient] : llvm::zip_first(carried.arguments, results))
    scope.addValue(forward->getInitArgs()[i], gradient, *forward);
  for (auto [capture, gradient] : llvm::zip_equal(
           carried.captures, results.drop_front(carried.arguments.size())))
    scope.addValue(capture, gradient, *forward);
  return success();
}
