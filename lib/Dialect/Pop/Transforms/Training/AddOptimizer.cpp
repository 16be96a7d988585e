//===- AddOptimizer.cpp - Optimizers of weights -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that returns gradients of weights. Out: the same
// module, where the function returns the updated weights or updates variables.
//
//===----------------------------------------------------------------------===//

#include "../RemoteRows.h"
#include "OptimizerUpdates.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::pop {
#define GEN_PASS_DEF_ADDOPTIMIZERPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The weight of which result `index` of `function` is the gradient.
static FailureOr<Parameter> getParameter(func::FuncOp function, unsigned index,
                                         GraphValueAttr value,
                                         SymbolTable &symbols) {
  Parameter parameter;
  parameter.result = index;
  Type type;
  if (value.getKind() == GraphValueKind::Variable) {
    parameter.variable =
        symbols.lookup<VariableOp>(value.getVariable().getValue());
    if (!parameter.variable)
      return function.emitOpError()
             << "result #" << index << " is the gradient of "
             << value.getVariable() << ", which is not a variable";
    type = parameter.variable.getDeviceType();
    parameter.name = parameter.variable.getSymName();
  } else {
    if (value.getKind() != GraphValueKind::Argument ||
        value.getIndex() >= function.getNumArguments())
      return function.emitOpError()
             << "result #" << index << " is the gradient of " << value
             << ", which the function does not have";
    parameter.argument = unsigned(value.getIndex());
    type = function.getArgumentTypes()[parameter.argument];
    parameter.name = getHostName(
        function.getArgAttr(parameter.argument, PopDialect::kNameAttrName),
        "arg" + Twine(parameter.argument));
  }
  if (type != function.getResultTypes()[index])
    return function.emitOpError()
           << "expects result #" << index << ", the gradient of '"
           << parameter.name << "', to have type " << type << " but got "
           << function.getResultTypes()[index];
  if (!isReferable(type) || !isa<FloatType>(getElementTypeOrSelf(type)))
    return function.emitOpError()
           << "result #" << index << " is the gradient of '" << parameter.name
           << "' of type " << type
           << "; expects a statically shaped tensor of floats";
  parameter.type = cast<RankedTensorType>(type);
  return parameter;
}

static OptimizerAttr getOptimizer(func::FuncOp function,
                                  const Parameter &parameter) {
  if (parameter.variable)
    return parameter.variable->getAttrOfType<OptimizerAttr>(
        PopDialect::kOptimizerAttrName);
  return function.getArgAttrOfType<OptimizerAttr>(
      parameter.argument, PopDialect::kOptimizerAttrName);
}

/// Checks that the gradient of a weight in parts can be combined over replicas.
static LogicalResult verifySharding(func::FuncOp function,
                                    const Parameter &parameter) {
  ReplicaGroupsAttr sharding = parameter.getSharding();
  if (!sharding)
    return success();
  VariableOp variable = parameter.variable;
  int64_t replicas =
      ipu::getTargetModel(function->getParentOfType<ModuleOp>()).replicas;
  if (failed(ipu::resolveReplicaGroups(sharding, replicas,
                                       [&] { return variable.emitOpError(); })))
    return failure();
  if (sharding.getGroupSize() != replicas && variable.getGroupsAttr())
    return variable.emitOpError()
           << "is distributed over groups of " << sharding.getGroupSize()
           << " replicas, and has groups of replicas with different values; "
              "'pop-add-optimizer' expects either equal values on all "
           << replicas << " replicas or one group of all replicas";
  return success();
}

namespace {
struct AddOptimizerPass : pop::impl::AddOptimizerPassBase<AddOptimizerPass> {
  using AddOptimizerPassBase::AddOptimizerPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<func::FuncOp> trained = getTrained();
    if (failed(trained) || failed(verifyOptions()))
      return signalPassFailure();
    FailureOr<SmallVector<Parameter>> parameters =
        getParameters(*trained, symbols);
    if (failed(parameters))
      return signalPassFailure();
    UpdateSettings settings;
    settings.accumulationFactor = accumulationFactor;
    settings.reduce = reduce;
    settings.mean = mean;
    // Updates of variables in streaming memory load and store rows.
    if (failed(addUpdates(*trained, *parameters, settings, symbols)) ||
        failed(closeRemoteRows(getOperation())))
      signalPassFailure();
  }

private:
  FailureOr<func::FuncOp> getTrained();
  LogicalResult verifyOptions();
  FailureOr<SmallVector<Parameter>> getParameters(func::FuncOp trained,
                                                  SymbolTable &symbols);
  LogicalResult verifyOptimizers(func::FuncOp trained,
                                 ArrayRef<Parameter> parameters);
};
} // namespace

FailureOr<func::FuncOp> AddOptimizerPass::getTrained() {
  FailureOr<func::FuncOp> trained =
      getTrainedFunction(getOperation(), function, getArgument());
  if (failed(trained))
    return failure();
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(*trained, getOperation());
  if (uses && !uses->empty()) {
    InFlightDiagnostic diag =
        trained->emitOpError()
        << "expects no callers, because '" << getArgument()
        << "' adds arguments and results for the states of optimizers";
    diag.attachNote(uses->begin()->getUser()->getLoc()) << "it is used here";
    return diag;
  }
  return trained;
}

LogicalResult AddOptimizerPass::verifyOptions() {
  if (accumulationFactor >= 1)
    return success();
  return getOperation().emitError()
         << "'" << getArgument()
         << "' expects option 'accumulation-factor' to be at least 1 but got "
         << accumulationFactor.getValue();
}

FailureOr<SmallVector<Parameter>>
AddOptimizerPass::getParameters(func::FuncOp trained, SymbolTable &symbols) {
  auto common =
      trained->getAttrOfType<OptimizerAttr>(PopDialect::kOptimizerAttrName);
  if (!common && !optimizer.empty()) {
    Attribute attribute = parseAttribute(optimizer, &getContext());
    common = dyn_cast_or_null<OptimizerAttr>(attribute);
    if (!common)
      return getOperation().emitError()
             << "'" << getArgument()
             << "' expects option 'optimizer' to be a '#pop.optimizer<...>' "
                "but got '"
             << optimizer << "'";
  }
  SmallVector<Parameter> parameters;
  for (unsigned i = 0; i < trained.getNumResults(); ++i) {
    auto value = trained.getResultAttrOfType<GraphValueAttr>(
        i, PopDialect::kGradientOfAttrName);
    if (!value)
      continue;
    FailureOr<Parameter> parameter = getParameter(trained, i, value, symbols);
    if (failed(parameter))
      return failure();
    OptimizerAttr own = getOptimizer(trained, *parameter);
    parameter->optimizer = own ? own : common;
    if (!parameter->optimizer)
      return trained.emitOpError()
             << "has no optimizer for '" << parameter->name
             << "'; expects attribute '" << PopDialect::kOptimizerAttrName
             << "' or option 'optimizer'";
    for (const Parameter &other : parameters)
      if (other.variable == parameter->variable &&
          (other.variable || other.argument == parameter->argument))
        return trained.emitOpError() << "results #" << other.result << " and #"
                                     << i << " are both the gradient of '"
                                     << other.name << "'; expects one gradient";
    parameters.push_back(*parameter);
  }
  if (parameters.empty())
    return trained.emitOpError()
           << "returns no gradient; expects a result with attribute '"
           << PopDialect::kGradientOfAttrName << "'";
  if (failed(verifyOptimizers(trained, parameters)))
    return failure();
  for (const Parameter &parameter : parameters)
    if (failed(verifySharding(trained, parameter)))
      return failure();
  return parameters;
}

/// An optimizer of what has no gradient would be dropped.
LogicalResult
AddOptimizerPass::verifyOptimizers(func::FuncOp trained,
                                   ArrayRef<Parameter> parameters) {
  for (unsigned i = 0; i < trained.getNumArguments(); ++i) {
    if (!trained.getArgAttr(i, PopDialect::kOptimizerAttrName))
      continue;
    bool isTrained = llvm::any_of(parameters, [&](const Parameter &parameter) {
      return !parameter.variable && parameter.argument == i;
    });
    if (!isTrained)
      return trained.emitOpError()
             << "has an optimizer for argument #" << i << " of type "
             << trained.getArgumentTypes()[i]
             << "; expects a result that is the gradient of this argument";
  }
  for (auto variable : getOperation().getOps<VariableOp>()) {
    if (!variable->hasAttr(PopDialect::kOptimizerAttrName))
      continue;
    bool isTrained = llvm::any_of(parameters, [&](const Parameter &parameter) {
      return parameter.variable == variable;
    });
    if (!isTrained)
      return variable.emitOpError()
             << "has an optimizer; expects a result of '"
             << trained.getSymName()
             << "' that is the gradient of this variable";
  }
  return success();
}
