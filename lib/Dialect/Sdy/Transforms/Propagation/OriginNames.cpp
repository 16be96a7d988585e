//===- OriginNames.cpp - What origins of axes are called ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginNames.h"

#include "FactorTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static StringRef getKind(Operation *op) {
  return isa<ShardingConstraintOp>(op)  ? "constraint_"
         : isa<ManualComputationOp>(op) ? "mc_"
                                        : "op_";
}

OriginNames::OriginNames(ModuleOp module) {
  module.walk([&](Operation *op) {
    auto given = op->getAttrOfType<StringAttr>(kShardingOriginNameAttrName);
    if (!given)
      return;
    names[op] = given.str();
    StringRef number = given.getValue(), kind = getKind(op);
    unsigned value = 0;
    if (number.consume_front(kind) && !number.getAsInteger(10, value))
      numNames[kind] = std::max(numNames[kind], value + 1);
  });
  module.walk([&](Operation *op) {
    if (isa<ShardingConstraintOp, ManualComputationOp>(op))
      get(op);
  });
}

StringRef OriginNames::get(Operation *op) {
  std::string &name = names[op];
  if (name.empty())
    name = (getKind(op) + Twine(numNames[getKind(op)]++)).str();
  return name;
}

std::string OriginNames::getOfDemand(OpOperand &use) {
  std::string name = get(use.getOwner()).str();
  if (isa<ManualComputationOp>(use.getOwner()))
    name += "_input: " + std::to_string(use.getOperandNumber());
  return name;
}

void OriginNames::write(ModuleOp module) const {
  module.walk([&](Operation *op) {
    if (const auto *it = names.find(op); it != names.end())
      op->setAttr(kShardingOriginNameAttrName,
                  StringAttr::get(op->getContext(), it->second));
  });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::string sdy::getOriginKey(const sharding::AxisRef &axis, MeshAttr mesh) {
  // The quotes of an axis are not part of a name.
  std::string key = toString(axis, mesh);
  llvm::erase(key, '"');
  return key;
}

std::optional<sharding::AxisRef> sdy::parseOriginKey(StringRef key,
                                                     MeshAttr mesh) {
  if (!mesh)
    return std::nullopt;
  if (std::optional<unsigned> axis = mesh.getAxisIndex(key))
    return sharding::getFullAxis(*axis, getMeshSizes(mesh));
  auto [name, part] = key.rsplit(":(");
  auto [preSize, size] = part.split(')');
  std::optional<unsigned> axis = mesh.getAxisIndex(name);
  sharding::AxisRef ref;
  if (!axis || preSize.getAsInteger(10, ref.preSize) ||
      size.getAsInteger(10, ref.size) || ref.preSize < 1 || ref.size <= 1)
    return std::nullopt;
  ref.axis = *axis;
  return ref;
}

namespace {
/// Where the origins of a value are: on this op, under this name; in an array
/// with this many entries, or alone if that is 0.
struct OriginsPlace {
  Operation *op;
  StringRef name;
  size_t size;
  unsigned index;
};
} // namespace

static OriginsPlace getPlace(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {argument.getOwner()->getParentOp(),
            kBlockArgShardingOriginsAttrName,
            argument.getOwner()->getNumArguments(), argument.getArgNumber()};
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  // Ops that are about one tensor have no list, as in Shardy.
  bool isAlone =
      isa<ShardingConstraintOp, ReshardOp, DataFlowEdgeOp, FuncDataFlowEdgeOp>(
          op);
  return {op, kShardingOriginsAttrName, isAlone ? 0 : op->getNumResults(),
          result.getResultNumber()};
}

DictionaryAttr sdy::getOriginsAttr(Value value) {
  auto [op, name, size, index] = getPlace(value);
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return function.getArgAttrOfType<DictionaryAttr>(index,
                                                     kShardingOriginsAttrName);
  if (size == 0)
    return op->getAttrOfType<DictionaryAttr>(name);
  auto list = op->getAttrOfType<ArrayAttr>(name);
  return list && index < list.size() ? dyn_cast<DictionaryAttr>(list[index])
                                     : DictionaryAttr();
}

void sdy::setOriginsAttr(Value value, DictionaryAttr origins) {
  auto [op, name, size, index] = getPlace(value);
  MLIRContext *context = op->getContext();
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    function.setArgAttr(
        index, StringAttr::get(context, kShardingOriginsAttrName), origins);
    return;
  }
  if (size == 0) {
    op->setAttr(name, origins);
    return;
  }
  SmallVector<Attribute> entries(size, DictionaryAttr::get(context));
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (list && list.size() == size)
    entries.assign(list.begin(), list.end());
  entries[index] = origins;
  op->setAttr(name, ArrayAttr::get(context, entries));
}
