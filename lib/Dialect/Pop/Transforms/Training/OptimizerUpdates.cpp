//===- OptimizerUpdates.cpp - Updates of weights of a function --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizerUpdates.h"

#include "InitialStates.h"
#include "Schedules.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

using namespace mlir;
using namespace mlir::pop;

/// Name of the state that counts updates, of which schedules depend.
static constexpr StringLiteral kUpdatesState = "Updates___";
/// Name of the state that counts parts of the batch.
static constexpr StringLiteral kCounterState = "Counter___";
static constexpr StringLiteral kAccumulatorState = "Accum___";

static int64_t getGroupSize(ReplicaGroupsAttr groups) {
  return llvm::product_of(groups.getSizes());
}

namespace {
/// What the program keeps: the value before this execution, and where the next
/// one goes.
struct State {
  Value value;
  /// The argument, if there is no ref to a variable.
  unsigned argument = 0;
  Value ref;
};

/// What a state is for, and how it starts.
struct StateSpec {
  std::string name;
  RankedTensorType type;
  ElementsAttr initial;
  ReplicaGroupsAttr groups;
};

/// Builds the updates at the end of a function. Ops have the virtual graph,
/// stage and phases of what makes the gradient.
class UpdateBuilder : OpBuilder::Listener {
public:
  UpdateBuilder(func::FuncOp function, const UpdateSettings &settings,
                SymbolTable &symbols)
      : function(function), settings(settings), symbols(symbols),
        terminator(function.getBody().front().getTerminator()),
        b(terminator, this) {}

  LogicalResult run(ArrayRef<Parameter> parameters);

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;

  //===--------------------------------------------------------------------===//
  // States
  //===--------------------------------------------------------------------===//

  State addState(const StateSpec &spec, const Parameter &parameter);
  State addArgument(const StateSpec &spec, const Parameter &parameter);
  State addVariable(const StateSpec &spec);
  State getWeight(const Parameter &parameter, Location loc);
  void update(const State &state, Value value);
  /// The attributes of a result that updates an argument of this name.
  DictionaryAttr getUpdateAttrs(unsigned argument, StringRef name);
  /// The states that no parameter has alone are arguments if any parameter is.
  State addShared(StringRef name);

  //===--------------------------------------------------------------------===//
  // Gradients
  //===--------------------------------------------------------------------===//

  bool accumulates() const { return settings.accumulationFactor > 1; }
  ReplicaGroupsAttr getGroups(const Parameter &parameter);
  Value reduce(const Parameter &parameter, Value gradient);
  /// What is accumulated of the gradient, and combined over replicas.
  Value combine(const Parameter &parameter, Value gradient);
  /// Accumulates the gradient into the velocity of an SGD1.
  FailureOr<Value> accumulateVelocity(const Parameter &parameter,
                                      Value velocity, Value gradient);
  Value getCounter();

  //===--------------------------------------------------------------------===//
  // Updates
  //===--------------------------------------------------------------------===//

  LogicalResult addUpdate(const Parameter &parameter);
  FailureOr<SmallVector<State>> addStates(const Parameter &parameter);
  FailureOr<ElementsAttr> getInitial(const Parameter &parameter,
                                     const OptimizerState &state);
  /// The optimizer with its streams and schedules as operands, and these.
  FailureOr<OptimizerAttr> resolve(const Parameter &parameter,
                                   SmallVectorImpl<Value> &operands);
  FailureOr<Value> getStreamed(const Parameter &parameter, StringAttr name);
  Value getScheduled(ScheduleAttr schedule);
  LogicalResult scaleLoss(ArrayRef<Parameter> parameters);

  bool sharesArguments = false;
  func::FuncOp function;
  const UpdateSettings &settings;
  SymbolTable &symbols;
  Operation *terminator;
  OpBuilder b;
  /// The op that new ops have the schedule of; may be null.
  Operation *source = nullptr;
  /// Whether new ops are executed once for all parts of the batch.
  bool isOuter = false;
  Value counter;
  Value updates;
  llvm::DenseMap<Attribute, Value> settingValues;
};
} // namespace

void UpdateBuilder::notifyOperationInserted(Operation *op,
                                            OpBuilder::InsertPoint) {
  if (!isPlaceable(op) || isa<VariableOp, StreamOp>(op))
    return;
  if (source)
    inheritSchedule(source, op);
  if (isOuter && accumulates())
    op->setAttr(PopDialect::kExecutionContextAttrName,
                ExecutionContextAttr::get(b.getContext(),
                                          ExecutionContext::AccumulateOuter));
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

State UpdateBuilder::addArgument(const StateSpec &spec,
                                 const Parameter &parameter) {
  MLIRContext *context = b.getContext();
  NamedAttrList attributes;
  // It is where the weight is.
  if (!parameter.variable && parameter.type)
    for (NamedAttribute attribute : mlir::function_interface_impl::getArgAttrs(
             function, parameter.argument))
      if (isPlacementAttr(attribute.getName()))
        attributes.push_back(attribute);
  attributes.set(PopDialect::kNameAttrName, b.getStringAttr(spec.name));
  attributes.set(PopDialect::kDefaultAttrName, spec.initial);
  if (spec.groups)
    attributes.set(PopDialect::kGroupsAttrName, spec.groups);
  State state;
  state.argument = function.getNumArguments();
  (void)function.insertArgument(
      state.argument, spec.type, attributes.getDictionary(context),
      NameLoc::get(b.getStringAttr(spec.name), function.getLoc()));
  state.value = function.getArgument(state.argument);
  return state;
}

State UpdateBuilder::addVariable(const StateSpec &spec) {
  Location loc = function.getLoc();
  bool isEach = spec.groups && getGroupSize(spec.groups) == 1;
  auto variable = VariableOp::create(
      b, loc, b.getStringAttr(spec.name), TypeAttr::get(spec.type),
      spec.initial, spec.groups,
      RetrievalAttr::get(b.getContext(), isEach ? ipu::Retrieval::AllReplicas
                                                : ipu::Retrieval::OnePerGroup),
      /*buffer=*/nullptr, /*row=*/nullptr, /*sharding=*/nullptr);
  variable->remove();
  symbols.insert(variable, Block::iterator(function));
  State state;
  state.ref = GetVariableOp::create(b, loc, RefType::get(spec.type),
                                    variable.getSymName());
  state.value = ReadOp::create(b, loc, state.ref);
  return state;
}

State UpdateBuilder::addState(const StateSpec &spec,
                              const Parameter &parameter) {
  bool isArgument = parameter.type ? !parameter.variable : sharesArguments;
  return isArgument ? addArgument(spec, parameter) : addVariable(spec);
}

State UpdateBuilder::addShared(StringRef name) {
  auto type = RankedTensorType::get({}, b.getF32Type());
  return addState({name.str(), type, getZeros(type), {}}, Parameter());
}

void UpdateBuilder::update(const State &state, Value value) {
  if (state.ref) {
    CopyInPlaceOp::create(b, value.getLoc(), state.ref, value);
    return;
  }
  unsigned index = function.getNumResults();
  auto name = function.getArgAttrOfType<StringAttr>(state.argument,
                                                    PopDialect::kNameAttrName);
  (void)function.insertResult(index, value.getType(),
                              getUpdateAttrs(state.argument, name.getValue()));
  terminator->insertOperands(index, value);
}

DictionaryAttr UpdateBuilder::getUpdateAttrs(unsigned argument,
                                             StringRef name) {
  NamedAttribute attributes[] = {
      {b.getStringAttr(PopDialect::kNameAttrName),
       b.getStringAttr("Updated___" + name)},
      {b.getStringAttr(PopDialect::kUpdatesAttrName),
       GraphValueAttr::get(b.getContext(), GraphValueKind::Argument,
                           argument)}};
  return b.getDictionaryAttr(attributes);
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

Value UpdateBuilder::reduce(const Parameter &parameter, Value gradient) {
  auto kind = settings.mean == GradientMean::None
                  ? ipu::CollectiveOperator::Add
                  : ipu::CollectiveOperator::Mean;
  return AllReduceOp::create(b, gradient.getLoc(), kind, gradient,
                             getGroups(parameter));
}

Value UpdateBuilder::getCounter() {
  if (counter)
    return counter;
  Location loc = function.getLoc();
  State state = addShared(kCounterState);
  counter = state.value;
  auto constant = [&](double value) {
    return ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<RankedTensorType>(counter.getType()),
                               float(value)));
  };
  Value one = constant(1.0);
  Value count = constant(double(settings.accumulationFactor));
  Value next = AddOp::create(b, loc, counter, one);
  update(state, RemOp::create(b, loc, next, count));
  return counter;
}

Value UpdateBuilder::combine(const Parameter &parameter, Value gradient) {
  Location loc = gradient.getLoc();
  if (settings.reduce == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  if (accumulates()) {
    Type elementType = parameter.type.getElementType();
    if (auto asked = dyn_cast_or_null<TypeAttr>(
            parameter.optimizer.getSetting("accumulator")))
      elementType = asked.getValue();
    auto type = RankedTensorType::get(parameter.type.getShape(), elementType);
    // Until they are reduced, accumulators differ.
    ReplicaGroupsAttr groups = getGroups(parameter);
    if (settings.reduce == GradientReduction::Accumulator)
      groups = ReplicaGroupsAttr::getStrided(b.getContext(), 1, 1);
    State state = addState({(kAccumulatorState + parameter.name).str(), type,
                            getZeros(type), groups},
                           parameter);
    bool isMean = settings.mean == GradientMean::Running;
    auto kind = isMean ? AccumulateKind::Mean : AccumulateKind::Add;
    if (!isAccumulatorType(parameter.type.getElementType(), elementType))
      gradient = CastOp::create(b, loc, type, gradient);
    gradient = AccumulateOp::create(
        b, loc, type, AccumulateKindAttr::get(b.getContext(), kind),
        state.value, gradient, /*factor_tensor=*/Value(),
        isMean ? getCounter() : Value(), b.getF64FloatAttr(1.0));
    isOuter = true;
    update(state, ConstantOp::create(b, loc, getZeros(type)));
  }
  isOuter = true;
  if (settings.reduce == GradientReduction::Accumulator)
    gradient = reduce(parameter, gradient);
  return gradient;
}

/// Whether an SGD1 adds parts of the batch or of the replicas to its velocity.
static bool isInVelocity(OptimizerAttr optimizer,
                         const UpdateSettings &settings) {
  return optimizer.getKind() == OptimizerKind::SGD1 &&
         !optimizer.isSet("nesterov") &&
         (settings.accumulationFactor > 1 ||
          settings.reduce == GradientReduction::Accumulator);
}

FailureOr<Value> UpdateBuilder::accumulateVelocity(const Parameter &parameter,
                                                   Value velocity,
                                                   Value gradient) {
  double factor = 1;
  for (StringRef name : {"dampening", "velocity_scaling", "loss_scale"}) {
    std::optional<double> constant = parameter.optimizer.getConstant(name);
    if (!constant)
      return function.emitOpError()
             << "adds gradients of '" << parameter.name
             << "' to the velocity of 'sgd1'; expects a constant '" << name
             << "', or 'sgd2'";
    factor = name == "dampening"    ? factor * (1 - *constant)
             : name == "loss_scale" ? factor / *constant
                                    : factor * *constant;
  }
  if (settings.mean == GradientMean::Running)
    return function.emitOpError()
           << "adds gradients of '" << parameter.name
           << "' to the velocity of 'sgd1', which cannot be a running mean; "
              "expects option 'mean' to be none or post, or 'sgd2'";
  if (settings.mean == GradientMean::Post)
    factor /= double(settings.accumulationFactor);
  bool isReduced = settings.reduce == GradientReduction::Accumulator;
  // The mean over replicas leaves what all of them have from the last update.
  if (isReduced && settings.mean == GradientMean::None) {
    ReplicaGroupsAttr groups = getGroups(parameter);
    if (!groups && settings.replicas == 0)
      return function.emitOpError()
             << "adds gradients of '" << parameter.name
             << "' of all replicas to the velocity of 'sgd1'; expects option "
                "'replicas'";
    factor *= double(groups ? getGroupSize(groups) : settings.replicas);
  }
  Location loc = gradient.getLoc();
  if (settings.reduce == GradientReduction::Gradient)
    gradient = reduce(parameter, gradient);
  auto type = cast<RankedTensorType>(velocity.getType());
  if (!isAccumulatorType(parameter.type.getElementType(),
                         type.getElementType()))
    gradient = CastOp::create(b, loc, type, gradient);
  velocity = AccumulateOp::create(
      b, loc, type,
      AccumulateKindAttr::get(b.getContext(), AccumulateKind::Add), velocity,
      gradient, /*factor_tensor=*/Value(), /*step=*/Value(),
      b.getF64FloatAttr(factor));
  isOuter = true;
  if (isReduced)
    velocity = AllReduceOp::create(b, loc, ipu::CollectiveOperator::Mean,
                                   velocity, getGroups(parameter))
                   .getResult();
  return velocity;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

FailureOr<Value> UpdateBuilder::getStreamed(const Parameter &parameter,
                                            StringAttr name) {
  Location loc = function.getLoc();
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
    diag.attachNote(symbol->getLoc()) << "the symbol is this";
    return diag;
  }
  if (!stream) {
    stream = StreamOp::create(b, loc, name.getValue(),
                              ipu::StreamDirection::HostToDevice,
                              /*broadcast=*/true, type, /*depth=*/1,
                              /*default_value=*/{});
    stream->remove();
    symbols.insert(stream, Block::iterator(function));
  }
  return HostLoadOp::create(b, loc, type, stream.getSymName()).getResult();
}

Value UpdateBuilder::getScheduled(ScheduleAttr schedule) {
  Location loc = function.getLoc();
  if (!updates) {
    State state = addShared(kUpdatesState);
    updates = state.value;
    Value one = ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<RankedTensorType>(updates.getType()),
                               1.0F));
    update(state, AddOp::create(b, loc, updates, one));
  }
  return buildSchedule(b, loc, schedule, updates);
}

FailureOr<OptimizerAttr>
UpdateBuilder::resolve(const Parameter &parameter,
                       SmallVectorImpl<Value> &operands) {
  OptimizerAttr optimizer = parameter.optimizer;
  for (NamedAttribute setting : parameter.optimizer.getSettings()) {
    Attribute attribute = setting.getValue();
    if (isa<UnitAttr>(attribute))
      return function.emitOpError()
             << "has an optimizer of '" << parameter.name << "' whose setting '"
             << setting.getName().getValue()
             << "' is 'operand'; expects a number, a stream or a schedule";
    if (!isa<FlatSymbolRefAttr, ScheduleAttr>(attribute))
      continue;
    Value &value = settingValues[attribute];
    if (auto schedule = dyn_cast<ScheduleAttr>(attribute); schedule && !value)
      value = getScheduled(schedule);
    if (!value) {
      FailureOr<Value> streamed =
          getStreamed(parameter, cast<FlatSymbolRefAttr>(attribute).getAttr());
      if (failed(streamed))
        return failure();
      value = *streamed;
    }
    operands.push_back(value);
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
               << "' whose velocity starts from the weight; expects a constant "
                  "'"
               << name << "', or 'sgd2'";
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
           << "' that starts from the weight; expects values that are dense, "
              "or "
              "in a resource that is there";
  return initial;
}

FailureOr<SmallVector<State>>
UpdateBuilder::addStates(const Parameter &parameter) {
  SmallVector<State> states;
  for (const OptimizerState &state :
       getOptimizerStates(parameter.optimizer, parameter.type)) {
    FailureOr<ElementsAttr> initial = getInitial(parameter, state);
    if (failed(initial))
      return failure();
    ReplicaGroupsAttr groups = getGroups(parameter);
    // A variable of several groups has a dimension more for them.
    VariableOp variable = parameter.variable;
    ElementsAttr value = *initial;
    auto held = variable ? cast<RankedTensorType>(variable.getValue().getType())
                         : parameter.type;
    if (held != parameter.type && value.getType() == state.type) {
      SmallVector<int64_t> shape(
          held.getShape().drop_back(parameter.type.getRank()));
      llvm::append_range(shape, state.type.getShape());
      value =
          getZeros(RankedTensorType::get(shape, state.type.getElementType()));
    }
    states.push_back(addState(
        {(state.name + parameter.name).str(), state.type, value, groups},
        parameter));
  }
  return states;
}

LogicalResult UpdateBuilder::addUpdate(const Parameter &parameter) {
  Value gradient = terminator->getOperand(parameter.result);
  source = gradient.getDefiningOp();
  isOuter = true;
  SmallVector<Value> operands;
  FailureOr<OptimizerAttr> optimizer = resolve(parameter, operands);
  if (failed(optimizer))
    return failure();
  FailureOr<SmallVector<State>> states = addStates(parameter);
  if (failed(states))
    return failure();
  Location loc = gradient.getLoc();
  State weight = getWeight(parameter, loc);
  SmallVector<Value> values = llvm::map_to_vector(
      *states, [](const State &state) { return state.value; });
  isOuter = false;
  if (isInVelocity(parameter.optimizer, settings)) {
    FailureOr<Value> velocity =
        accumulateVelocity(parameter, values.front(), gradient);
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
  isOuter = true;
  SmallVector<Type> stateTypes = llvm::map_to_vector(
      *states, [](const State &state) { return state.value.getType(); });
  int64_t accumulations =
      settings.mean == GradientMean::Post ? settings.accumulationFactor : 1;
  auto step = OptimizerStepOp::create(b, loc, parameter.type, stateTypes,
                                      *optimizer, weight.value, gradient,
                                      values, operands, accumulations);
  if (weight.ref) {
    update(weight, step.getUpdated());
  } else {
    terminator->setOperand(parameter.result, step.getUpdated());
    function.setResultAttrs(parameter.result,
                            getUpdateAttrs(parameter.argument, parameter.name));
  }
  for (auto [state, value] : llvm::zip_equal(*states, step.getUpdatedStates()))
    update(state, value);
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
             << "; expects one for the loss";
  auto number = dyn_cast<FloatAttr>(scale);
  if (!number)
    return function.emitOpError()
           << "expects a constant setting 'loss_scale' but got " << scale;
  if (number.getValueAsDouble() == 1.0)
    return success();
  SmallVector<Operation *> seeds;
  function.walk([&](Operation *op) {
    if (op->hasAttr(PopDialect::kLossScaleAttrName) && op->getNumResults() == 1)
      seeds.push_back(op);
  });
  if (seeds.empty())
    return function.emitOpError()
           << "expects an op with attribute '" << PopDialect::kLossScaleAttrName
           << "', by which the loss is scaled";
  for (Operation *seed : seeds) {
    auto type = dyn_cast<RankedTensorType>(seed->getResult(0).getType());
    if (!type || !isa<FloatType>(type.getElementType()))
      return seed->emitOpError() << "expects the loss scale to be of floats";
    b.setInsertionPointAfter(seed);
    source = seed;
    isOuter = false;
    auto value = ConstantOp::create(
        b, seed->getLoc(),
        getScaled(DenseElementsAttr::get(
                      RankedTensorType::get(type.getShape(), b.getF64Type()),
                      number.getValueAsDouble()),
                  type, 1.0));
    value->setAttr(PopDialect::kLossScaleAttrName, b.getUnitAttr());
    seed->getResult(0).replaceAllUsesWith(value.getResult());
    seed->erase();
  }
  b.setInsertionPoint(terminator);
  return success();
}

LogicalResult UpdateBuilder::run(ArrayRef<Parameter> parameters) {
  sharesArguments = llvm::any_of(parameters, [](const Parameter &parameter) {
    return !parameter.variable;
  });
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
