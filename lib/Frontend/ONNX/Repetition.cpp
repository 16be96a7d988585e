//===- Repetition.cpp - Iterations of ONNX loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

/// The greatest number of iterations whose ops are built one by one.
static constexpr int64_t kMaxUnrolled = 256;

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

namespace {
/// A part of an import that may fail without an effect on the import of the
/// model.
class Attempt {
public:
  explicit Attempt(ImportState &state) : state(state) {}

  /// Calls `fn` and holds its diagnostics. Returns false if it fails, and then
  /// undoes its effects on the state of the import. If it fails because it
  /// needs new constants, throws NodeFailure: the model is imported again.
  bool run(function_ref<void()> fn);
  /// Emits the diagnostics.
  void emit() { emitDiagnostics(state.context, std::move(diagnostics)); }
  /// Reports the errors of an attempt that has failed.
  [[noreturn]] void fail();

private:
  /// The part of the state that errors change.
  struct Errors {
    ImportOutcome outcome = ImportOutcome::Success;
    std::vector<ImportState::UnsupportedKind> unsupported;
    llvm::SmallPtrSet<const proto::FunctionProto *, 4> reportedFunctions;
  };
  Errors getErrors() const {
    return {state.outcome, state.unsupported, state.reportedFunctions};
  }
  void setErrors(const Errors &errors) {
    state.outcome = errors.outcome;
    state.unsupported = errors.unsupported;
    state.reportedFunctions = errors.reportedFunctions;
  }

  ImportState &state;
  Errors failed;
  std::vector<Diagnostic> diagnostics;
};
} // namespace

bool Attempt::run(function_ref<void()> fn) {
  Errors before = getErrors();
  size_t numConstants = state.parameters.getNumRecorded();
  bool succeeded = false;
  diagnostics = holdDiagnostics(state.context, [&] {
    try {
      fn();
      succeeded = true;
    } catch (const NodeFailure &) {
    }
  });
  if (succeeded)
    return true;
  if (state.parameters.getNumRecorded() > numConstants)
    throw NodeFailure();
  failed = getErrors();
  setErrors(before);
  return false;
}

void Attempt::fail() {
  setErrors(failed);
  emit();
  throw NodeFailure();
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Returns the value of an index if it is a constant.
static std::optional<int64_t> getIndex(Value index) {
  APInt value;
  return matchPattern(index, m_ConstantInt(&value))
             ? std::optional(value.getSExtValue())
             : std::nullopt;
}

Value ipu::onnx::takePosition(Node &node, Value x, int64_t axis, Value index) {
  Value y;
  SmallVector<int64_t> shape(getShape(x));
  shape.erase(shape.begin() + axis);
  // Nothing executes the ops on an empty dimension; only their types matter.
  if (getDim(x, axis) == 0)
    y = node.splat(0, getElement(x), shape);
  else if (std::optional<int64_t> position = getIndex(index))
    y = node.slice(x, axis, *position, 1);
  else
    y = node.create<pop::DynamicSliceOp>(
        {x, node.reshape(index, {1})},
        {node.attr("axes", ArrayRef<int64_t>{axis}),
         node.attr("sizes", ArrayRef<int64_t>{1})});
  return node.reshape(y, shape);
}

Value ipu::onnx::putPosition(Node &node, Value x, Value part, int64_t axis,
                             Value index) {
  SmallVector<int64_t> shape(getShape(x));
  shape[axis] = 1;
  return node.create<pop::DynamicUpdateOp>(
      {x, node.reshape(part, shape), node.reshape(index, {1})},
      {node.attr("axes", ArrayRef<int64_t>{axis})}, x.getType());
}

//===----------------------------------------------------------------------===//
// Scan outputs
//===----------------------------------------------------------------------===//

int64_t Repetition::getScanAxis(size_t i, Value part) {
  return node.normalizeAxis(axes[i].axis, getRank(part) + 1);
}

/// Returns the type of scan output `i`, of `size` positions such as `part`.
RankedTensorType Repetition::getScanType(size_t i, Value part, int64_t size) {
  SmallVector<int64_t> shape(getShape(part));
  shape.insert(shape.begin() + getScanAxis(i, part), size);
  if (!pop::isPopShape(shape))
    node.unsupported("a scan output of more than 2^56 elements");
  return RankedTensorType::get(shape, getElement(part));
}

/// Returns scan output `i` of one or more iterations with these parts.
Value Repetition::joinParts(size_t i, ArrayRef<Value> parts) {
  SmallVector<Value> positions;
  for (Value part : parts) {
    if (part.getType() != parts.front().getType())
      node.unsupported("the part of scan output " + Twine(i) +
                       " has the type " + quote(parts.front().getType()) +
                       " in the first iteration and " + quote(part.getType()) +
                       " in another one");
    positions.push_back(node.reshape(part, getScanType(i, part, 1).getShape()));
  }
  if (axes[i].isReverse)
    std::reverse(positions.begin(), positions.end());
  return node.concat(positions, getScanAxis(i, parts.front()));
}

/// Returns the first carried values of a loop, and scan outputs of zeros with
/// `size` positions.
SmallVector<Value> Repetition::getInitial(const Step &step, int64_t size) {
  SmallVector<Value> values = initial;
  for (auto [i, part] : llvm::enumerate(step.parts)) {
    RankedTensorType type = getScanType(i, part, size);
    values.push_back(node.splat(0, type.getElementType(), type.getShape()));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// One iteration
//===----------------------------------------------------------------------===//

/// Returns the value of a condition if it is a constant.
static std::optional<bool> getCondition(Value condition) {
  DenseElementsAttr value;
  if (!condition)
    return true;
  if (!matchPattern(condition, m_Constant(&value)))
    return std::nullopt;
  return *value.value_begin<bool>();
}

/// Builds the step of `body` as the body of a loop.
void Repetition::buildBody(Body &body) {
  Block &block = body.region.emplaceBlock();
  Value index = block.addArgument(RankedTensorType::get({}, node.getI32Type()),
                                  node.getLoc());
  for (Value value : initial)
    block.addArgument(value.getType(), node.getLoc());
  OpBuilder::InsertionGuard guard(node);
  node.setInsertionPointToEnd(&block);
  body.step = buildStep(index, block.getArguments().drop_front());
  for (auto [i, first, next] : llvm::enumerate(initial, body.step.carried))
    if (first.getType() != next.getType())
      node.unsupported("carried value " + Twine(i) + " has the type " +
                       quote(first.getType()) + " before an iteration and " +
                       quote(next.getType()) + " after it");
}

/// Moves the ops of `body` to the insertion point. `carried` are the values
/// that a loop with scan outputs of size `size` carries. Returns their next
/// values.
SmallVector<Value> Repetition::moveStep(Body &body, Value index,
                                        ValueRange carried, int64_t size) {
  Block &block = body.region.front();
  Step &step = body.step;
  SmallVector<Value> arguments = {index};
  llvm::append_range(arguments, carried.take_front(initial.size()));
  auto update = [&](Value &value) {
    if (auto argument = dyn_cast_or_null<BlockArgument>(value);
        argument && argument.getOwner() == &block)
      value = arguments[argument.getArgNumber()];
  };
  update(step.condition);
  llvm::for_each(step.carried, update);
  llvm::for_each(step.parts, update);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  node.getInsertionBlock()->getOperations().splice(node.getInsertionPoint(),
                                                   block.getOperations());

  SmallVector<Value> next = step.carried;
  for (auto [i, scan, part] :
       llvm::enumerate(carried.drop_front(initial.size()), step.parts)) {
    Value position = index;
    if (axes[i].isReverse)
      position =
          node.sub(node.splatLike(static_cast<double>(size - 1), index), index);
    next.push_back(
        putPosition(node, scan, part, getScanAxis(i, part), position));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Iterations one by one
//===----------------------------------------------------------------------===//

/// Builds iterations one after the other in `body`, until one is the last. The
/// step of `body` then has the results of all of them. Returns their number, or
/// std::nullopt if it is not known or too large.
std::optional<int64_t> Repetition::unroll(Body &body) {
  if (bound || firstCondition || count.value_or(1) == 0 ||
      count.value_or(0) > kMaxUnrolled)
    return std::nullopt;
  OpBuilder::InsertionGuard guard(node);
  node.setInsertionPointToEnd(&body.region.emplaceBlock());
  SmallVector<SmallVector<Value>> parts(axes.size());
  body.step.carried = initial;
  bool continues = true;
  int64_t numSteps = 0;
  for (; continues && numSteps < count.value_or(kMaxUnrolled); ++numSteps) {
    Value index = node.splat(static_cast<double>(numSteps), node.getI32Type());
    Step step = buildStep(index, body.step.carried);
    // After the last iteration, the condition has no effect.
    std::optional<bool> condition = getCondition(step.condition);
    if (!condition && count != numSteps + 1)
      return std::nullopt;
    continues = condition.value_or(true);
    body.step.carried = step.carried;
    for (auto [list, part] : llvm::zip_equal(parts, step.parts))
      list.push_back(part);
  }
  if (continues && !count)
    return std::nullopt;
  for (auto [i, list] : llvm::enumerate(parts))
    body.step.parts.push_back(joinParts(i, list));
  return numSteps;
}

/// Builds the iterations one after the other. Returns no values if this is not
/// possible.
SmallVector<Value> Repetition::buildUnrolled() {
  Body body;
  Attempt attempt(node.getState());
  std::optional<int64_t> numSteps;
  if (!attempt.run([&] { numSteps = unroll(body); }) || !numSteps)
    return {};
  attempt.emit();
  node.getInsertionBlock()->getOperations().splice(
      node.getInsertionPoint(), body.region.front().getOperations());
  SmallVector<Value> results = body.step.carried;
  llvm::append_range(results, body.step.parts);
  return results;
}

/// Replaces the condition of `step` by a number of iterations if this is
/// possible.
void Repetition::resolveCondition(Step &step) {
  if (firstCondition)
    return;
  std::optional<bool> condition = getCondition(step.condition);
  if (condition == true) {
    step.condition = {};
    return;
  }
  // The condition may be a constant in each iteration, because it is computed
  // from the index and constants.
  Body body;
  std::optional<int64_t> numSteps;
  Attempt attempt(node.getState());
  if (!attempt.run([&] { numSteps = unroll(body); }) || !numSteps)
    return;
  count = *numSteps;
  step.condition = {};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns the smaller one of two numbers, each of which may be missing.
Value Repetition::getLeast(Value a, std::optional<int64_t> b) {
  if (!b)
    return a;
  Value other = node.splat(static_cast<double>(*b), node.getI32Type());
  return a ? node.min(a, other) : other;
}

void Repetition::setMaxTripCount(Operation *loop) {
  std::optional<int64_t> most = count;
  if (limit)
    most = std::min(*limit, count.value_or(*limit));
  if (most)
    loop->setAttr(pop::PopDialect::kMaxTripCountAttrName,
                  node.getI64IntegerAttr(*most));
}

/// Builds a loop that counts up to `upper`, an index.
SmallVector<Value> Repetition::buildFor(Body &body, Value upper, int64_t size) {
  Location loc = node.getLoc();
  SmallVector<Value> first = getInitial(body.step, size);
  Value zero = arith::ConstantIndexOp::create(node, loc, 0);
  Value one = arith::ConstantIndexOp::create(node, loc, 1);
  auto loop = scf::ForOp::create(node, loc, zero, upper, one, first);
  OpBuilder::InsertionGuard guard(node);
  node.setInsertionPointToStart(loop.getBody());
  Value index = pop::FromScalarOp::create(
      node, loc, RankedTensorType::get({}, node.getI32Type()),
      loop.getInductionVar());
  scf::YieldOp::create(node, loc,
                       moveStep(body, index, loop.getRegionIterArgs(), size));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Builds a loop whose number of iterations is `bound`.
SmallVector<Value> Repetition::buildDynamicFor(Body &body, int64_t size) {
  Location loc = node.getLoc();
  if (isLimitChecked)
    failRunIf(node, node.less(getLeast({}, limit), bound));
  std::optional<int64_t> most = isLimitChecked ? limit : std::nullopt;
  Value scalar =
      tensor::ExtractOp::create(node, loc, getLeast(bound, most), ValueRange());
  Value upper =
      arith::IndexCastOp::create(node, loc, node.getIndexType(), scalar);
  SmallVector<Value> results = buildFor(body, upper, size);
  setMaxTripCount(results.front().getDefiningOp());
  return results;
}

/// Builds a loop that a condition ends. It also carries the number of finished
/// iterations, and whether the condition holds.
SmallVector<Value> Repetition::buildWhile(Body &body, int64_t size) {
  Location loc = node.getLoc();
  auto conjoin = [&](Value a, Value b) {
    return b ? node.create<pop::AndOp>({a, b}) : a;
  };
  // Returns whether the number of iterations allows another one. Null if
  // nothing limits it.
  auto isBelow = [&](Value index, Value most) {
    return most ? node.less(index, most) : Value();
  };
  Value wanted = getLeast(bound, count), allowed = getLeast(wanted, limit);
  SmallVector<Value> first = {node.splat(0, node.getI32Type()),
                              firstCondition ? firstCondition
                                             : node.splat(1, node.getI1Type())};
  llvm::append_range(first, getInitial(body.step, size));
  SmallVector<Type> types = llvm::to_vector(ValueRange(first).getTypes());
  SmallVector<Location> locs(types.size(), loc);
  auto loop = scf::WhileOp::create(node, loc, types, first);
  setMaxTripCount(loop);
  {
    OpBuilder::InsertionGuard guard(node);
    Block *before = node.createBlock(&loop.getBefore(), {}, types, locs);
    ValueRange arguments = before->getArguments();
    Value condition = conjoin(arguments[1], isBelow(arguments[0], allowed));
    scf::ConditionOp::create(
        node, loc,
        tensor::ExtractOp::create(node, loc, condition, ValueRange()),
        arguments);
    Block *after = node.createBlock(&loop.getAfter(), {}, types, locs);
    arguments = after->getArguments();
    Value index = arguments[0];
    SmallVector<Value> carried =
        moveStep(body, index, arguments.drop_front(2), size);
    condition = body.step.condition ? node.reshape(body.step.condition, {})
                                    : node.splat(1, node.getI1Type());
    SmallVector<Value> next = {node.add(index, node.splatLike(1, index)),
                               condition};
    llvm::append_range(next, carried);
    scf::YieldOp::create(node, loc, next);
  }
  ValueRange results = loop.getResults();
  if (isLimitChecked)
    failRunIf(node, conjoin(results[1], isBelow(results[0], wanted)));
  return llvm::to_vector_of<Value>(results.drop_front(2));
}

//===----------------------------------------------------------------------===//
// All iterations
//===----------------------------------------------------------------------===//

/// Returns the number of positions in the scan outputs.
int64_t Repetition::getScanSize(const Step &step) {
  if (isCounted(step) && count)
    return *count;
  if (axes.empty())
    return 0;
  if (!limit)
    failUnknownSize();
  return std::min(*limit, count.value_or(*limit));
}

SmallVector<Value> Repetition::build() {
  if (count == 0 && axes.empty())
    return initial;
  if (count == 1)
    if (SmallVector<Value> results = buildUnrolled(); !results.empty())
      return results;
  Body body;
  Attempt attempt(node.getState());
  if (!attempt.run([&] { buildBody(body); })) {
    SmallVector<Value> results = buildUnrolled();
    if (!results.empty())
      return results;
    if (bound || firstCondition)
      requestCount();
    attempt.fail();
  }
  attempt.emit();
  resolveCondition(body.step);
  int64_t size = getScanSize(body.step);
  if (!isCounted(body.step))
    return buildWhile(body, size);
  if (bound)
    return buildDynamicFor(body, size);
  if (!count)
    node.unsupported("2^31 or more iterations");
  if (count == 0)
    return getInitial(body.step, 0);
  Value upper = arith::ConstantIndexOp::create(node, node.getLoc(), *count);
  return buildFor(body, upper, size);
}
