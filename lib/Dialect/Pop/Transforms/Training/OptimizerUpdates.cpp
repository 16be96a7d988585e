//===- OptimizerUpdates.cpp - Updates of weights of a function --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitialStates.h"
#include "Schedules.h"
#include "UpdateBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::pop;

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
       getOptimizerStates(parameter.optimizer, parameter.getWholeType())) {
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

/// Returns whether an SGD1 adds parts of the batch or of the replicas to its
/// velocity.
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
           getOptimizerStates(parameter.optimizer, parameter.getWholeType()),
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
  if (ReplicaGroupsAttr sharding = parameter.getSharding())
    step->setAttr(kStepShardingAttrName, sharding);
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
