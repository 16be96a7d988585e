//===- Scope.cpp - Differentiation of a block -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Forward values
//===----------------------------------------------------------------------===//

OpBuilder::InsertPoint Scope::getInsertPoint() const {
  return {backward, anchor ? Block::iterator(anchor) : backward->end()};
}

Value Scope::getForward(Value value) {
  return isOwn(value) ? importForward(value) : parent->getForward(value);
}

void Scope::replaceForward(Value from, Value to) {
  // Another value may get the address of one that is erased.
  if (context.active.erase(from))
    context.active.insert(to);
  auto user = context.firstUsers.find(from);
  if (user != context.firstUsers.end()) {
    GraphContext::User moved = user->second;
    context.firstUsers.erase(user);
    context.firstUsers.try_emplace(to, moved);
  }
  auto found = gradients.find(from);
  if (found != gradients.end()) {
    SmallVector<Contribution, 1> moved = std::move(found->second);
    gradients.erase(found);
    gradients[to] = std::move(moved);
  }
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Reports that what `ref` refers to is written, for a gradient through `user`.
static LogicalResult reportWrite(const GraphContext::Writer &writer,
                                 Operation *user) {
  InFlightDiagnostic error =
      emitError(writer.loc)
      << "'" << writer.name
      << "' op writes a tensor whose gradient is required; expects no op to "
         "write tensors on differentiated paths";
  error.attachNote(user->getLoc())
      << "the gradient comes from this '" << user->getName() << "'";
  return error;
}

void Scope::add(Value value, Contribution contribution) {
  if (!isActive(value))
    return;
  Operation *user = contribution.user;
  if (isa<RefType>(value.getType()))
    if (const GraphContext::Writer *writer = context.findWriter(value)) {
      if (!context.hasFailed)
        (void)reportWrite(*writer, user);
      context.hasFailed = true;
    }
  Value result = user->getNumResults() > 0 ? user->getResult(0) : Value();
  context.firstUsers.try_emplace(
      value, GraphContext::User{user->getLoc(), user->getName(), result});
  getCollector(value).gradients[value].push_back(std::move(contribution));
}

void Scope::addInto(Value value, GradientBuilder::AddFn build,
                    Operation *user) {
  add(value, {{}, std::move(build), user});
}

bool Scope::hasGradient(Value value) {
  return getCollector(value).gradients.contains(value);
}

/// The location of the sum of the gradients of `value`.
static Location getSumLoc(Value value) {
  Location loc = value.getLoc();
  std::string name = "GradSum";
  if (auto named = dyn_cast<NameLoc>(loc))
    name += "_" + named.getName().str();
  return NameLoc::get(StringAttr::get(value.getContext(), name), loc);
}

namespace {
/// Gives new ops the placement of the gradient of a value: the gradient is on
/// the IPU and tile set of the value, in the stage that defines the value, or
/// else in the first stage that uses it. In the region of a loop or a branch
/// around which the value is defined, it is in the stage of the region.
class GradientPlacer : public OpBuilder::Listener {
public:
  /// `isOwn` says whether the scope of the gradient defines the value, and
  /// `isStaged` whether the program has stages.
  GradientPlacer(Value value, bool isOwn, bool isStaged,
                 ArrayRef<Operation *> users)
      : value(value), source(isOwn ? value.getDefiningOp() : nullptr),
        user(*llvm::min_element(users, isEarlier)),
        isPassed(isOwn && isStaged && !(source && getStage(source))) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (!isPlaceable(op))
      return;
    // A value that a loop, a branch or a call passes on is in the stage of the
    // ops in it.
    if (isPassed)
      inheritSchedule(value, op);
    std::optional<int64_t> vgraph =
        getVgraph(op) ? getVgraph(op) : getVgraph(value);
    for (OpOperand &use : user->getOpOperands())
      if (!vgraph && use.get() == value)
        vgraph = getVgraph(use);
    if (vgraph)
      op->setAttr(PopDialect::kVgraphAttrName,
                  Builder(op).getI64IntegerAttr(*vgraph));
    if (TileSet set = getTileSet(value); set != TileSet::Compute)
      op->setAttr(PopDialect::kTileSetAttrName,
                  TileSetAttr::get(op->getContext(), set));
    if (source)
      inheritPlacement(source, op);
    if (!source || !getStage(source))
      inheritPlacement(user, op);
  }

private:
  static bool isEarlier(Operation *a, Operation *b) {
    return getStage(a) < getStage(b);
  }

  Value value;
  /// The op that defines the value in the scope of the gradient, or null.
  Operation *source;
  Operation *user;
  /// This flag is set if the ops that compute the value may state its stage.
  bool isPassed;
};
} // namespace

Value Scope::takeGradient(Value value, Value base) {
  Scope &collector = getCollector(value);
  auto found = collector.gradients.find(value);
  if (found == collector.gradients.end())
    return base;
  SmallVector<Contribution, 1> contributions = std::move(found->second);
  collector.gradients.erase(found);

  GradientPlacer placer(
      value, isOwn(value), context.isStaged,
      llvm::map_to_vector(contributions,
                          [](const Contribution &part) { return part.user; }));
  OpBuilder b(value.getContext(), &placer);
  b.restoreInsertionPoint(getInsertPoint());
  Location loc = getSumLoc(value);
  SmallVector<Value> terms;
  if (base)
    terms.push_back(base);
  for (const Contribution &contribution : contributions)
    if (contribution.value)
      terms.push_back(contribution.value);
  Value sum = base;
  if (!terms.empty())
    sum =
        terms.size() == 1 ? terms.front() : Value(SumOp::create(b, loc, terms));
  for (const Contribution &contribution : contributions)
    if (contribution.build)
      sum = contribution.build(b, sum);
  return sum;
}

const GraphContext::Writer *GraphContext::findWriter(Value ref) const {
  Value origin = getRefOrigin(ref);
  auto writer = writers.find(origin);
  if (writer != writers.end())
    return &writer->second;
  auto handle = origin.getDefiningOp<GetVariableOp>();
  if (!handle)
    return nullptr;
  auto ofVariable = writtenVariables.find(handle.getVariableAttr().getAttr());
  return ofVariable == writtenVariables.end() ? nullptr : &ofVariable->second;
}

bool mlir::pop::isRepeatable(Operation *op, const GraphContext &context) {
  if (isMemoryEffectFree(op))
    return true;
  if (auto read = dyn_cast<ReadOp>(op))
    return !context.findWriter(read.getTarget());
  // A new tensor that nothing writes is as the one before.
  return op->hasTrait<RefOrigin>() && !context.findWriter(op->getResult(0));
}

SmallVector<Value> GraphContext::getVariablesOf(CallOpInterface call) const {
  SmallVector<Value> refs;
  if (const BackwardGraph *graph = getBackwardGraph(call))
    for (GraphValueAttr output : graph->outputs)
      if (output.getKind() == GraphValueKind::Variable)
        refs.push_back(variables.lookup(output.getVariable().getAttr()));
  return refs;
}

//===----------------------------------------------------------------------===//
// Replaced ops
//===----------------------------------------------------------------------===//

void GraphContext::retire(Operation *op, ValueRange replacements) {
  op->replaceAllUsesWith(replacements);
  op->remove();
  retired.emplace_back(op, llvm::to_vector(replacements));
}

void GraphContext::eraseRetired() {
  // In this order: what took the place of an op may be replaced itself.
  for (const auto &[op, replacements] : retired)
    op->replaceAllUsesWith(ValueRange(replacements));
  for (const auto &[op, replacements] : retired)
    op->destroy();
  retired.clear();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
/// Builds the gradients of one op of a scope.
class ScopeGradientBuilder : public GradientBuilder {
public:
  /// `gradients` are those of the results of `op`, or null.
  ScopeGradientBuilder(Operation *op, Scope &scope,
                       SmallVector<Value> gradients)
      : GradientBuilder(op, scope.getInsertPoint()), op(op), scope(scope),
        gradients(std::move(gradients)) {}

  Value getGradient(Value result) override {
    return gradients[llvm::cast<OpResult>(result).getResultNumber()];
  }
  bool isNeeded(Value operand) override { return scope.isActive(operand); }
  Value getForward(Value value) override { return scope.getForward(value); }
  void addInto(Value operand, AddFn build) override {
    scope.addInto(operand, std::move(build), op);
  }

protected:
  void addValue(Value operand, Value gradient) override {
    scope.addValue(operand, gradient, op);
  }

private:
  Operation *op;
  Scope &scope;
  SmallVector<Value> gradients;
};
} // namespace

void Scope::addValue(Value value, Value gradient, Operation *user) {
  if (!gradient || !isActive(value))
    return;
  auto copy = value.getDefiningOp<PlacementOpInterface>();
  if (!copy || copy->getBlock() != user->getBlock())
    return add(value, {gradient, {}, user});
  // The gradients of all readers of a copy on another IPU or tile set are
  // copied back, and summed where the value is, in the order of a program
  // without copies.
  SmallVector<Value> gradients(copy->getNumResults());
  gradients[cast<OpResult>(value).getResultNumber()] = gradient;
  ScopeGradientBuilder builder(copy, *this, std::move(gradients));
  if (failed(cast<DifferentiableOpInterface>(*copy).buildGradients(builder)))
    context.hasFailed = true;
}

/// Reports that `op` has no gradient, and the way from it to the results of the
/// graph.
static LogicalResult reportNoGradient(Operation *op,
                                      const GraphContext &context) {
  InFlightDiagnostic error =
      op->emitOpError()
      << "has no gradient, but is on a path from a value whose gradient is "
         "required to a result whose gradient is provided";
  constexpr int kMaxNotes = 8;
  auto user = llvm::find_if(op->getResults(), [&](Value result) {
    return context.firstUsers.contains(result);
  });
  Value value = user == op->result_end() ? Value() : *user;
  for (int i = 0; i < kMaxNotes && value; ++i) {
    auto next = context.firstUsers.find(value);
    if (next == context.firstUsers.end())
      break;
    error.attachNote(next->second.loc)
        << "the gradient comes from this '" << next->second.name << "'";
    value = next->second.result;
  }
  return error;
}

/// Returns whether `op` has an operand or a result without elements.
static bool hasEmptyTensor(Operation *op) {
  auto isEmpty = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
  };
  return llvm::any_of(op->getOperandTypes(), isEmpty) ||
         llvm::any_of(op->getResultTypes(), isEmpty);
}

LogicalResult Scope::differentiateOp(Operation *op) {
  if (!llvm::any_of(op->getResults(),
                    [&](Value result) { return hasGradient(result); }))
    return success();
  if (op->getNumRegions() > 0)
    return differentiateRegions(op, *this);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return differentiateCall(call, *this);
  // What gradients are required of stays for the end.
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) { return isActive(operand); }))
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return reportNoGradient(op, context);
  ScopeGradientBuilder builder(
      op, *this, llvm::map_to_vector(op->getResults(), [&](Value result) {
        return takeGradient(result);
      }));
  if (failed(differentiable.buildGradients(builder)))
    return failure();
  if (!hasEmptyTensor(op))
    return success();
  // Gradients that are sums of nothing are left out: they are 0.
  for (Value operand : op->getOperands())
    if (RankedTensorType type = getGradientType(operand.getType()))
      if (isActive(operand) && !hasGradient(operand))
        builder.addGradient(operand, builder.zeros(type));
  return success();
}

LogicalResult Scope::differentiate(Operation *last) {
  Operation *previous;
  for (Operation *op = last; op; op = previous) {
    // The op may be replaced by one that keeps more values.
    previous = op->getPrevNode();
    if (failed(differentiateOp(op)) || context.hasFailed)
      return failure();
  }
  return success();
}
