//===- AutomaticLossScale.cpp - Automatic loss scales -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that updates weights by gradients of a scaled
// loss. Out: the same module, where the scale is halved if gradients are close
// to an overflow, and otherwise doubled.
//
//===----------------------------------------------------------------------===//

#include "GradientOps.h"
#include "InitialStates.h"
#include "States.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::pop {
#define GEN_PASS_DEF_AUTOMATICLOSSSCALEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The largest finite f16.
static constexpr double kLargest = 65504.0;
/// The factor stays between this and its inverse. Gradients that are 0, for
/// which it is doubled, leave it finite, and so is its product with a loss
/// scale of up to 2^63.
static constexpr double kGreatestFactor = 18446744073709551616.0; // 2^64
/// Names of the states for the host.
static constexpr StringLiteral kFactorState = "LossScaleFactor___";
static constexpr StringLiteral kSumState = "LossScaleExcess___";
static constexpr StringLiteral kPeriodState = "LossScalePeriod___";

//===----------------------------------------------------------------------===//
// Tracked gradients
//===----------------------------------------------------------------------===//

/// Whether the result of `op` is that of a contraction, or narrowed from it.
static bool isOfContraction(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    if (Operation *source = cast.getInput().getDefiningOp())
      return isContraction(source);
  return isContraction(op);
}

static bool isTracked(Operation *op, TrackedGradients tracked) {
  switch (tracked) {
  case TrackedGradients::All:
    return !isa<ipu::TileViewOpInterface, OptimizerStepOp, AccumulateOp,
                AutoLossScaleProxyOp>(op) &&
           getExecutionContext(op).value_or(ExecutionContext::Normal) ==
               ExecutionContext::Normal;
  case TrackedGradients::Contractions:
    return isOfContraction(op);
  case TrackedGradients::Marked: {
    auto proxy = dyn_cast<AutoLossScaleProxyOp>(op);
    return proxy && proxy.getGradient();
  }
  }
  llvm_unreachable("unknown set of gradients");
}

/// Whether `gradient` is clipped as by `pop-clip-gradients`: multiplied by
/// c / max(c, norm).
static bool isClipped(Value gradient) {
  auto skipCasts = [](Value value) {
    while (auto cast = value.getDefiningOp<CastOp>())
      value = cast.getInput();
    return value;
  };
  auto product = skipCasts(gradient).getDefiningOp<MulOp>();
  auto ratio =
      product ? skipCasts(product.getRhs()).getDefiningOp<DivOp>() : DivOp();
  auto divisor = ratio ? ratio.getRhs().getDefiningOp<MaxOp>() : MaxOp();
  return divisor && llvm::is_contained(divisor->getOperands(), ratio.getLhs());
}

namespace {
struct Settings {
  TrackedGradients tracked;
  double edge, threshold;
  int64_t period;
};

class LossScaler {
public:
  LossScaler(func::FuncOp function, const Settings &settings,
             SymbolTable &symbols)
      : function(function), settings(settings),
        block(function.getBody().front()),
        b(OpBuilder(block.getTerminator()), getLoc(function.getLoc())),
        states(function, symbols, b) {}

  LogicalResult run(StringRef pass);

private:
  LogicalResult find(StringRef pass);
  /// Whether the function has the state of a factor, as an argument or in a
  /// variable.
  bool hasFactor();
  /// Warns of marked tensors whose gradients are not counted.
  void warnOfUntracked();
  void addStates();
  void scale();
  void scaleOperand(LossScaleOp root);
  /// By how many elements more than the threshold allows all gradients together
  /// are above the edge. What parts of a batch and replicas exceed can be
  /// added.
  Value buildExcess();
  void updateFactor(Value excess);

  //===--------------------------------------------------------------------===//
  // Builders
  //===--------------------------------------------------------------------===//

  /// The cost of a loss scale is not a part of the cost of the op at `loc`.
  static Location getLoc(Location loc) {
    return ipu::getNamedLoc("loss scale", loc);
  }
  Value buildConstant(double value);
  /// The value of `state` where the builder is, in the context `context`.
  Value read(const State &state);
  /// Whether this is an update before which gradients are counted: an i1.
  Value buildIsCounted();
  /// How many elements of `gradient` are above the edge, or NaN.
  Value buildCount(Value gradient);
  Value buildCountOfPeriod(Value gradient);
  /// Marks the ops that `build` makes as done once for all parts of a batch.
  void buildOuter(function_ref<void()> build);
  /// The product of the loss scale that `setting` or `operand` gives and the
  /// factor.
  Value buildScale(FloatAttr setting, Value operand, Value factor);

  func::FuncOp function;
  const Settings &settings;
  Block &block;
  PopBuilder b;
  StateBuilder states;
  SmallVector<LossScaleOp> roots;
  SmallVector<OptimizerStepOp> steps;
  SmallVector<Value> gradients;
  int64_t numElements = 0;
  /// Whether gradients of several parts of a batch are accumulated.
  bool accumulates = false;
  State factor, sum, period;
};
} // namespace

bool LossScaler::hasFactor() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto name =
            function.getArgAttrOfType<StringAttr>(i, PopDialect::kNameAttrName);
        name && name.getValue() == kFactorState)
      return true;
  return llvm::any_of(block.getOps<GetVariableOp>(), [](GetVariableOp op) {
    return op.getVariable() == kFactorState;
  });
}

LogicalResult LossScaler::find(StringRef pass) {
  for (Operation &op : block) {
    if (auto root = dyn_cast<LossScaleOp>(op))
      roots.push_back(root);
    if (auto step = dyn_cast<OptimizerStepOp>(op))
      steps.push_back(step);
  }
  if (roots.empty() || steps.empty())
    return function.emitOpError()
           << "has no "
           << (steps.empty() ? "'pop.optimizer_step'" : "'pop.loss_scale'")
           << " directly in its body; '" << pass << "' expects at least one";
  if (hasFactor())
    return function.emitOpError()
           << "has a loss scale that is adapted already; expects '" << pass
           << "' to run only once";
  for (OptimizerStepOp step : steps)
    if (!step.getGradient())
      return step.emitOpError()
             << "has no `gradient`, because gradients are added to its "
                "velocity with a constant loss scale; '"
             << pass
             << "' expects a `gradient`: use optimizer 'sgd2', or 'sgd1' in a "
                "function with attribute '"
             << PopDialect::kClipNormsAttrName << "'";
  for (OptimizerStepOp step : steps)
    if (isClipped(step.getGradient()))
      return step.emitOpError()
             << "has a gradient that is clipped by a norm with a constant loss "
                "scale; expects '"
             << pass << "' before 'pop-clip-gradients'";
  accumulates =
      getExecutionContext(steps.front()) == ExecutionContext::AccumulateOuter;
  llvm::DenseSet<Operation *> dependents = getGradientOps(roots);
  for (Operation &op : block) {
    if (!dependents.contains(&op) || !isTracked(&op, settings.tracked))
      continue;
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.getElementType().isF16() || result.use_empty())
        continue;
      gradients.push_back(result);
      numElements += type.getNumElements();
    }
  }
  if (settings.tracked == TrackedGradients::Marked)
    warnOfUntracked();
  if (!gradients.empty())
    return success();
  InFlightDiagnostic diag = function.emitOpError()
                            << "has no gradients of f16 that '" << pass
                            << "' could track";
  for (LossScaleOp root : roots)
    for (Operation *user : root->getUsers())
      if (isa<CallOpInterface>(user))
        diag.attachNote(user->getLoc())
            << "this call computes gradients; 'inline' makes them visible";
  return diag;
}

void LossScaler::warnOfUntracked() {
  // A proxy and that of its gradient have the same location.
  llvm::DenseSet<Attribute> withGradient;
  SmallVector<AutoLossScaleProxyOp> marked;
  function.walk([&](AutoLossScaleProxyOp proxy) {
    if (!proxy.getGradient()) {
      marked.push_back(proxy);
      return;
    }
    withGradient.insert(proxy.getLoc());
    if (llvm::is_contained(gradients, proxy.getResult()))
      return;
    InFlightDiagnostic diag =
        proxy.emitWarning()
        << "automatic loss scaling does not track this tensor: its gradient ";
    if (proxy->getBlock() == &block)
      diag << "is of type " << proxy.getType()
           << "; expects elements of type f16";
    else
      diag << "is in a loop or a branch; expects a gradient in the body of the "
              "function";
  });
  for (AutoLossScaleProxyOp proxy : marked)
    if (withGradient.insert(proxy.getLoc()).second)
      proxy.emitWarning()
          << "automatic loss scaling does not track this tensor: no gradient "
             "with respect to this tensor is computed";
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

Value LossScaler::buildConstant(double value) {
  return b.splat(value, b.getF32Type());
}

Value LossScaler::read(const State &state) {
  return state.ref ? Value(b.create<ReadOp>(state.ref)) : state.value;
}

Value LossScaler::buildIsCounted() {
  Value number = read(period);
  return b.less(number, buildConstant(1.0));
}

Value LossScaler::buildCount(Value gradient) {
  Location loc = getLoc(gradient.getLoc());
  PopBuilder inner(b, loc);
  Value edge = inner.splatLike(settings.edge * kLargest, gradient);
  // NaN is not below the edge.
  Value isBelow = inner.create<LessEqualOp>(inner.abs(gradient), edge);
  Value isAbove = inner.create<NotOp>(isBelow);
  Value ones = inner.cast(isAbove, b.getF32Type());
  bool isOne = cast<RankedTensorType>(gradient.getType()).getRank() == 0;
  return isOne ? ones : inner.sumOfAll(ones);
}

void LossScaler::buildOuter(function_ref<void()> build) {
  Operation *before = b.getInsertionPoint() == block.begin()
                          ? nullptr
                          : &*std::prev(b.getInsertionPoint());
  build();
  if (!accumulates)
    return;
  auto context = ExecutionContextAttr::get(b.getContext(),
                                           ExecutionContext::AccumulateOuter);
  for (Operation *op = before ? before->getNextNode() : &block.front();
       op != &*b.getInsertionPoint(); op = op->getNextNode())
    op->setAttr(PopDialect::kExecutionContextAttrName, context);
}

Value LossScaler::buildScale(FloatAttr setting, Value operand, Value factor) {
  Value scale = operand ? operand : buildConstant(setting.getValueAsDouble());
  return b.mul(scale, factor);
}

//===----------------------------------------------------------------------===//
// Scaling
//===----------------------------------------------------------------------===//

void LossScaler::addStates() {
  bool isArgument = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    isArgument |= bool(function.getResultAttr(i, PopDialect::kUpdatesAttrName));
  auto add = [&](StringRef name, float initial) {
    auto type = RankedTensorType::get({}, b.getF32Type());
    State state = states.add(
        {name.str(), type, DenseElementsAttr::get(type, initial)}, isArgument);
    // It is read where it is used.
    if (state.ref) {
      state.value.getDefiningOp()->erase();
      state.value = {};
    }
    return state;
  };
  b.setInsertionPointToStart(&block);
  factor = add(kFactorState, 1.0F);
  if (accumulates)
    sum = add(kSumState, 0.0F);
  if (settings.period > 1)
    period = add(kPeriodState, 0.0F);
}

/// Multiplies what `root` gives by the factor, in f32: the scale may be greater
/// than the largest f16.
void LossScaler::scaleOperand(LossScaleOp root) {
  Location loc = getLoc(root.getLoc());
  b.setInsertionPoint(root);
  Operation *before = root->getPrevNode();
  Value operand = root.getInput();
  auto type = cast<RankedTensorType>(operand.getType());
  RankedTensorType wide = type.clone(b.getF32Type());
  if (auto narrowed = operand.getDefiningOp<CastOp>();
      narrowed && narrowed.getInput().getType() == wide)
    operand = narrowed.getInput();
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  if (isNarrow && operand.getType() != wide)
    operand = CastOp::create(b, loc, wide, operand);
  Value by = read(factor);
  if (!isNarrow && type.getElementType() != b.getF32Type())
    by = CastOp::create(b, loc,
                        RankedTensorType::get({}, type.getElementType()), by);
  operand = MulOp::create(b, loc, operand, by);
  if (isNarrow)
    operand = CastOp::create(b, loc, type, operand);
  Operation *old = root.getInput().getDefiningOp();
  root.getInputMutable().assign(operand);
  for (Operation *op = root->getPrevNode(); op != before;
       op = op->getPrevNode())
    inheritSchedule(root, op);
  if (old && isOpTriviallyDead(old))
    old->erase();
}

/// Multiplies the loss, and what optimizers divide by, by the factor.
void LossScaler::scale() {
  for (LossScaleOp root : roots)
    scaleOperand(root);
  // Steps with equal scales share the product.
  llvm::MapVector<const void *, Value> scales;
  b.setInsertionPoint(steps.front());
  for (OptimizerStepOp step : steps) {
    OptimizerAttr optimizer = step.getOptimizer();
    auto setting = dyn_cast<FloatAttr>(optimizer.getSetting("loss_scale"));
    SmallVector<StringRef> names = optimizer.getOperandSettings();
    SmallVector<Value> operands(step.getSettings());
    Value given;
    if (!setting)
      given = operands[llvm::find(names, "loss_scale") - names.begin()];
    Value &scaled = scales[setting ? setting.getAsOpaquePointer()
                                   : given.getAsOpaquePointer()];
    if (!scaled)
      buildOuter([&] { scaled = buildScale(setting, given, read(factor)); });
    optimizer = optimizer.withSetting("loss_scale", b.getUnitAttr());
    names = optimizer.getOperandSettings();
    unsigned position = llvm::find(names, "loss_scale") - names.begin();
    if (given)
      operands[position] = scaled;
    else
      operands.insert(operands.begin() + position, scaled);
    step.setOptimizerAttr(optimizer);
    step.getSettingsMutable().assign(operands);
  }
}

/// The count of `gradient` if this is an update before which gradients are
/// counted, else 0.
Value LossScaler::buildCountOfPeriod(Value gradient) {
  Location loc = getLoc(gradient.getLoc());
  Value condition =
      tensor::ExtractOp::create(b, loc, buildIsCounted(), ValueRange());
  auto type = RankedTensorType::get({}, b.getF32Type());
  auto branch = scf::IfOp::create(b, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, buildCount(gradient));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, buildConstant(0.0));
  return branch.getResult(0);
}

Value LossScaler::buildExcess() {
  SmallVector<Value> counts;
  for (Value gradient : gradients) {
    Operation *source = gradient.getDefiningOp();
    b.setInsertionPointAfter(source);
    Value count = settings.period > 1 ? buildCountOfPeriod(gradient)
                                      : buildCount(gradient);
    for (Operation *op = count.getDefiningOp(); op != source;
         op = op->getPrevNode())
      op->walk([&](Operation *nested) { inheritSchedule(source, nested); });
    counts.push_back(count);
  }
  b.setInsertionPoint(block.getTerminator());
  Value count =
      counts.size() == 1 ? counts.front() : b.create<SumOp>(counts).getResult();
  Value limit = buildConstant(settings.threshold * double(numElements));
  return b.sub(count, limit);
}

void LossScaler::updateFactor(Value excess) {
  Value old = read(factor);
  Value all = b.create<AllReduceOp>(ipu::CollectiveOperator::Mean, excess,
                                    ReplicaGroupsAttr())
                  .getResult();
  Value isMany = b.greater(all, buildConstant(0.0));
  Value half = buildConstant(0.5), twice = buildConstant(2.0);
  Value change = b.select(isMany, half, twice);
  Value next = b.mul(old, change);
  next = b.min(next, buildConstant(kGreatestFactor));
  next = b.max(next, buildConstant(1 / kGreatestFactor));
  if (settings.period > 1) {
    next = b.select(buildIsCounted(), next, old);
    Value number = b.add(read(period), buildConstant(1.0));
    Value count = buildConstant(double(settings.period));
    states.update(period, b.create<RemOp>(number, count));
  }
  states.update(factor, next);
}

LogicalResult LossScaler::run(StringRef pass) {
  if (failed(find(pass)))
    return failure();
  addStates();
  Value excess = buildExcess();
  scale();
  b.setInsertionPoint(block.getTerminator());
  if (accumulates)
    excess = states.accumulate(sum, AccumulateKind::Add, excess, 1.0);
  buildOuter([&] {
    if (accumulates) {
      excess = states.readAccumulated(b.getLoc(), sum, excess);
      states.update(sum, buildConstant(0.0));
    }
    updateFactor(excess);
  });
  function.walk([](AutoLossScaleProxyOp proxy) {
    proxy.getResult().replaceAllUsesWith(proxy.getInput());
    proxy.erase();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct AutomaticLossScalePass
    : pop::impl::AutomaticLossScalePassBase<AutomaticLossScalePass> {
  using AutomaticLossScalePassBase::AutomaticLossScalePassBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> trained =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(trained) || failed(verifyOptions()))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    Settings settings{tracked, binEdge, threshold, updatePeriod};
    if (failed(LossScaler(*trained, settings, symbols).run(getArgument())))
      signalPassFailure();
  }

private:
  LogicalResult verifyOptions() {
    auto verify = [&](StringRef name, bool isValid, StringRef expected,
                      auto value) -> LogicalResult {
      if (isValid)
        return success();
      return getOperation().emitError()
             << "'" << getArgument() << "' expects option '" << name
             << "' to be " << expected << " but got " << value;
    };
    return failure(
        failed(verify("bin-edge", binEdge > 0 && binEdge <= 1,
                      "above 0 and at most 1", binEdge.getValue())) ||
        failed(verify("threshold", threshold >= 0 && threshold < 1,
                      "from 0 to below 1", threshold.getValue())) ||
        failed(verify("update-period", updatePeriod >= 1, "at least 1",
                      updatePeriod.getValue())));
  }
};
} // namespace
