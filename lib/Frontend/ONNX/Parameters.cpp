//===- Parameters.cpp - Initializers that programs can change -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ipu::onnx;

std::optional<ParameterKind> ipu::onnx::symbolizeParameterKind(StringRef text) {
  return llvm::StringSwitch<std::optional<ParameterKind>>(text)
      .Case("constants", ParameterKind::Constants)
      .Case("arguments", ParameterKind::Arguments)
      .Case("variables", ParameterKind::Variables)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// During the import of nodes
//===----------------------------------------------------------------------===//

bool Parameters::isParameter(StringRef name, ElementsAttr value) const {
  return kind != ParameterKind::Constants &&
         isa<FloatType>(value.getElementType()) &&
         value.getShapedType().getNumElements() > 0 &&
         !known.initializers.contains(name);
}

Value Parameters::add(OpBuilder &builder, Location loc, StringRef name,
                      ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  Value result;
  if (kind == ParameterKind::Arguments) {
    result = builder.getInsertionBlock()->addArgument(type, loc);
  } else {
    Value ref =
        pop::GetVariableOp::create(builder, loc, pop::RefType::get(type), name);
    result = pop::ReadOp::create(builder, loc, type, ref);
  }
  numbers[result] = byName[name] = parameters.size();
  parameters.push_back({name.str(), loc, value, result});
  return result;
}

Parameters::Origins Parameters::findOrigins(Value value) const {
  Origins origins;
  SmallVector<Value> worklist = {value};
  llvm::DenseSet<Value> seen = {value};
  auto addOperands = [&](Operation *op) {
    llvm::copy_if(op->getOperands(), std::back_inserter(worklist),
                  [&](Value operand) { return seen.insert(operand).second; });
  };
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto it = numbers.find(next); it != numbers.end())
      origins.parameters.push_back(it->second);
    else if (auto it = inputs.find(next); it != inputs.end())
      origins.inputs.push_back(it->second);
    else if (Operation *op = next.getDefiningOp())
      op->walk(addOperands);
    else
      origins.hasOthers = true;
  }
  return origins;
}

bool Parameters::record(const Origins &origins, const std::string &reason) {
  for (size_t number : origins.parameters)
    known.initializers.insert(parameters[number].name);
  for (const Input &input : origins.inputs)
    known.inputs.try_emplace(input.name, reason);
  return !origins.parameters.empty() || !origins.inputs.empty();
}

bool Parameters::makeConstant(Value value, const std::string &reason,
                              SmallVectorImpl<StringRef> &openInputs) {
  Origins origins = findOrigins(value);
  for (const Input &input : origins.inputs)
    if (!input.isKnown)
      openInputs.push_back(input.name);
  llvm::sort(openInputs);
  return openInputs.empty() && !origins.hasOthers && record(origins, reason);
}

void Parameters::makeConstantUnlessInput(Value value) {
  Origins origins = findOrigins(value);
  if (origins.inputs.empty() && !origins.hasOthers)
    record(origins, /*reason=*/"");
}

DenseElementsAttr Parameters::getInitial(Value value) const {
  auto it = numbers.find(value);
  return it == numbers.end()
             ? nullptr
             : dyn_cast<DenseElementsAttr>(parameters[it->second].initial);
}

void Parameters::setNext(Value parameter, Value next) {
  if (auto it = numbers.find(parameter); it != numbers.end())
    parameters[it->second].next.push_back(next);
}

//===----------------------------------------------------------------------===//
// Afterwards
//===----------------------------------------------------------------------===//

void Parameters::writeNext(OpBuilder &builder) {
  if (kind != ParameterKind::Variables)
    return;
  for (const Parameter &parameter : parameters) {
    if (parameter.next.size() > 1)
      emitWarning(parameter.loc)
          << "initializer '" << parameter.name << "' gets a new value from "
          << parameter.next.size()
          << " nodes: its variable keeps the old value";
    if (parameter.next.size() != 1)
      continue;
    Value next = parameter.next.front();
    auto read = parameter.value.getDefiningOp<pop::ReadOp>();
    pop::CopyInPlaceOp::create(builder, next.getLoc(), read.getTarget(), next);
  }
}

/// Returns the name of `parameter` for the host.
std::string Parameters::chooseName(const Parameter &parameter,
                                   llvm::StringSet<> &taken) {
  std::string name = parameter.name;
  // A generated name must differ from the names of all other parameters.
  auto isTaken = [&] {
    return taken.contains(name) ||
           (name != parameter.name && byName.contains(name));
  };
  for (int i = 0; isTaken(); ++i)
    name = parameter.name + "_" + std::to_string(i);
  taken.insert(name);
  if (name != parameter.name)
    emitWarning(parameter.loc) << "the name '" << parameter.name
                               << "' is already used; the host must use '"
                               << name << "' for the initializer";
  return name;
}

void Parameters::finishArguments(func::FuncOp function,
                                 llvm::StringSet<> &taken) {
  using pop::PopDialect;
  Builder builder(function.getContext());
  llvm::BitVector isUnused(function.getNumArguments());
  for (const Parameter &parameter : parameters) {
    unsigned index = cast<BlockArgument>(parameter.value).getArgNumber();
    if (parameter.value.use_empty()) {
      isUnused.set(index);
      continue;
    }
    function.setArgAttr(index, PopDialect::kNameAttrName,
                        builder.getStringAttr(chooseName(parameter, taken)));
    function.setArgAttr(index, PopDialect::kDefaultAttrName, parameter.initial);
  }
  (void)function.eraseArguments(isUnused);
}

void Parameters::finishVariables(func::FuncOp function,
                                 llvm::StringSet<> &taken) {
  taken.insert(function.getSymName());
  OpBuilder builder(function);
  for (auto get : function.getOps<pop::GetVariableOp>()) {
    const Parameter &parameter = parameters[byName.at(get.getVariable())];
    std::string name = chooseName(parameter, taken);
    get.setVariable(name);
    ElementsAttr initial = parameter.initial;
    pop::VariableOp::create(
        builder, get.getLoc(), name,
        cast<RankedTensorType>(initial.getShapedType()), initial,
        /*groups=*/{}, Retrieval::OnePerGroup, /*buffer=*/{}, /*row=*/{},
        /*sharding=*/{});
  }
}

void Parameters::finish(func::FuncOp function, llvm::StringSet<> taken) {
  if (kind == ParameterKind::Arguments)
    finishArguments(function, taken);
  else if (kind == ParameterKind::Variables)
    finishVariables(function, taken);
}
