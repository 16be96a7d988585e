//===- Differentiator.cpp - Backward graphs of functions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differentiator.h"

#include "RegionScope.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Verifies what holds of all functions that are reached.
static LogicalResult verifyResults(func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isa<RefType>(type))
      return function.emitOpError()
             << "expects only tensors as results, because it is "
                "differentiated, but result #"
             << i << " is a " << type;
  return success();
}

LogicalResult Differentiator::verifyFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError()
           << "expects one block, because it is differentiated, but got "
           << function.getBody().getBlocks().size();
  auto report = [&](Operation *op, StringRef advice) {
    op->emitOpError() << "is in @" << function.getSymName()
                      << ", which is differentiated; " << advice;
    return WalkResult::interrupt();
  };
  WalkResult result = function.walk([&](Operation *op) {
    if (isa<NextSeedOp>(op))
      return report(op, "run 'pop-random-setup' before the differentiation");
    // Draws that are computed again would not have the shifted numbers.
    auto advance = dyn_cast<AdvanceDrawsOp>(op);
    if (advance && advance.getShift() != 0)
      return report(op, "expects no shift of draws: run 'pop-outline' after "
                        "the differentiation");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

Differentiator::Writes Differentiator::findWrites(func::FuncOp function) {
  Writes writes;
  std::optional<GraphContext::Writer> ofAll;
  function.walk([&](Operation *op) {
    if (op->getNumRegions() > 0 || isMemoryEffectFree(op))
      return;
    GraphContext::Writer writer{op->getLoc(), op->getName()};
    const EffectSummary &summary = effects.getEffects(op);
    if (summary.isUnknown() && !ofAll)
      ofAll = writer;
    for (const auto &[location, ofLocation] : summary.getMemoryLocations()) {
      if (ofLocation.writes.isEmpty() || location.getResource())
        continue;
      if (location.isVariable())
        writes.variables.push_back(
            {location.getSymbol().getLeafReference(), writer});
      else if (location.getRoot().getDefiningOp() != op)
        writes.refs.push_back({location.getRoot(), writer});
    }
  });
  if (!ofAll)
    return writes;
  // What is not known may write all refs, and all variables.
  function.walk([&](Block *block) {
    auto add = [&](Value value) {
      if (isa<RefType>(value.getType()))
        writes.refs.push_back({value, *ofAll});
    };
    llvm::for_each(block->getArguments(), add);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), add);
  });
  for (auto variable : module.getOps<VariableOp>())
    writes.variables.push_back({variable.getSymNameAttr(), *ofAll});
  return writes;
}

/// What callers write is written for their callees, too: the backward graphs of
/// these come after it.
void Differentiator::shareWrites() {
  for (func::FuncOp function : activity.getFunctions())
    for (const auto &[variable, writer] :
         writesOf.find(function)->second.variables)
      writtenVariables.try_emplace(variable, writer);
  for (func::FuncOp function : llvm::reverse(activity.getFunctions())) {
    GraphContext ofFunction;
    ofFunction.writtenVariables = writtenVariables;
    for (const auto &[ref, writer] : writesOf.find(function)->second.refs)
      ofFunction.writers.try_emplace(ref, writer);
    function.walk([&](CallOpInterface call) {
      FunctionOpInterface callee = effects.getCalls().getCallee(call);
      auto ofCallee = callee ? writesOf.find(callee) : writesOf.end();
      if (ofCallee == writesOf.end())
        return;
      for (auto [argument, operand] :
           llvm::zip_equal(callee.getArguments(), call.getArgOperands()))
        if (isa<RefType>(operand.getType()))
          if (const GraphContext::Writer *writer =
                  ofFunction.findWriter(operand))
            ofCallee->second.refs.push_back({argument, *writer});
    });
  }
}

/// Returns whether `function` or a function that it calls requests a seed. Each
/// call then gets another seed.
static bool requestsSeed(FunctionOpInterface function, ModuleOp module) {
  return llvm::any_of(getReachedFunctions(module, function), [](Operation *op) {
    return op->walk([](NextSeedOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

/// Returns whether `function` writes nothing that it may read when it is called
/// again.
/// Advances of random bits do not count, because recomputed ops draw the bits
/// of an earlier position.
bool Differentiator::isReadOnly(FunctionOpInterface function) const {
  const EffectSummary &summary = effects.getEffects(function);
  return !summary.isUnknown() &&
         llvm::all_of(summary.getMemoryLocations(), [&](const auto &entry) {
           return entry.second.writes.isEmpty() ||
                  (entry.first.getResource() == RngResource::get() &&
                   !requestsSeed(function, module));
         });
}

/// Looks at the functions as they are before any changes.
void Differentiator::findCalleeEffects() {
  for (FunctionOpInterface function : effects.getCalls().getFunctions()) {
    CalleeEffects &callee = callees[function.getName()];
    const EffectSummary &summary = effects.getEffects(function);
    callee.isReadOnly = isReadOnly(function);
    for (const auto &[location, ofLocation] : summary.getMemoryLocations())
      if (location.isVariable())
        callee.readVariables.push_back(location.getSymbol().getLeafReference());
  }
}

/// All results that may carry a gradient, and all arguments and variables that
/// one is required of.
GradientRequest Differentiator::getWholeRequest(func::FuncOp function) {
  MLIRContext *context = module.getContext();
  const GraphActivity &active = activity.get(function);
  GradientRequest request;
  for (unsigned i : active.results.set_bits())
    if (getGradientType(function.getResultTypes()[i]))
      request.provided.push_back(i);
  for (unsigned i : active.arguments.set_bits())
    request.required.push_back(
        GraphValueAttr::get(context, GraphValueKind::Argument, i));
  for (StringAttr variable : active.variables)
    request.required.push_back(
        GraphValueAttr::get(FlatSymbolRefAttr::get(variable)));
  return request;
}

/// The types of all results of `function` that have gradients, and so on.
static SmallVector<Type> getGradientTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    if (RankedTensorType gradient = getGradientType(type))
      result.push_back(gradient);
  return result;
}

FailureOr<BackwardGraph> Differentiator::getCustomGraph(func::FuncOp function) {
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(
      PopDialect::kCustomGradientAttrName);
  auto backward = symbols.lookup<func::FuncOp>(symbol.getAttr());
  if (!backward)
    return function.emitOpError()
           << "expects attribute '" << PopDialect::kCustomGradientAttrName
           << "' to name a function but got " << symbol;
  if (const auto &variables = activity.get(function).variables;
      !variables.empty())
    return function.emitOpError()
           << "reads variable @" << variables.front().getValue()
           << ", whose gradient is required, but its backward graph " << symbol
           << " returns gradients of arguments only";
  MLIRContext *context = module.getContext();
  SmallVector<Type> inputs = getGradientTypes(function.getResultTypes());
  llvm::append_range(inputs, function.getArgumentTypes());
  llvm::append_range(inputs, function.getResultTypes());
  auto expected = FunctionType::get(
      context, inputs, getGradientTypes(function.getArgumentTypes()));
  if (backward.getFunctionType() != expected) {
    InFlightDiagnostic error = backward.emitOpError()
                               << "is a backward graph of type "
                               << backward.getFunctionType() << " but "
                               << expected << " is expected";
    error.attachNote(function.getLoc())
        << "it is the backward graph of this function";
    return error;
  }
  BackwardGraph graph{backward, {}, {}};
  auto addInputs = [&](GraphValueKind kind, TypeRange types, bool isGradient) {
    for (auto [i, type] : llvm::enumerate(types))
      if (!isGradient || getGradientType(type))
        graph.inputs.push_back(
            {GraphValueAttr::get(context, kind, i), isGradient});
  };
  addInputs(GraphValueKind::Result, function.getResultTypes(), true);
  addInputs(GraphValueKind::Argument, function.getArgumentTypes(), false);
  addInputs(GraphValueKind::Result, function.getResultTypes(), false);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (getGradientType(type))
      graph.outputs.push_back(
          GraphValueAttr::get(context, GraphValueKind::Argument, i));
  return graph;
}

static std::string getBackwardName(func::FuncOp function) {
  StringRef name = function.getSymName();
  name.consume_back(kForwardSuffix);
  return (name + "_backward").str();
}

/// Lets a backward graph take the place of a declaration of it.
LogicalResult Differentiator::replaceDeclaration(func::FuncOp forward,
                                                 func::FuncOp backward) {
  std::string name = getBackwardName(forward);
  auto declaration = symbols.lookup<func::FuncOp>(name);
  if (!declaration || declaration == backward || !declaration.isExternal())
    return success();
  if (declaration.getFunctionType() != backward.getFunctionType())
    return declaration.emitOpError()
           << "declares the backward graph of @" << forward.getSymName()
           << " with type " << declaration.getFunctionType()
           << " but the backward graph has type " << backward.getFunctionType();
  for (func::FuncOp function : activity.getFunctions())
    if (auto uses =
            SymbolTable::getSymbolUses(declaration.getOperation(), function))
      for (SymbolTable::SymbolUse use : *uses)
        return use.getUser()->emitOpError()
               << "uses the backward graph @" << name << " of @"
               << forward.getSymName() << ", but is in @"
               << function.getSymName()
               << ", from which this backward graph is computed";
  symbols.erase(declaration);
  return symbols.rename(backward, name);
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

void Differentiator::countStages() {
  for (func::FuncOp function : activity.getFunctions())
    function.walk([&](Operation *op) {
      numStages = std::max(numStages, getStage(op).value_or(-1) + 1);
    });
}

void Differentiator::placeGradient(Operation *op) const {
  if (std::optional<int64_t> stage = getStage(op))
    op->setAttr(PopDialect::kStageAttrName,
                Builder(op).getI64IntegerAttr(2 * numStages - 1 - *stage));
  if (!getTrainingRole(op))
    setTrainingRole(op, TrainingRole::Backward);
}

//===----------------------------------------------------------------------===//
// Joint graphs
//===----------------------------------------------------------------------===//

/// Gives each variable one ref, at the start of the function, so that what is
/// known of it is known of one value.
void Differentiator::addVariables(func::FuncOp joint,
                                  const GraphActivity &active,
                                  GraphContext &context) {
  auto b = OpBuilder::atBlockBegin(&joint.getBody().front());
  llvm::SetVector<GetVariableOp> handles;
  joint.walk([&](GetVariableOp op) { handles.insert(op); });
  // The ref is placed as the first one of the function or, where only callees
  // read the variable, as the variable.
  auto getRef = [&](StringAttr variable, Operation *source) {
    Value &ref = context.variables[variable];
    if (!ref) {
      auto handle = GetVariableOp::create(b, source->getLoc(),
                                          refTypes.lookup(variable), variable);
      if (!isa<GetVariableOp>(source))
        source = symbols.lookup(variable);
      inheritPlacement(source, handle);
      ref = handle;
    }
    return ref;
  };
  for (GetVariableOp handle : handles) {
    StringAttr variable = handle.getVariableAttr().getAttr();
    context.active.erase(handle);
    handle.replaceAllUsesWith(getRef(variable, handle));
  }
  for (StringAttr variable : active.variables)
    context.active.insert(getRef(variable, joint));
  // The builder is at one of them.
  for (GetVariableOp handle : handles)
    handle.erase();
}

FailureOr<JointGraph> Differentiator::buildJoint(func::FuncOp function,
                                                 const GradientRequest &request,
                                                 GraphContext &context) {
  IRMapping mapping;
  func::FuncOp joint = function.clone(mapping);
  joint.setSymName(getBackwardName(function));
  joint.setPrivate();
  symbols.insert(joint, std::next(Block::iterator(function)));
  auto addActive = [&](Value value) {
    if (activity.isActive(value))
      context.active.insert(mapping.lookup(value));
  };
  function.walk([&](Block *block) {
    llvm::for_each(block->getArguments(), addActive);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), addActive);
  });
  activity.forgetValues(function);
  const Writes &writes = writesOf.find(function)->second;
  for (const auto &[ref, writer] : writes.refs)
    context.writers.try_emplace(mapping.lookup(ref), writer);
  addVariables(joint, activity.get(function), context);
  context.writtenVariables = writtenVariables;

  for (auto [i, result] : llvm::enumerate(request.provided)) {
    LogicalResult inserted = joint.insertArgument(
        i, function.getResultTypes()[result], {}, function.getLoc());
    (void)inserted;
    assert(succeeded(inserted) && "any type may be one of an argument");
  }
  JointGraph graph;
  graph.function = joint;
  graph.forward = function;
  graph.provided = request.provided;
  graph.context = &context;
  graph.callees = &callees;
  llvm::append_range(graph.results,
                     joint.getBody().front().getTerminator()->getOperands());
  return graph;
}

/// An argument or a variable of `function` in words.
static std::string describe(func::FuncOp function, GraphValueAttr value) {
  if (value.getKind() == GraphValueKind::Variable)
    return "variable @" + value.getVariable().getValue().str();
  unsigned argument = value.getIndex();
  if (auto name = function.getArgAttrOfType<StringAttr>(
          argument, PopDialect::kNameAttrName))
    return "argument '" + name.str() + "'";
  return "argument " + std::to_string(argument);
}

LogicalResult Differentiator::differentiate(JointGraph &joint,
                                            const GradientRequest &request,
                                            GraphContext &context) {
  Block &block = joint.function.getBody().front();
  Operation *terminator = block.getTerminator();
  Operation *last = terminator->getPrevNode();
  FunctionScope scope(context, block);
  // Marks where the forward graph ends: its last op may be replaced.
  OpBuilder b(terminator);
  auto marker = UnrealizedConversionCastOp::create(b, terminator->getLoc(),
                                                   TypeRange(), ValueRange());
  for (auto [i, result] : llvm::enumerate(request.provided))
    scope.addValue(joint.results[result], joint.function.getArgument(i),
                   terminator);
  if (failed(scope.differentiate(last)))
    return failure();
  for (GraphValueAttr output : request.required) {
    bool isVariable = output.getKind() == GraphValueKind::Variable;
    Value value = isVariable
                      ? context.variables.lookup(output.getVariable().getAttr())
                      : joint.function.getArgument(joint.getNumProvided() +
                                                   output.getIndex());
    Value gradient = scope.takeGradient(value);
    if (!gradient && !request.isExplicit)
      continue;
    if (!gradient && !settings.isUnreachedZero)
      return joint.forward.emitOpError()
             << "has no differentiable path from "
             << describe(joint.forward, output)
             << ", whose gradient is required, to a result whose gradient is "
                "provided";
    if (!gradient)
      gradient =
          buildZeros(b, value.getLoc(), getGradientType(value.getType()));
    joint.outputs.push_back(output);
    joint.gradients.push_back(gradient);
  }
  placeRest(joint.function, marker, numStages);
  for (Operation *op = marker; op != terminator; op = op->getNextNode())
    op->walk([&](Operation *nested) { placeGradient(nested); });
  // What the forward graph returns may be a result of an op that was replaced.
  joint.results.assign(terminator->operand_begin(), terminator->operand_end());
  joint.firstGradient = marker->getNextNode();
  marker->erase();
  return success();
}

FailureOr<BackwardGraph> Differentiator::run(func::FuncOp root,
                                             GradientRequest request) {
  BitVector arguments(root.getNumArguments());
  llvm::SetVector<StringAttr> variables;
  for (GraphValueAttr value : request.required) {
    if (value.getKind() == GraphValueKind::Variable)
      variables.insert(value.getVariable().getAttr());
    else
      arguments.set(value.getIndex());
  }
  if (failed(effects.getCalls().verifyNoRecursion()))
    return failure();
  activity.run(root, arguments, variables);
  module.walk([&](GetVariableOp op) {
    refTypes.try_emplace(op.getVariableAttr().getAttr(), op.getType());
  });
  findCalleeEffects();
  countStages();
  if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      users[use.getSymbolRef().getLeafReference()].push_back(use.getUser());
  for (func::FuncOp function : activity.getFunctions()) {
    if (failed(verifyResults(function)))
      return failure();
    writesOf[function] = findWrites(function);
  }
  shareWrites();
  if (failed(verifyFunction(root)))
    return failure();
  if (root->hasAttr(PopDialect::kCustomGradientAttrName) &&
      (request.isExplicit || !request.provided.empty()))
    return root.emitOpError()
           << "has its own backward graph, which attribute '"
           << PopDialect::kCustomGradientAttrName
           << "' names; expects no options 'provided' and 'required'";
  if (request.provided.empty())
    request.provided = getWholeRequest(root).provided;
  if (request.provided.empty() &&
      !(request.isExplicit && settings.isUnreachedZero))
    return root.emitOpError("has no float result that depends on a value whose "
                            "gradient is required");
  for (func::FuncOp function : activity.getFunctions()) {
    bool isRoot = function == root;
    FailureOr<BackwardGraph> graph;
    if (function->hasAttr(PopDialect::kCustomGradientAttrName)) {
      graph = getCustomGraph(function);
    } else {
      GradientRequest wanted = isRoot ? request : getWholeRequest(function);
      // Nothing leads from this function to what gradients are required of.
      if (!isRoot && (wanted.provided.empty() || wanted.required.empty()))
        continue;
      if (failed(verifyFunction(function)))
        return failure();
      GraphContext context;
      context.regionValues = settings.regionValues;
      context.isStaged = numStages > 0;
      context.getBackwardGraph = [&](CallOpInterface call) {
        auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
        auto found = callee ? graphs.find(callee.getLeafReference().strref())
                            : graphs.end();
        return found == graphs.end() ? nullptr : &found->second;
      };
      FailureOr<JointGraph> joint = buildJoint(function, wanted, context);
      if (failed(joint))
        return failure();
      LogicalResult differentiated = differentiate(*joint, wanted, context);
      context.eraseRetired();
      if (failed(differentiated))
        return failure();
      joint->users = users[function.getSymName()];
      graph = stitch(*joint, settings, module, shifter,
                     [&](Value from, Value to) { activity.replace(from, to); });
      if (succeeded(graph) &&
          failed(replaceDeclaration(function, graph->function)))
        return failure();
    }
    if (failed(graph))
      return failure();
    graphs[function.getSymName()] = *graph;
  }
  return graphs[root.getSymName()];
}
