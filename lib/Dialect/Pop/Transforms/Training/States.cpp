//===- States.cpp - States of a function ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "States.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"

using namespace mlir;
using namespace mlir::pop;

State StateBuilder::add(const StateSpec &spec, bool isArgument) {
  return isArgument ? addArgument(spec) : addVariable(spec);
}

State StateBuilder::addArgument(const StateSpec &spec) {
  NamedAttrList attributes(spec.placement);
  attributes.set(PopDialect::kNameAttrName, b.getStringAttr(spec.name));
  attributes.set(PopDialect::kDefaultAttrName, spec.initial);
  if (spec.groups)
    attributes.set(PopDialect::kGroupsAttrName, spec.groups);
  State state;
  state.argument = function.getNumArguments();
  (void)function.insertArgument(
      state.argument, spec.type, attributes.getDictionary(b.getContext()),
      NameLoc::get(b.getStringAttr(spec.name), function.getLoc()));
  state.value = function.getArgument(state.argument);
  return state;
}

State StateBuilder::addVariable(const StateSpec &spec) {
  Location loc = function.getLoc();
  bool isEach = spec.groups && spec.groups.getGroupSize() == 1;
  auto variable = VariableOp::create(
      b, loc, b.getStringAttr(spec.name), TypeAttr::get(spec.type),
      spec.initial, spec.groups,
      RetrievalAttr::get(b.getContext(), isEach ? ipu::Retrieval::AllReplicas
                                                : ipu::Retrieval::OnePerGroup),
      /*buffer=*/nullptr, /*row=*/nullptr, spec.sharding);
  variable->setDiscardableAttrs(spec.placement.getDictionary(b.getContext()));
  variable->remove();
  symbols.insert(variable, Block::iterator(function));
  State state;
  state.ref = GetVariableOp::create(
      b, loc, RefType::get(variable.getDeviceType()), variable.getSymName());
  state.value = ReadOp::create(b, loc, state.ref);
  return state;
}

void StateBuilder::update(const State &state, Value value) {
  if (state.ref) {
    CopyInPlaceOp::create(b, value.getLoc(), state.ref, value);
    return;
  }
  unsigned index = function.getNumResults();
  auto name = function.getArgAttrOfType<StringAttr>(state.argument,
                                                    PopDialect::kNameAttrName);
  (void)function.insertResult(
      index, value.getType(),
      getUpdateAttrs(b.getContext(), state.argument, name.getValue()));
  function.getBody().front().getTerminator()->insertOperands(index, value);
}

Value StateBuilder::accumulate(State &state, AccumulateKind kind, Value value,
                               double factor, Value step, Value factorTensor) {
  Location loc = value.getLoc();
  auto kindAttr = AccumulateKindAttr::get(b.getContext(), kind);
  FloatAttr factorAttr = b.getF64FloatAttr(factor);
  if (state.ref) {
    AccumulateInPlaceOp::create(b, loc, kindAttr, state.ref, value,
                                factorTensor, step, factorAttr);
    if (state.value && state.value.use_empty()) {
      state.value.getDefiningOp()->erase();
      state.value = {};
    }
    return {};
  }
  return AccumulateOp::create(b, loc, state.value.getType(), kindAttr,
                              state.value, value, factorTensor, step,
                              factorAttr);
}

Value StateBuilder::readAccumulated(Location loc, const State &state,
                                    Value result) {
  if (!state.ref)
    return result;
  return ReadOp::create(b, loc, state.ref);
}

bool mlir::pop::isKeptByState(StringRef name) {
  return isPlacementAttr(name) || name == PopDialect::kOptimizerAttrName;
}

DictionaryAttr mlir::pop::getUpdateAttrs(MLIRContext *context,
                                         unsigned argument, StringRef name) {
  Builder b(context);
  NamedAttribute attributes[] = {
      {b.getStringAttr(PopDialect::kNameAttrName),
       b.getStringAttr("Updated___" + name)},
      {b.getStringAttr(PopDialect::kUpdatesAttrName),
       GraphValueAttr::get(context, GraphValueKind::Argument, argument)}};
  return b.getDictionaryAttr(attributes);
}
