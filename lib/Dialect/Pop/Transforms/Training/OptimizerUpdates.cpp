//===- OptimizerUpdates.cpp - Updates of weights of a function --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerUpdates.h"

#include "InitialStates.h"
#include "Schedules.h"
#include "States.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;
using namespace mlir::pop;

/// Name of the state that counts updates, of which schedules depend.
static constexpr StringLiteral kUpdatesState = "Updates___";
/// Name of the state that counts parts of the batch.
static constexpr StringLiteral kCounterState = "Counter___";
static constexpr StringLiteral kAccumulatorState = "Accum___";

/// The type of the weight, of which a replica may hold a part.
static RankedTensorType getWholeType(const Parameter &parameter) {
  VariableOp variable = parameter.variable;
  return variable ? variable.getTensorType() : parameter.type;
}

namespace {
/// Builds the updates at the end of a function. Ops are on the virtual graph of
/// the weight, as far as it has one, and have the schedule of what makes the
/// gradient. What several updates share is where gradients start, in their
/// first stage, and is copied to the virtual graphs of the weights.
class UpdateBuilder : OpBuilder::Listener {
public:
  UpdateBuilder(func::FuncOp function, const UpdateSettings &settings,
                SymbolTable &symbols)
      : function(function), settings(settings), symbols(symbols),
        terminator(function.getBody().front().getTerminator()),
        b(terminator, this), states(function, symbols, b) {}

  LogicalResult run(ArrayRef<Parameter> parameters);

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;

  //===--------------------------------------------------------------------===//
  // Placement
  //===--------------------------------------------------------------------===//

  void findHome(ArrayRef<Parameter> parameters);
  /// Calls `build`, whose result several updates share.
  template <typename FnT>
  auto buildShared(FnT build);
  /// Returns `value`, which several updates share, on the virtual graph of the
  /// weight.
  Value getHere(Value value);

  //===--------------------------------------------------------------------===//
  // States
  //===--------------------------------------------------------------------===//

  NamedAttrList getPlacementAttrs(const Parameter &parameter);
  State addState(StateSpec spec, const Parameter &parameter);
  State getWeight(const Parameter &parameter, Location loc);
  /// The states that no parameter has alone are arguments if any parameter is.
  State addShared(StringRef name);

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  bool accumulates() const { return settings.accumulationFactor > 1; }
  ReplicaGroupsAttr getGroups(const Parameter &parameter);
  /// The location of all ops of an update. Their cost is not a part of the cost
  /// of the layer, of which the gradient has the name.
  Location getLoc(const Parameter &parameter) const {
    return ipu::getNamedLoc("update of " + parameter.name,
                            terminator->getOperand(parameter.result).getLoc());
  }
  Location getLocOfSettings() {
    return ipu::getNamedLoc("optimizer settings", function.getLoc());
  }
  /// When `reduce` is called.
  GradientReduction getReduction(const Parameter &parameter) const;
  Value reduce(const Parameter &parameter, Value gradient);
  /// What is accumulated of the gradient, and combined over replicas.
  Value combine(const Parameter &parameter, Value gradient);
  /// Accumulates the gradient into the velocity of an SGD1.
  FailureOr<Value> accumulateVelocity(const Parameter &parameter,
                                      State &velocity, Value gradient);
  Value getCounter();
  /// `factor` times the number of replicas, computed once for each update.
  Value getScaledByReplicas(double factor);

  //===--------------------------------------------------------------------===//
  // Updates
  //===--------------------------------------------------------------------===//

  LogicalResult addUpdate(const Parameter &parameter);
  FailureOr<SmallVector<State>> addStates(const Parameter &parameter);
  /// Returns the state `count`, the number of updates of the weight, or the
  /// state of an earlier weight whose updates always have the same number.
  Value getCommonCount(const Parameter &parameter, Value count);
  FailureOr<ElementsAttr> getInitial(const Parameter &parameter,
                                     const OptimizerState &state);
  /// The optimizer with its streams and schedules as operands, and these.
  FailureOr<OptimizerAttr> resolve(const Parameter &parameter,
                                   SmallVectorImpl<Value> &operands);
  /// The value of setting `name`, which is no constant.
  FailureOr<Value> getSetting(const Parameter &parameter, StringRef name,
                              Attribute setting);
  FailureOr<Value> getStreamed(const Parameter &parameter, StringAttr name);
  Value getScheduled(ScheduleAttr schedule);
  LogicalResult scaleLoss(ArrayRef<Parameter> parameters);
  void scaleOperand(LossScaleOp op, FloatAttr number, Value given);

  bool sharesArguments = false;
  func::FuncOp function;
  const UpdateSettings &settings;
  SymbolTable &symbols;
  Operation *terminator;
  OpBuilder b;
  StateBuilder states;
  /// The virtual graph of the weight; may be null.
  Attribute vgraph;
  /// The op that new ops have the schedule of; may be null.
  Operation *source = nullptr;
  /// The op, and its virtual graph, that ops which several updates share have
  /// the schedule of; may be null.
  Operation *home = nullptr;
  Attribute homeVgraph;
  /// Copies of shared values, by their virtual graphs.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> copies;
  /// Which new ops have if there are several parts of the batch.
  ExecutionContext context = ExecutionContext::Normal;
  TrainingRole role = TrainingRole::Update;
  Value counter;
  std::map<double, Value> scaledByReplicas;
  Value updates;
  llvm::DenseMap<Attribute, Value> settingValues;
  /// The number of updates of the first weight with these groups and this
  /// placement.
  llvm::DenseMap<Attribute, Value> commonCounts;
};
} // namespace

void UpdateBuilder::notifyOperationInserted(Operation *op,
                                            OpBuilder::InsertPoint) {
  if (!isPlaceable(op) || isa<VariableOp, StreamOp>(op))
    return;
  if (vgraph)
    op->setAttr(PopDialect::kVgraphAttrName, vgraph);
  if (source)
    inheritSchedule(source, op);
  setTrainingRole(op, role);
  if (context != ExecutionContext::Normal && accumulates())
    op->setAttr(PopDialect::kExecutionContextAttrName,
                ExecutionContextAttr::get(b.getContext(), context));
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

static Attribute getVgraphAttr(Value value) {
  std::optional<int64_t> vgraph = getVgraph(value);
  return vgraph ? Builder(value.getContext()).getI64IntegerAttr(*vgraph)
                : Attribute();
}

/// Finds the op from which the gradients of the loss are computed. In a
/// function without such an op, this is an op of the first stage among those
/// that compute the gradients of weights.
void UpdateBuilder::findHome(ArrayRef<Parameter> parameters) {
  function.walk([&](LossScaleOp op) {
    home = op;
    return WalkResult::interrupt();
  });
  if (!home)
    for (const Parameter &parameter : parameters) {
      Operation *op = terminator->getOperand(parameter.result).getDefiningOp();
      if (op && (!home || getStage(op) < getStage(home)))
        home = op;
    }
  if (home)
    homeVgraph = getVgraphAttr(home->getResult(0));
}

template <typename FnT>
auto UpdateBuilder::buildShared(FnT build) {
  Attribute ownVgraph = std::exchange(vgraph, homeVgraph);
  Operation *ownSource = std::exchange(source, home);
  auto result = build();
  vgraph = ownVgraph;
  source = ownSource;
  return result;
}

Value UpdateBuilder::getHere(Value value) {
  Attribute from = getVgraphAttr(value);
  if (!vgraph || !from || vgraph == from)
    return value;
  Value &copy = copies[{value, vgraph}];
  if (copy)
    return copy;
  // It is executed as often as what computes the value.
  ExecutionContext outer = context;
  if (Operation *op = value.getDefiningOp())
    context = getExecutionContext(op).value_or(context);
  auto op = IpuCopyOp::create(b, value.getLoc(), value,
                              cast<IntegerAttr>(from).getInt(),
                              cast<IntegerAttr>(vgraph).getInt());
  op->removeAttr(PopDialect::kVgraphAttrName);
  context = outer;
  return copy = op.getResult(0);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The placement of the weight.
NamedAttrList UpdateBuilder::getPlacementAttrs(const Parameter &parameter) {
  if (VariableOp variable = parameter.variable)
    return getPlacement(variable).getValue();
  NamedAttrList placement;
  for (NamedAttribute attribute :
       mlir::function_interface_impl::getArgAttrs(function, parameter.argument))
    if (isPlacementAttr(attribute.getName()))
      placement.push_back(attribute);
  return placement;
}

State UpdateBuilder::addState(StateSpec spec, const Parameter &parameter) {
  // It is where the weight is.
  if (parameter.type)
    spec.placement = getPlacementAttrs(parameter);
  else if (homeVgraph)
    spec.placement.set(PopDialect::kVgraphAttrName, homeVgraph);
  bool isArgument = parameter.type ? !parameter.variable : sharesArguments;
  return states.add(spec, isArgument);
}

State UpdateBuilder::addShared(StringRef name) {
  auto type = RankedTensorType::get({}, b.getF32Type());
  return addState({name.str(), type, getZeros(type), {}}, Parameter());
}

State UpdateBuilder::getWeight(const Parameter &parameter, Location loc) {
  State weight;
  if (VariableOp variable = parameter.variable) {
    weight.ref = GetVariableOp::create(b, loc, RefType::get(parameter.type),
                                       variable.getSymName());
    weight.value = ReadOp::create(b, loc, weight.ref);
  } else {
    weight.argument = parameter.argument;
    weight.value = function.getArgument(parameter.argument);
  }
  return weight;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

ReplicaGroupsAttr UpdateBuilder::getGroups(const Parameter &parameter) {
  if (VariableOp variable = parameter.variable)
    return variable.getGroupsAttr();
  return function.getArgAttrOfType<ReplicaGroupsAttr>(
      parameter.argument, PopDialect::kGroupsAttrName);
}

GradientReduction
UpdateBuilder::getReduction(const Parameter &parameter) const {
  bool isReduced = settings.reduce != GradientReduction::None;
  return isReduced && parameter.getSharding() ? GradientReduction::Gradient
                                              : settings.reduce;
}

Value UpdateBuilder::reduce(const Parameter &parameter, Value gradient) {
  // Gradients of parts that were gathered are sums over replicas already.
  Location loc = getLoc(parameter);
  if (ReplicaGroupsAttr sharding = parameter.getSharding()) {
    if (settings.mean == GradientMean::None)
      return gradient;
    PopBuilder inner(b, loc);
    return inner.div(
        gradient, inner.splatLike(double(sharding.getGroupSize()), gradient));
  }
  auto kind = settings.mean == GradientMean::None
                  ? ipu::CollectiveOperator::Add
                  : ipu::CollectiveOperator::Mean;
  return AllReduceOp::create(b, loc, kind, gradient, getGroups(parameter));
}

Value UpdateBuilder::getCounter() {
  if (counter)
    return getHere(counter);
  counter = buildShared([&] {
    State state = addShared(kCounterState);
    PopBuilder inner(b, getLocOfSettings());
    Value one = inner.splatLike(1.0, state.value);
    Value count =
        inner.splatLike(double(settings.accumulationFactor), state.value);
    states.update(state,
                  inner.create<RemOp>(inner.add(state.value, one), count));
    return state.value;
  });
  return getHere(counter);
}

Value UpdateBuilder::combine(const Parameter &parameter, Value gradient) {
  Location loc = getLoc(parameter);
  GradientReduction reduction = getReduction(parameter);
  if (reduction == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  if (accumulates()) {
    Type elementType = parameter.type.getElementType();
    if (auto asked = dyn_cast_or_null<TypeAttr>(
            parameter.optimizer.getSetting("accumulator")))
      elementType = asked.getValue();
    auto type = RankedTensorType::get(parameter.type.getShape(), elementType);
    auto whole =
        RankedTensorType::get(getWholeType(parameter).getShape(), elementType);
    // Until they are reduced, accumulators differ.
    ReplicaGroupsAttr groups = getGroups(parameter);
    if (reduction == GradientReduction::Accumulator)
      groups = ReplicaGroupsAttr::getStrided(b.getContext(), 1, 1);
    State state = addState({(kAccumulatorState + parameter.name).str(), whole,
                            getZeros(whole), groups, /*placement=*/{},
                            parameter.getSharding()},
                           parameter);
    bool isMean = settings.mean == GradientMean::Running;
    auto kind = isMean ? AccumulateKind::Mean : AccumulateKind::Add;
    if (!isAccumulatorType(parameter.type.getElementType(), elementType))
      gradient = CastOp::create(b, loc, type, gradient);
    Value step = isMean ? getCounter() : Value();
    gradient = states.accumulate(state, kind, gradient, /*factor=*/1.0, step);
    context = ExecutionContext::AccumulateOuter;
    gradient = states.readAccumulated(loc, state, gradient);
    states.update(state, ConstantOp::create(b, loc, getZeros(type)));
  }
  context = ExecutionContext::AccumulateOuter;
  if (reduction == GradientReduction::Accumulator)
    gradient = reduce(parameter, gradient);
  return gradient;
}

/// Whether an SGD1 adds parts of the batch or of the replicas to its velocity.
/// A gradient that is clipped is needed by itself.
static bool isInVelocity(func::FuncOp function, OptimizerAttr optimizer,
                         const UpdateSettings &settings,
                         GradientReduction reduction) {
  return !function->hasAttr(PopDialect::kClipNormsAttrName) &&
         optimizer.getKind() == OptimizerKind::SGD1 &&
         !optimizer.isSet("nesterov") &&
         (settings.accumulationFactor > 1 ||
          reduction == GradientReduction::Accumulator);
}

Value UpdateBuilder::getScaledByReplicas(double factor) {
  Value &scaled = scaledByReplicas[factor];
  if (scaled)
    return getHere(scaled);
  Location loc = getLocOfSettings();
  ExecutionContext outer =
      std::exchange(context, ExecutionContext::OptimizerFromHost);
  scaled = buildShared([&] {
    Value own = PopBuilder(b, loc).splat(factor, b.getF32Type());
    return AllReduceOp::create(b, loc, ipu::CollectiveOperator::Add, own,
                               ReplicaGroupsAttr())
        .getResult();
  });
  context = outer;
  return getHere(scaled);
}

FailureOr<Value> UpdateBuilder::accumulateVelocity(const Parameter &parameter,
                                                   State &velocity,
                                                   Value gradient) {
  double factor = 1;
  for (StringRef name : {"dampening", "velocity_scaling", "loss_scale"}) {
    std::optional<double> constant = parameter.optimizer.getConstant(name);
    if (!constant)
      return function.emitOpError()
             << "adds gradients of '" << parameter.name
             << "' to the velocity of 'sgd1'; expects setting '" << name
             << "' to be constant, or optimizer 'sgd2'";
    factor = name == "dampening"    ? factor * (1 - *constant)
             : name == "loss_scale" ? factor / *constant
                                    : factor * *constant;
  }
  if (settings.mean == GradientMean::Running)
    return function.emitOpError()
           << "adds gradients of '" << parameter.name
           << "' to the velocity of 'sgd1', which cannot be a running mean; "
              "expects option 'mean' to be none or post, or optimizer 'sgd2'";
  if (settings.mean == GradientMean::Post)
    factor /= double(settings.accumulationFactor);
  GradientReduction reduction = getReduction(parameter);
  bool isReduced = reduction == GradientReduction::Accumulator;
  // The mean over replicas leaves what all of them have from the last update.
  Value scaled;
  if (isReduced && settings.mean == GradientMean::None) {
    if (ReplicaGroupsAttr groups = getGroups(parameter))
      factor *= double(groups.getGroupSize());
    else
      scaled = getScaledByReplicas(factor);
  }
  Location loc = getLoc(parameter);
  if (reduction == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  auto type = cast<RankedTensorType>(velocity.value.getType());
  if (!isAccumulatorType(parameter.type.getElementType(),
                         type.getElementType()))
    gradient = CastOp::create(b, loc, type, gradient);
  Value sum = states.accumulate(velocity, AccumulateKind::Add, gradient,
                                scaled ? 1.0 : factor, /*step=*/{}, scaled);
  context = ExecutionContext::AccumulateOuter;
  sum = states.readAccumulated(loc, velocity, sum);
  if (isReduced)
    sum = AllReduceOp::create(b, loc, ipu::CollectiveOperator::Mean, sum,
                              getGroups(parameter))
              .getResult();
  return sum;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

FailureOr<Value> UpdateBuilder::getStreamed(const Parameter &parameter,
                                            StringAttr name) {
  Location loc = getLocOfSettings();
  auto type = RankedTensorType::get({}, b.getF32Type());
  Operation *symbol = symbols.lookup(name);
  auto stream = dyn_cast_or_null<StreamOp>(symbol);
  if (symbol && (!stream || stream.getType() != type ||
                 stream.getDirection() != ipu::StreamDirection::HostToDevice)) {
    InFlightDiagnostic diag =
        function.emitOpError()
        << "has an optimizer of '" << parameter.name
        << "' with a setting that stream '" << name.getValue()
        << "' gives; expects a stream of " << type << " to the device";
    diag.attachNote(symbol->getLoc()) << "the symbol is defined here";
    return diag;
  }
  if (!stream) {
    stream = StreamOp::create(b, loc, name.getValue(),
                              ipu::StreamDirection::HostToDevice,
                              /*broadcast=*/true, type, /*depth=*/1,
                              /*default_value=*/{}, /*transfers=*/{});
    stream->remove();
    symbols.insert(stream, Block::iterator(function));
  }
  return HostLoadOp::create(b, loc, type, stream.getSymName()).getResult();
}

Value UpdateBuilder::getScheduled(ScheduleAttr schedule) {
  Location loc = getLocOfSettings();
  if (!updates) {
    State state = addShared(kUpdatesState);
    updates = state.value;
    PopBuilder inner(b, loc);
    states.update(state, inner.add(updates, inner.splatLike(1.0, updates)));
  }
  return buildSchedule(b, loc, schedule, updates);
}

FailureOr<Value> UpdateBuilder::getSetting(const Parameter &parameter,
                                           StringRef name, Attribute setting) {
  Value &value = settingValues[setting];
  if (value)
    return getHere(value);
  if (auto schedule = dyn_cast<ScheduleAttr>(setting)) {
    value = buildShared([&] { return getScheduled(schedule); });
    return getHere(value);
  }
  auto stream = dyn_cast<FlatSymbolRefAttr>(setting);
  if (!stream)
    return function.emitOpError()
           << "has an optimizer of '" << parameter.name << "' whose setting '"
           << name
           << "' is 'operand'; expects a number, a stream or a schedule";
  FailureOr<Value> streamed =
      buildShared([&] { return getStreamed(parameter, stream.getAttr()); });
  if (failed(streamed))
    return failure();
  value = *streamed;
  return getHere(value);
}

FailureOr<OptimizerAttr>
UpdateBuilder::resolve(const Parameter &parameter,
                       SmallVectorImpl<Value> &operands) {
  OptimizerAttr optimizer = parameter.optimizer;
  for (NamedAttribute setting : parameter.optimizer.getSettings()) {
    if (!isa<FlatSymbolRefAttr, ScheduleAttr, UnitAttr>(setting.getValue()))
      continue;
    FailureOr<Value> value =
        getSetting(parameter, setting.getName(), setting.getValue());
    if (failed(value))
      return failure();
    operands.push_back(*value);
    optimizer = optimizer.withSetting(setting.getName(), b.getUnitAttr());
  }
  return optimizer;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

FailureOr<ElementsAttr> UpdateBuilder::getInitial(const Parameter &parameter,
                                                  const OptimizerState &state) {
  OptimizerAttr optimizer = parameter.optimizer;
  double factor = 0;
  if (state.name == kMasterState)
    factor = 1;
  else if (optimizer.getKind() == OptimizerKind::SGD1 &&
           optimizer.getConstant("weight_decay") != 0.0)
    for (StringRef name : {"weight_decay", "dampening", "velocity_scaling"}) {
      std::optional<double> constant = optimizer.getConstant(name);
      if (!constant)
        return function.emitOpError()
               << "has an optimizer of '" << parameter.name
               << "' whose velocity starts from the weight; expects setting '"
               << name << "' to be constant, or optimizer 'sgd2'";
      factor = name == "weight_decay" ? *constant
               : name == "dampening"  ? factor * (1 - *constant)
                                      : factor * *constant;
    }
  if (factor == 0)
    return getZeros(state.type);
  VariableOp variable = parameter.variable;
  auto weight = variable
                    ? variable.getValue()
                    : function.getArgAttrOfType<ElementsAttr>(
                          parameter.argument, PopDialect::kDefaultAttrName);
  if (!weight)
    return function.emitOpError()
           << "has a state '" << state.name << parameter.name
           << "' that starts from the weight; expects attribute '"
           << PopDialect::kDefaultAttrName << "' of the argument";
  auto shape = cast<RankedTensorType>(weight.getType());
  ElementsAttr initial =
      getScaled(weight, shape.clone(state.type.getElementType()), factor);
  if (!initial)
    return function.emitOpError()
           << "has a state '" << state.name << parameter.name
           << "' that starts from the weight; expects "
           << (isa<DenseResourceElementsAttr>(weight)
                   ? "a resource that has the weight's values"
                   : "the weight's values to be dense");
  return initial;
}

FailureOr<SmallVector<State>>
UpdateBuilder::addStates(const Parameter &parameter) {
  SmallVector<State> added;
  for (const OptimizerState &state :
       getOptimizerStates(parameter.optimizer, getWholeType(parameter))) {
    FailureOr<ElementsAttr> initial = getInitial(parameter, state);
    if (failed(initial))
      return failure();
    ReplicaGroupsAttr groups = getGroups(parameter), sharding;
    if (state.name != kStepState)
      sharding = parameter.getSharding();
    added.push_back(addState({(state.name + parameter.name).str(), state.type,
                              *initial, groups, /*placement=*/{}, sharding},
                             parameter));
  }
  return added;
}

/// All counts of a function start from 0 and grow by 1 in each update. So all
/// updates can use one of them, and what depends on it, such as the powers that
/// correct biases, is computed once.
Value UpdateBuilder::getCommonCount(const Parameter &parameter, Value count) {
  NamedAttrList schedule = getPlacementAttrs(parameter);
  if (source)
    schedule.append(b.getStringAttr("schedule"), getSchedule(source));
  if (ReplicaGroupsAttr groups = getGroups(parameter))
    schedule.append(b.getStringAttr("groups"), groups);
  Attribute key = schedule.getDictionary(b.getContext());
  Value common = commonCounts.try_emplace(key, count).first->second;
  if (auto read = count.getDefiningOp<ReadOp>(); read && common != count)
    read.erase();
  return common;
}

LogicalResult UpdateBuilder::addUpdate(const Parameter &parameter) {
  Value gradient = terminator->getOperand(parameter.result);
  source = gradient.getDefiningOp();
  vgraph = getPlacementAttrs(parameter).get(PopDialect::kVgraphAttrName);
  Attribute vgraphOfGradient = getVgraphAttr(gradient);
  if (!vgraph)
    vgraph = vgraphOfGradient;
  if (vgraphOfGradient && vgraphOfGradient != vgraph)
    return function.emitOpError()
           << "has the gradient of '" << parameter.name << "' on virtual graph "
           << cast<IntegerAttr>(vgraphOfGradient).getInt()
           << ", but the weight is on virtual graph "
           << cast<IntegerAttr>(vgraph).getInt()
           << "; copy the gradient with 'pop.ipu_copy'";
  context = ExecutionContext::AccumulateOuter;
  SmallVector<Value> operands;
  FailureOr<OptimizerAttr> optimizer = resolve(parameter, operands);
  if (failed(optimizer))
    return failure();
  FailureOr<SmallVector<State>> kept = addStates(parameter);
  if (failed(kept))
    return failure();
  Location loc = getLoc(parameter);
  State weight = getWeight(parameter, loc);
  SmallVector<Value> values;
  for (auto [spec, state] : llvm::zip_equal(
           getOptimizerStates(parameter.optimizer, getWholeType(parameter)),
           *kept))
    values.push_back(spec.name == kStepState
                         ? getCommonCount(parameter, state.value)
                         : state.value);
  SmallVector<Type> stateTypes = llvm::to_vector(ValueRange(values).getTypes());
  context = ExecutionContext::Normal;
  if (isInVelocity(function, parameter.optimizer, settings,
                   getReduction(parameter))) {
    FailureOr<Value> velocity =
        accumulateVelocity(parameter, kept->front(), gradient);
    if (failed(velocity))
      return failure();
    values.front() = *velocity;
    gradient = Value();
  } else {
    gradient = combine(parameter, gradient);
    Type elementType = parameter.type.getElementType();
    if (!isAccumulatorType(elementType, getElementTypeOrSelf(gradient)))
      gradient = CastOp::create(b, loc, parameter.type, gradient);
  }
  context = ExecutionContext::AccumulateOuter;
  int64_t accumulations =
      settings.mean == GradientMean::Post ? settings.accumulationFactor : 1;
  auto step = OptimizerStepOp::create(b, loc, parameter.type, stateTypes,
                                      *optimizer, weight.value, gradient,
                                      values, operands, accumulations);
  if (weight.ref) {
    states.update(weight, step.getUpdated());
  } else {
    terminator->setOperand(parameter.result, step.getUpdated());
    function.setResultAttrs(
        parameter.result,
        getUpdateAttrs(b.getContext(), parameter.argument, parameter.name));
  }
  for (auto [state, value] : llvm::zip_equal(*kept, step.getUpdatedStates()))
    states.update(state, value);
  return success();
}

/// Lets what the gradients come from be the loss scale instead of ones.
LogicalResult UpdateBuilder::scaleLoss(ArrayRef<Parameter> parameters) {
  Attribute scale = parameters.front().optimizer.getSetting("loss_scale");
  for (const Parameter &parameter : parameters)
    if (parameter.optimizer.getSetting("loss_scale") != scale)
      return function.emitOpError()
             << "has optimizers of '" << parameters.front().name << "' and '"
             << parameter.name << "' with different settings 'loss_scale', "
             << scale << " and " << parameter.optimizer.getSetting("loss_scale")
             << "; expects one loss scale";
  auto number = dyn_cast<FloatAttr>(scale);
  if (number && number.getValueAsDouble() == 1.0)
    return success();
  SmallVector<LossScaleOp> ops;
  function.walk([&](LossScaleOp op) { ops.push_back(op); });
  if (ops.empty())
    return function.emitOpError() << "expects a 'pop.loss_scale', from which "
                                     "the gradients of the loss are computed";
  Value given;
  if (!number) {
    b.setInsertionPointToStart(&function.getBody().front());
    context = ExecutionContext::OptimizerFromHost;
    FailureOr<Value> setting =
        getSetting(parameters.front(), "loss_scale", scale);
    if (failed(setting))
      return failure();
    given = *setting;
  }
  context = ExecutionContext::Normal;
  for (LossScaleOp op : ops)
    scaleOperand(op, number, given);
  role = TrainingRole::Update;
  b.setInsertionPoint(terminator);
  return success();
}

/// Multiplies what `op` gives by `number` or, if it is null, by `given`: in f32
/// at least, because a scale may be greater than the largest f16.
void UpdateBuilder::scaleOperand(LossScaleOp op, FloatAttr number,
                                 Value given) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  RankedTensorType wide = type.clone(
      type.getElementType().isF64() ? type.getElementType() : b.getF32Type());
  b.setInsertionPoint(op);
  source = op;
  vgraph = getVgraphAttr(op);
  role = TrainingRole::Backward;
  PopBuilder inner(b, loc);
  Value operand = op.getInput();
  DenseElementsAttr constant;
  if (number && matchPattern(operand, m_Constant(&constant))) {
    Operation *ones = operand.getDefiningOp();
    operand =
        inner.constant(getScaled(constant, wide, number.getValueAsDouble()));
    op.getInputMutable().assign(inner.cast(operand, type.getElementType()));
    if (ones->use_empty())
      ones->erase();
    return;
  }
  Type wideElement = wide.getElementType();
  given = number ? inner.splat(number.getValueAsDouble(), wideElement)
                 : getHere(given);
  Value scale = inner.cast(given, wideElement);
  operand = inner.mul(inner.cast(operand, wideElement), scale);
  op.getInputMutable().assign(inner.cast(operand, type.getElementType()));
}

LogicalResult UpdateBuilder::run(ArrayRef<Parameter> parameters) {
  sharesArguments = llvm::any_of(parameters, [](const Parameter &parameter) {
    return !parameter.variable;
  });
  findHome(parameters);
  if (failed(scaleLoss(parameters)))
    return failure();
  for (const Parameter &parameter : parameters)
    if (failed(addUpdate(parameter)))
      return failure();
  // What updates a variable is not returned.
  BitVector erased(function.getNumResults());
  for (const Parameter &parameter : parameters)
    if (parameter.variable)
      erased.set(parameter.result);
  terminator->eraseOperands(erased);
  (void)function.eraseResults(erased);
  return success();
}

LogicalResult mlir::pop::addUpdates(func::FuncOp function,
                                    ArrayRef<Parameter> parameters,
                                    const UpdateSettings &settings,
                                    SymbolTable &symbols) {
  return UpdateBuilder(function, settings, symbols).run(parameters);
}
