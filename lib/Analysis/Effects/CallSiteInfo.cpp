//===- CallSiteInfo.cpp - Values and effects of a call site ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/CallSiteInfo.h"

using namespace mlir;
using namespace mlir::ipu;

static llvm::Error makeStringError(const Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

llvm::Error CallSiteInfo::makeError(const Twine &what) const {
  return makeStringError("call of @" + graph.getName() + ": " + what);
}

llvm::Expected<CallSiteInfo> CallSiteInfo::get(CallOpInterface call,
                                               const GraphEffects &effects) {
  FunctionOpInterface graph = effects.getCalls().getCallee(call);
  if (!graph)
    return makeStringError("'" + call->getName().getStringRef() +
                           "' calls no function of the module");
  CallSiteInfo info(call, graph, effects);
  if (!graph.getFunctionBody().hasOneBlock())
    return info.makeError("expects a graph with a body of one block");
  return info;
}

ValueRange CallSiteInfo::getReturned() const {
  Block &body = graph.getFunctionBody().front();
  if (!body.mightHaveTerminator())
    return {};
  return body.getTerminator()->getOperands().take_back(graph.getNumResults());
}

//===----------------------------------------------------------------------===//
// By number
//===----------------------------------------------------------------------===//

static llvm::Expected<Value>
getAt(ValueRange values, unsigned index,
      function_ref<llvm::Error(const Twine &)> makeError, StringRef what) {
  if (index < values.size())
    return values[index];
  return makeError("expects an " + what + " number below " +
                   Twine(values.size()) + " but got " + Twine(index));
}

llvm::Expected<Value> CallSiteInfo::getParentInput(unsigned index) const {
  return getAt(
      call.getArgOperands(), index,
      [&](const Twine &what) { return makeError(what); }, "input");
}

llvm::Expected<Value> CallSiteInfo::getParentOutput(unsigned index) const {
  return getAt(
      call->getResults(), index,
      [&](const Twine &what) { return makeError(what); }, "output");
}

llvm::Expected<Value> CallSiteInfo::getGraphInput(unsigned index) const {
  return getAt(
      graph.getArguments(), index,
      [&](const Twine &what) { return makeError(what); }, "input");
}

llvm::Expected<Value> CallSiteInfo::getGraphOutput(unsigned index) const {
  return getAt(
      getReturned(), index, [&](const Twine &what) { return makeError(what); },
      "output");
}

//===----------------------------------------------------------------------===//
// By value
//===----------------------------------------------------------------------===//

/// Adds what is in `to` where `from` has `value`.
static void findImages(Value value, ValueRange from, ValueRange to,
                       SmallVectorImpl<Value> &images) {
  for (auto [candidate, image] : llvm::zip_equal(from, to))
    if (candidate == value)
      images.push_back(image);
}

llvm::Expected<Value> CallSiteInfo::parentToGraph(Value parent) const {
  SmallVector<Value> images;
  findImages(parent, call.getArgOperands(), graph.getArguments(), images);
  findImages(parent, call->getResults(), getReturned(), images);
  if (images.size() == 1)
    return images.front();
  return images.empty()
             ? makeError("the value is not an input or output of the call")
             : makeError("expects the value to be exactly one input of the "
                         "call but it is " +
                         Twine(images.size()) + " inputs");
}

llvm::Expected<Value> CallSiteInfo::graphToParent(Value inGraph) const {
  SmallVector<Value> images;
  findImages(inGraph, graph.getArguments(), call.getArgOperands(), images);
  findImages(inGraph, getReturned(), call->getResults(), images);
  if (images.size() == 1)
    return images.front();
  return images.empty()
             ? makeError("the value is not an input or output of the graph")
             : makeError("expects the value to be exactly one input or output "
                         "of the graph but it is " +
                         Twine(images.size()) + " inputs or outputs");
}

//===----------------------------------------------------------------------===//
// What is modified
//===----------------------------------------------------------------------===//

llvm::Expected<ElementRegions>
CallSiteInfo::getModifiedRegions(unsigned index) const {
  llvm::Expected<Value> input = getParentInput(index);
  if (!input)
    return input.takeError();
  return effects->getOperandEffects(call, index).writes;
}

llvm::Expected<bool> CallSiteInfo::isModified(unsigned index) const {
  llvm::Expected<ElementRegions> regions = getModifiedRegions(index);
  if (!regions)
    return regions.takeError();
  return !regions->isEmpty();
}

SmallVector<unsigned> CallSiteInfo::getModifiedInputs() const {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < getNumInputs(); ++i)
    if (!effects->getOperandEffects(call, i).writes.isEmpty())
      inputs.push_back(i);
  return inputs;
}
