//===- DebugAttrVerifiers.cpp - Origins and steps of propagation ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ipu::sdy;

namespace sdy = mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// What can be said without the op: numbers of steps, sources and targets.
static LogicalResult verifySteps(PropagationEdgesAttr edges,
                                 EmitErrorFn emitError) {
  llvm::SmallSet<int64_t, 8> seenSteps;
  for (PropagationOneStepAttr step : edges.getValue()) {
    int64_t index = step.getStepIndex();
    if (index < 0)
      return emitError() << "propagation edges have negative step index: "
                         << index;
    if (!seenSteps.insert(index).second)
      return emitError() << "propagation edges have duplicate step index: "
                         << index;
    for (AxisToPropagationDetailsAttr details : step.getAxisEntries()) {
      ArrayRef<EdgeValueRefAttr> targets = details.getTargets();
      if (llvm::is_contained(targets, details.getSource()))
        return emitError() << "propagation edges have a source that is the "
                              "same as a target";
      for (auto [i, target] : llvm::enumerate(targets))
        if (llvm::is_contained(targets.take_front(i), target))
          return emitError()
                 << "propagation edges have duplicate targets for "
                    "step index: "
                 << index << " and axis: " << details.getAxisName().getName();
    }
  }
  return success();
}

/// Operands and results that steps name are there.
static LogicalResult verifyValueRef(Operation *op, EdgeValueRefAttr ref) {
  bool isOperand = ref.getType() == EdgeValue::OPERAND;
  int64_t size = isOperand ? op->getNumOperands() : op->getNumResults();
  if (ref.getIndex() >= 0 && ref.getIndex() < size)
    return success();
  return op->emitOpError("expected a value ref to have ")
         << (isOperand ? "an operand" : "a result") << " index in range [0, "
         << size << "), got: " << ref.getIndex();
}

static LogicalResult verifyAxis(Operation *op, AxisRefAttr axis,
                                ArrayRef<MeshAttr> meshes) {
  bool isKnown = llvm::any_of(
      meshes, [&](MeshAttr mesh) { return mesh.hasAxis(axis.getName()); });
  if (isKnown)
    return success();
  return op->emitOpError("expected axis ref to be in one of the meshes, got: ")
         << axis.toString();
}

/// The steps of an op that has a rule: what they name is of the op.
static LogicalResult verifyStepsOfOp(Operation *op,
                                     PropagationEdgesAttr edges) {
  SmallVector<MeshAttr> meshes;
  auto addMesh = [&](Value value) {
    if (TensorShardingAttr sharding = getUseSharding(value))
      if (MeshAttr mesh = sharding.getMesh(op))
        meshes.push_back(mesh);
  };
  llvm::for_each(op->getOperands(), addMesh);
  llvm::for_each(op->getResults(), addMesh);
  if (meshes.empty() && !edges.getValue().empty())
    return op->emitOpError("expected propagation edges attr to reference a "
                           "sharding");
  for (PropagationOneStepAttr step : edges.getValue())
    for (AxisToPropagationDetailsAttr details : step.getAxisEntries()) {
      if (failed(verifyAxis(op, details.getAxisName(), meshes)) ||
          failed(verifyValueRef(op, details.getSource())))
        return failure();
      for (EdgeValueRefAttr target : details.getTargets())
        if (failed(verifyValueRef(op, target)))
          return failure();
    }
  return success();
}

static LogicalResult verifyEdges(Operation *op, Attribute value) {
  auto emitError = [op] { return op->emitOpError(); };
  auto edges = dyn_cast<PropagationEdgesAttr>(value);
  if (!edges)
    return op->emitOpError("should have a propagation edges attribute of type "
                           "PropagationEdgesAttr for attr named '")
           << kPropagationEdgesAttrName << "'";
  if (failed(verifySteps(edges, emitError)))
    return failure();
  // The sources of an edge are operands of other ops.
  return isa<DataFlowEdgeOp, FuncDataFlowEdgeOp>(op)
             ? success()
             : verifyStepsOfOp(op, edges);
}

static LogicalResult verifyEdgeLists(Operation *op, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  bool isList = list && llvm::all_of(list, llvm::IsaPred<PropagationEdgesAttr>);
  if (!isList)
    return op->emitOpError("should have a propagation edges attribute of type "
                           "ArrayAttr<PropagationEdgesAttr> for attr named '")
           << kResultPropagationEdgesAttrName << "' or '"
           << kBlockArgPropagationEdgesAttrName << "'";
  for (auto edges : list.getAsRange<PropagationEdgesAttr>())
    if (failed(verifySteps(edges, [op] { return op->emitOpError(); })))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

/// From axes to names.
static bool isOrigins(Attribute value) {
  auto dictionary = dyn_cast<DictionaryAttr>(value);
  return dictionary && llvm::all_of(dictionary, [](NamedAttribute entry) {
           return isa<StringAttr>(entry.getValue());
         });
}

static bool isOriginsList(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, isOrigins);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

LogicalResult sdy::verifyDebugAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kPropagationEdgesAttrName)
    return verifyEdges(op, value);
  if (name == kResultPropagationEdgesAttrName ||
      name == kBlockArgPropagationEdgesAttrName)
    return verifyEdgeLists(op, value);
  auto verify = [&](bool isLegal, StringRef expected) -> LogicalResult {
    if (isLegal)
      return success();
    return op->emitOpError("expects '")
           << name << "' to be " << expected << " but got " << value;
  };
  if (name == kShardingOriginNameAttrName)
    return verify(isa<StringAttr>(value), "a string");
  if (name == kShardingOriginsAttrName)
    return verify(isOrigins(value) || isOriginsList(value),
                  "a dictionary of strings or an array of such");
  if (name == kResultShardingOriginsAttrName ||
      name == kBlockArgShardingOriginsAttrName)
    return verify(isOriginsList(value), "an array of dictionaries of strings");
  return success();
}

LogicalResult sdy::verifyValueDebugAttribute(NamedAttribute attribute,
                                             EmitErrorFn emitError) {
  Attribute value = attribute.getValue();
  if (attribute.getName() == kPropagationEdgesAttrName) {
    if (auto edges = dyn_cast<PropagationEdgesAttr>(value))
      return verifySteps(edges, emitError);
    return emitError() << "should have a propagation edges attribute of type "
                          "PropagationEdgesAttr for attr named '"
                       << kPropagationEdgesAttrName << "'";
  }
  if (attribute.getName() == kShardingOriginsAttrName && !isOrigins(value))
    return emitError() << "expects '" << kShardingOriginsAttrName
                       << "' to be a dictionary of strings but got " << value;
  return success();
}
