//===- Autodiff.cpp - Backward graph of a function --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module and the name of a function. Out: the same module with a function
// that computes its gradients, and with such a function for each function that
// it calls; see docs/autodiff.md.
//
//===----------------------------------------------------------------------===//

#include "../RemoteRows.h"
#include "Differentiator.h"

#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::pop {
#define GEN_PASS_DEF_AUTODIFFPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

using NameFn = function_ref<Attribute(unsigned)>;

/// Returns the number of the value that has the name `text` or, if no value has
/// this name, the number N of a text `#N`. A value without a name has the name
/// `kind`N, as in the streams of the host. Importers create names that consist
/// of digits, so that a number alone is never an index.
static std::optional<unsigned> findValue(StringRef text, StringRef kind,
                                         unsigned count, NameFn getName) {
  for (unsigned i = 0; i < count; ++i)
    if (auto name = dyn_cast_or_null<StringAttr>(getName(i)))
      if (name == text)
        return i;
  bool isNumber = text.consume_front("#");
  unsigned number;
  if ((!isNumber && !text.consume_front(kind)) ||
      text.getAsInteger(10, number) || number >= count)
    return std::nullopt;
  bool hasName = static_cast<bool>(getName(number));
  return isNumber || !hasName ? std::optional(number) : std::nullopt;
}

/// Returns the names of values and, for those without a name, their numbers.
static std::string listValues(unsigned count, NameFn getName) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(llvm::seq(0u, count), os, [&](unsigned i) {
    if (auto name = dyn_cast_or_null<StringAttr>(getName(i)))
      os << "'" << name.getValue() << "'";
    else
      os << "'#" << i << "'";
  });
  return text;
}

static FailureOr<unsigned> parseResult(func::FuncOp function, StringRef text) {
  auto getName = [&](unsigned i) {
    return function.getResultAttr(i, PopDialect::kNameAttrName);
  };
  unsigned count = function.getNumResults();
  std::optional<unsigned> result = findValue(text, "result", count, getName);
  if (!result)
    return function.emitOpError()
           << "expects a result '" << text
           << "', whose gradient is provided, but has the results ("
           << listValues(count, getName) << ")";
  Type type = function.getResultTypes()[*result];
  if (!getGradientType(type))
    return function.emitOpError()
           << "has result '" << text << "' of type " << type
           << ", whose gradient is provided; expects a tensor of floats";
  return *result;
}

static std::optional<unsigned> findArgument(func::FuncOp function,
                                            StringRef text) {
  auto getName = [&](unsigned i) {
    return function.getArgAttr(i, PopDialect::kNameAttrName);
  };
  return findValue(text, "arg", function.getNumArguments(), getName);
}

static std::string describeArguments(func::FuncOp function) {
  unsigned count = function.getNumArguments();
  if (count == 0)
    return "a variable";
  auto getName = [&](unsigned i) {
    return function.getArgAttr(i, PopDialect::kNameAttrName);
  };
  return "an argument (" + listValues(count, getName) + ") or a variable";
}

static FailureOr<GraphValueAttr> parseArgument(func::FuncOp function,
                                               StringRef text) {
  std::optional<unsigned> argument = findArgument(function, text);
  if (!argument)
    return function.emitOpError()
           << "has no argument and reads no variable '" << text
           << "', whose gradient is required; expects "
           << describeArguments(function);
  Type type = function.getArgumentTypes()[*argument];
  if (!getGradientType(type))
    return function.emitOpError()
           << "has argument '" << text << "' of type " << type
           << ", whose gradient is required; expects a tensor of floats";
  return GraphValueAttr::get(function.getContext(), GraphValueKind::Argument,
                             *argument);
}

static FailureOr<GraphValueAttr>
parseVariable(func::FuncOp function, StringRef name,
              const llvm::SetVector<StringAttr> &variables) {
  auto symbol = FlatSymbolRefAttr::get(function.getContext(), name);
  if (variables.contains(symbol.getAttr()))
    return GraphValueAttr::get(symbol);
  return function.emitOpError() << "expects " << symbol
                                << ", whose gradient is required, to be a "
                                   "float variable that the function reads";
}

static FailureOr<GraphValueAttr>
parseRequired(func::FuncOp function, StringRef text,
              const llvm::SetVector<StringAttr> &variables) {
  if (text.consume_front("@"))
    return parseVariable(function, text, variables);
  // Arguments come first where a variable has the same name.
  auto name = StringAttr::get(function.getContext(), text);
  if (variables.contains(name) && !findArgument(function, text))
    return GraphValueAttr::get(FlatSymbolRefAttr::get(name));
  return parseArgument(function, text);
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

/// The attributes of the gradient of `value`, whose name for the host is
/// `name`, if it has one. That of the gradient is PopART's.
static DictionaryAttr getGradientAttrs(GraphValueAttr value, Attribute name) {
  Builder b(value.getContext());
  NamedAttrList attributes;
  attributes.set(PopDialect::kGradientOfAttrName, value);
  if (auto text = dyn_cast_or_null<StringAttr>(name))
    attributes.set(PopDialect::kNameAttrName,
                   b.getStringAttr("Gradient___" + text.getValue()));
  return attributes.getDictionary(value.getContext());
}

/// Adds a function that calls the forward graph and the backward graph, with
/// ones as the gradients that are provided.
static void addCaller(func::FuncOp forward, BackwardGraph graph, StringRef name,
                      unsigned numResults, SymbolTable &symbols,
                      const Differentiator &differentiator) {
  MLIRContext *context = forward.getContext();
  Location loc = forward.getLoc();
  SmallVector<Type> types(forward.getResultTypes().take_front(numResults));
  llvm::append_range(types, graph.function.getResultTypes());
  auto caller = func::FuncOp::create(
      loc, name, FunctionType::get(context, forward.getArgumentTypes(), types));
  symbols.insert(caller);
  OpBuilder b = OpBuilder::atBlockBegin(caller.addEntryBlock());
  auto call = func::CallOp::create(b, loc, forward, caller.getArguments());
  SmallVector<Value> operands;
  for (const BackwardGraph::Input &input : graph.inputs) {
    unsigned index = input.value.getIndex();
    if (input.isGradient) {
      auto type = cast<RankedTensorType>(call.getResult(index).getType());
      auto one = ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              type, Attribute(b.getFloatAttr(type.getElementType(), 1.0))));
      auto scale = LossScaleOp::create(b, loc, one);
      inheritSchedule(
          forward.getBody().front().getTerminator()->getOperand(index), scale);
      differentiator.placeGradient(scale);
      operands.push_back(scale);
    } else if (input.value.getKind() == GraphValueKind::Argument) {
      operands.push_back(caller.getArgument(index));
    } else {
      operands.push_back(call.getResult(index));
    }
  }
  auto backward = func::CallOp::create(b, loc, graph.function, operands);
  SmallVector<Value> results(call.getResults().take_front(numResults));
  llvm::append_range(results, backward.getResults());
  func::ReturnOp::create(b, loc, results);

  // How weights are trained is said of the function that is differentiated.
  for (StringRef name :
       {PopDialect::kOptimizerAttrName, PopDialect::kClipNormsAttrName})
    if (Attribute attribute = forward->getAttr(name))
      caller->setAttr(name, attribute);
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    caller.setArgAttrs(i, forward.getArgAttrDict(i));
  for (unsigned i = 0; i < numResults; ++i)
    caller.setResultAttrs(i, forward.getResultAttrDict(i));
  for (auto [i, output] : llvm::enumerate(graph.outputs)) {
    Attribute valueName =
        output.getKind() == GraphValueKind::Variable
            ? output.getVariable().getAttr()
            : forward.getArgAttr(output.getIndex(), PopDialect::kNameAttrName);
    caller.setResultAttrs(numResults + i, getGradientAttrs(output, valueName));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct AutodiffPass : pop::impl::AutodiffPassBase<AutodiffPass> {
  using AutodiffPassBase::AutodiffPassBase;

  void runOnOperation() override {
    if (failed(ipu::verifyAddressable(getOperation())))
      return signalPassFailure();
    openRemoteRows(getOperation());
    if (failed(differentiate()) || failed(closeRemoteRows(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult differentiate();
  FailureOr<func::FuncOp> getForward(SymbolTable &symbols);
  FailureOr<GradientRequest> getRequest(func::FuncOp forward,
                                        const Differentiator &differentiator);
};
} // namespace

LogicalResult AutodiffPass::differentiate() {
  SymbolTable symbols(getOperation());
  FailureOr<func::FuncOp> forward = getForward(symbols);
  if (failed(forward))
    return failure();
  unsigned numResults = forward->getNumResults();
  std::string callerName = caller;
  if (callerName == forward->getSymName()) {
    StringAttr name =
        StringAttr::get(&getContext(), callerName + kForwardSuffix);
    if (failed(symbols.rename(*forward, name)))
      return failure();
    forward->setPrivate();
  }
  AutodiffSettings settings;
  settings.stitch = stitch;
  settings.regionValues = regions;
  settings.isUnreachedZero = unreachable == Unreachable::Zero;
  if (callerName.empty())
    settings.entry = ipu::getMainFunction(getOperation());
  else
    settings.entry = symbols.lookup<func::FuncOp>("main");
  Differentiator differentiator(getOperation(), settings);
  FailureOr<GradientRequest> request = getRequest(*forward, differentiator);
  if (failed(request))
    return failure();
  FailureOr<BackwardGraph> graph = differentiator.run(*forward, *request);
  if (failed(graph))
    return failure();
  if (callerName.empty())
    return success();
  // The backward graphs have names, too.
  SymbolTable allSymbols(getOperation());
  if (allSymbols.lookup(callerName)) {
    forward->emitOpError() << "cannot have a caller '" << callerName
                           << "': a backward graph already has this name";
    return failure();
  }
  addCaller(*forward, *graph, callerName, numResults, allSymbols,
            differentiator);
  return success();
}

FailureOr<func::FuncOp> AutodiffPass::getForward(SymbolTable &symbols) {
  Operation *op = function.empty()
                      ? ipu::getMainFunction(getOperation()).getOperation()
                      : symbols.lookup(function);
  auto forward = dyn_cast_or_null<func::FuncOp>(op);
  if (!forward || forward.isExternal())
    return emitError(op ? op->getLoc() : getOperation().getLoc())
           << "'" << getArgument() << "' expects function '"
           << (function.empty() ? std::string("main") : function.getValue())
           << "' with a body";
  if (!caller.empty() && caller != forward.getSymName() &&
      symbols.lookup(caller))
    return forward.emitOpError()
           << "cannot have a caller '" << caller.getValue()
           << "': another symbol already has this name";
  return forward;
}

FailureOr<GradientRequest>
AutodiffPass::getRequest(func::FuncOp forward,
                         const Differentiator &differentiator) {
  GradientRequest request;
  request.isExplicit = !required.empty();
  for (const std::string &text : provided) {
    FailureOr<unsigned> result = parseResult(forward, text);
    if (failed(result))
      return failure();
    if (llvm::is_contained(request.provided, *result))
      return forward.emitOpError()
             << "has result '" << text
             << "' twice among the results whose gradients are provided";
    request.provided.push_back(*result);
  }
  const llvm::SetVector<StringAttr> &variables =
      differentiator.getVariables(forward);
  for (const std::string &text : required) {
    FailureOr<GraphValueAttr> value = parseRequired(forward, text, variables);
    if (failed(value))
      return failure();
    if (llvm::is_contained(request.required, *value))
      return forward.emitOpError()
             << "has '" << text
             << "' twice among the values whose gradients are required";
    request.required.push_back(*value);
  }
  if (request.isExplicit)
    return request;
  for (auto [i, type] : llvm::enumerate(forward.getArgumentTypes()))
    if (getGradientType(type))
      request.required.push_back(
          GraphValueAttr::get(&getContext(), GraphValueKind::Argument, i));
  for (StringAttr variable : variables)
    request.required.push_back(
        GraphValueAttr::get(FlatSymbolRefAttr::get(variable)));
  return request;
}
