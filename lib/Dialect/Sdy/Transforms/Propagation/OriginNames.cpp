//===- OriginNames.cpp - Names of axis origins ------------------*- C++ -*-===//
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
// Ops that become one
//===----------------------------------------------------------------------===//

void OriginRenames::add(Operation *kept, Operation *gone) {
  auto old = gone->getAttrOfType<StringAttr>(kShardingOriginNameAttrName);
  if (!old)
    return;
  auto name = kept->getAttrOfType<StringAttr>(kShardingOriginNameAttrName);
  if (!name)
    kept->setAttr(kShardingOriginNameAttrName, name = old);
  newNames.try_emplace(old.getValue(), name.str());
}

/// The op that an origin such as `mc_0_input: 1` names.
static StringRef getNamedOp(StringRef origin) {
  auto [name, number] = origin.rsplit(": ");
  unsigned index;
  if (number.getAsInteger(10, index))
    return origin;
  if (!name.consume_back("_input"))
    name.consume_back("_output");
  return name;
}

/// `self`: how others call the value that has these origins.
DictionaryAttr OriginRenames::rename(DictionaryAttr origins,
                                     const Twine &self) const {
  MLIRContext *context = origins.getContext();
  std::string own = self.str();
  NamedAttrList renamed;
  for (NamedAttribute entry : origins) {
    auto origin = dyn_cast<StringAttr>(entry.getValue());
    StringRef name = origin ? getNamedOp(origin) : StringRef();
    if (auto it = newNames.find(name); it != newNames.end()) {
      std::string text =
          it->second + origin.getValue().substr(name.size()).str();
      origin = StringAttr::get(context, text == own ? "self" : text);
    }
    renamed.set(entry.getName(), origin ? origin : entry.getValue());
  }
  return renamed.getDictionary(context);
}

void OriginRenames::renameIn(Operation *op) const {
  auto name = op->getAttrOfType<StringAttr>(kShardingOriginNameAttrName);
  if (name)
    if (auto it = newNames.find(name.getValue()); it != newNames.end())
      op->setAttr(kShardingOriginNameAttrName,
                  name = StringAttr::get(op->getContext(), it->second));
  std::string self = name ? name.str() : "";
  auto renameList = [&](StringRef attrName, StringRef way) {
    Attribute attr = op->getAttr(attrName);
    if (auto origins = dyn_cast_or_null<DictionaryAttr>(attr))
      op->setAttr(attrName, rename(origins, self));
    auto list = dyn_cast_or_null<ArrayAttr>(attr);
    if (!list)
      return;
    SmallVector<Attribute> entries(list.getValue());
    for (auto [i, entry] : llvm::enumerate(entries))
      if (auto origins = dyn_cast<DictionaryAttr>(entry))
        entry = rename(origins, self + way + ": " + Twine(i));
    op->setAttr(attrName, ArrayAttr::get(op->getContext(), entries));
  };
  renameList(kShardingOriginsAttrName, "");
  renameList(kBlockArgShardingOriginsAttrName, "_input");
  renameList(kResultShardingOriginsAttrName, "_output");
}

void OriginRenames::apply(ModuleOp module) const {
  if (newNames.empty())
    return;
  auto name = StringAttr::get(module.getContext(), kShardingOriginsAttrName);
  module.walk([&](Operation *op) {
    renameIn(op);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto origins = function.getArgAttrOfType<DictionaryAttr>(i, name))
        function.setArgAttr(i, name, rename(origins, ""));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto origins = function.getResultAttrOfType<DictionaryAttr>(i, name))
        function.setResultAttr(i, name, rename(origins, ""));
  });
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ArrayRef<StringLiteral> sdy::getDebugAttrNames() {
  static constexpr StringLiteral names[] = {
      kShardingOriginsAttrName,       kBlockArgShardingOriginsAttrName,
      kResultShardingOriginsAttrName, kShardingOriginNameAttrName,
      kPropagationEdgesAttrName,      kBlockArgPropagationEdgesAttrName,
      kResultPropagationEdgesAttrName};
  return names;
}

DictionaryAttr sdy::getAttrsWithoutDebugInfo(Operation *op) {
  NamedAttrList attrs(op->getAttrDictionary());
  for (StringRef name : getDebugAttrNames())
    attrs.erase(name);
  return attrs.getDictionary(op->getContext());
}

std::string sdy::getOriginKey(const sharding::AxisRef &axis, MeshAttr mesh) {
  // The quotes of an axis are not part of a name.
  std::string key = toString(axis, mesh);
  llvm::erase(key, '"');
  return key;
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
