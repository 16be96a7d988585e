//===- DebugAttrVerifiers.cpp - Verifiers of debug attributes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "ipu-mlir/Dialect/Sdy/IR/OriginKeys.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ipu;
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

AxisRefAttr sdy::parseOriginKey(StringAttr key, MeshAttr mesh) {
  MLIRContext *context = key.getContext();
  StringRef text = key.getValue();
  // A name may look like that of a part.
  if ((mesh && mesh.hasAxis(text)) || !text.contains(":("))
    return text.empty() ? AxisRefAttr() : AxisRefAttr::get(context, text);
  auto [name, part] = text.rsplit(":(");
  auto [preSizeText, sizeText] = part.split(')');
  int64_t preSize, size;
  if (name.empty() || preSizeText.getAsInteger(10, preSize) ||
      sizeText.getAsInteger(10, size) || preSize < 1 || size <= 1)
    return {};
  return AxisRefAttr::get(context, name,
                          SubAxisInfoAttr::get(context, preSize, size));
}

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

/// Keys are axes, of the mesh of `sharding` if there is one; origins have
/// names.
static LogicalResult verifyOrigins(DictionaryAttr origins,
                                   TensorShardingAttr sharding, Operation *from,
                                   NamedAttribute attribute,
                                   EmitErrorFn emitError) {
  MeshAttr mesh = sharding ? sharding.getMesh(from) : MeshAttr();
  StringRef name = attribute.getName();
  for (NamedAttribute entry : origins) {
    AxisRefAttr axis = parseOriginKey(entry.getName(), mesh);
    if (!axis)
      return emitError() << "expects keys of '" << name
                         << "' to be axes or sub-axes but got "
                         << entry.getName();
    auto emitAxisError = [&] {
      InFlightDiagnostic diag = emitError();
      diag << "key of '" << name << "' - ";
      return diag;
    };
    if (mesh && failed(verifyAxisLists(ArrayRef(axis), mesh, emitAxisError)))
      return failure();
    if (cast<StringAttr>(entry.getValue()).empty())
      return emitError() << "expects '" << name << "' to say where "
                         << axis.toString()
                         << " comes from but got an empty string";
  }
  return success();
}

/// One entry for each value, which fits its sharding.
static LogicalResult verifyOriginsOf(ValueRange values, Operation *op,
                                     NamedAttribute attribute) {
  auto emitError = [op] { return op->emitOpError(); };
  if (auto origins = dyn_cast<DictionaryAttr>(attribute.getValue()))
    return verifyOrigins(origins, getSharding(values.front()), op, attribute,
                         emitError);
  auto list = cast<ArrayAttr>(attribute.getValue());
  for (auto [origins, value] :
       llvm::zip_equal(list.getAsRange<DictionaryAttr>(), values))
    if (failed(verifyOrigins(origins, getSharding(value), op, attribute,
                             emitError)))
      return failure();
  return success();
}

static LogicalResult verifyOriginsOfResults(Operation *op,
                                            NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  size_t size = list ? list.size() : 1;
  if (size != op->getNumResults())
    return op->emitOpError("expects '")
           << name << "' to have one entry for each of " << op->getNumResults()
           << " results but got " << size;
  return verifyOriginsOf(op->getResults(), op, attribute);
}

//===----------------------------------------------------------------------===//
// Lists of data-flow ops
//===----------------------------------------------------------------------===//

/// The values that `list` has one entry each for: results of an op with edges,
/// or arguments of one of its blocks.
static FailureOr<SmallVector<Value>> getListedValues(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  size_t size = cast<ArrayAttr>(attribute.getValue()).size();
  if (op->isRegistered() && !isa<ShardableDataFlowOpInterface>(op))
    return op->emitOpError("expects no '")
           << name << "', which is only for ops with data-flow edges";
  if (name == kResultShardingOriginsAttrName ||
      name == kResultPropagationEdgesAttrName) {
    if (size == op->getNumResults())
      return llvm::to_vector_of<Value>(op->getResults());
    return op->emitOpError("expects '")
           << name << "' to have one entry for each of " << op->getNumResults()
           << " results but got " << size;
  }
  for (Region &region : op->getRegions())
    if (!region.empty() && region.getNumArguments() == size)
      return llvm::to_vector_of<Value>(region.getArguments());
  return op->emitOpError("expects '")
         << name
         << "' to have one entry for each argument of one of the op's regions "
            "but got "
         << size;
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
    return success(succeeded(verifyEdgeLists(op, value)) &&
                   succeeded(getListedValues(op, attribute)));
  auto verify = [&](bool isLegal, StringRef expected) -> LogicalResult {
    if (isLegal)
      return success();
    return op->emitOpError("expects '")
           << name << "' to be " << expected << " but got " << value;
  };
  if (name == kShardingOriginNameAttrName) {
    auto text = dyn_cast<StringAttr>(value);
    return verify(text && !text.empty(), "a string that is not empty");
  }
  if (name == kShardingOriginsAttrName) {
    if (failed(verify(
            isOrigins(value) || isOriginsList(value),
            "a dictionary of strings or an array of dictionaries of strings")))
      return failure();
    return verifyOriginsOfResults(op, attribute);
  }
  if (name == kResultShardingOriginsAttrName ||
      name == kBlockArgShardingOriginsAttrName) {
    if (failed(verify(isOriginsList(value),
                      "an array of dictionaries of strings")))
      return failure();
    FailureOr<SmallVector<Value>> values = getListedValues(op, attribute);
    return failed(values) ? failure() : verifyOriginsOf(*values, op, attribute);
  }
  return success();
}

LogicalResult sdy::verifyValueDebugAttribute(NamedAttribute attribute,
                                             TensorShardingAttr sharding,
                                             Operation *from,
                                             EmitErrorFn emitError) {
  Attribute value = attribute.getValue();
  if (attribute.getName() == kPropagationEdgesAttrName) {
    if (auto edges = dyn_cast<PropagationEdgesAttr>(value))
      return verifySteps(edges, emitError);
    return emitError() << "should have a propagation edges attribute of type "
                          "PropagationEdgesAttr for attr named '"
                       << kPropagationEdgesAttrName << "'";
  }
  if (attribute.getName() != kShardingOriginsAttrName)
    return success();
  if (!isOrigins(value))
    return emitError() << "expects '" << kShardingOriginsAttrName
                       << "' to be a dictionary of strings but got " << value;
  return verifyOrigins(cast<DictionaryAttr>(value), sharding, from, attribute,
                       emitError);
}
