//===- ShardingOrigins.cpp - Origins of axes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingOrigins.h"

#include "../DataFlowEdges.h"
#include "FactorTable.h"
#include "ipu-mlir/Dialect/Sdy/IR/OriginKeys.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// What the program says
//===----------------------------------------------------------------------===//

ShardingOrigins::ShardingOrigins(ModuleOp module, ShardingState &state)
    : module(module), state(state), names(module) {
  module.walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (getSharding(result))
        given.insert(result);
  });
}

void ShardingOrigins::start(const ShardingGroups &groups) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      addFunction(function);
    else
      addResults(op);
  });
  module.walk([&](ShardingGroupOp op) {
    const Tensor *tensor = state.get(op.getInput());
    if (!tensor || originsOfTensor.contains(tensor))
      return;
    for (Value member : groups.getMembers(op.getInput()))
      if (auto it = originsOfTensor.find(state.get(member));
          it != originsOfTensor.end()) {
        AxisOrigins found = it->second;
        originsOfTensor[tensor] = found;
        return;
      }
  });
}

unsigned ShardingOrigins::getOrigin(StringRef name) {
  auto [it, isNew] = originOfName.try_emplace(name, origins.size());
  if (isNew)
    origins.push_back({name.str(), nullptr});
  return it->second;
}

/// The axis that a key means; none if the mesh has none such.
static std::optional<sharding::AxisRef> getOriginAxis(StringAttr key,
                                                      MeshAttr mesh) {
  AxisRefAttr ref = mesh ? parseOriginKey(key, mesh) : AxisRefAttr();
  return ref ? getAxisRef(ref, mesh) : std::nullopt;
}

void ShardingOrigins::add(const Tensor *tensor, DictionaryAttr told,
                          function_ref<std::string()> getName) {
  AxisOrigins found;
  auto addOwn = [&](const sharding::AxisRef &part,
                    const sharding::AxisRef &whole) {
    unsigned own = getOrigin(getName());
    origins[own].tensor = tensor;
    found.push_back({part, whole, own});
  };
  SmallVector<std::pair<sharding::AxisRef, StringRef>> known;
  if (told)
    for (NamedAttribute entry : told)
      if (auto axis = getOriginAxis(entry.getName(), tensor->mesh))
        if (auto name = dyn_cast<StringAttr>(entry.getValue()))
          known.push_back({*axis, name.getValue()});
  for (const sharding::AxisList &axes : getAxes(tensor))
    for (const sharding::AxisRef &axis : axes) {
      sharding::AxisList left = {axis};
      for (const auto &[other, name] : known) {
        sharding::AxisList rest = sharding::getDifference(left, other);
        for (const sharding::AxisRef &part :
             sharding::getDifference(left, rest))
          if (name == "self")
            addOwn(part, other);
          else
            found.push_back({part, other, getOrigin(name)});
        left = rest;
      }
      for (const sharding::AxisRef &part : left)
        addOwn(part, axis);
    }
  originsOfTensor[tensor] = found;
}

void ShardingOrigins::addOfFunction(const Tensor *tensor,
                                    FunctionOpInterface function,
                                    StringRef kind, unsigned index) {
  bool isOnly = llvm::hasSingleElement(module.getOps<FunctionOpInterface>());
  DictionaryAttr told = tensor->value
                            ? getOriginsAttr(tensor->value)
                            : function.getResultAttrOfType<DictionaryAttr>(
                                  index, kShardingOriginsAttrName);
  add(tensor, told, [&] {
    std::string name = kind.str() + ": " + std::to_string(index);
    return isOnly ? name : ("@" + function.getName() + " " + name).str();
  });
}

void ShardingOrigins::addFunction(FunctionOpInterface function) {
  if (!function.isExternal())
    for (BlockArgument argument : function.getArguments())
      if (const Tensor *tensor = state.get(argument);
          tensor && tensor->value == argument && tensor->hasAxes())
        addOfFunction(tensor, function, "input", argument.getArgNumber());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (const Tensor *tensor = state.get(function, i);
        tensor && tensor->hasAxes())
      addOfFunction(tensor, function, "output", i);
}

SmallVector<sharding::AxisList>
ShardingOrigins::getAxes(const Tensor *tensor) const {
  SmallVector<sharding::AxisList> all = leadingAxes.lookup(tensor);
  all.resize(tensor->sharding.dims.size());
  for (auto [axes, dim] : llvm::zip_equal(all, tensor->sharding.dims))
    llvm::append_range(axes, dim.axes);
  return all;
}

void ShardingOrigins::addResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    const Tensor *tensor = state.get(result);
    // Of an edge, its op has the sharding.
    if (!tensor || tensor->value != result || !given.contains(result))
      continue;
    if (auto edge = dyn_cast<DataFlowEdgeOp>(op))
      if (ManualComputationOp manual = getManualComputation(edge.getInput()))
        leadingAxes[tensor] =
            getLeadingManualAxes(manual, getSharding(edge.getInput()));
    if (llvm::all_of(getAxes(tensor), [](const sharding::AxisList &axes) {
          return axes.empty();
        }))
      continue;
    Value owner = result;
    if (isa<DataFlowEdgeOp, FuncDataFlowEdgeOp>(op))
      owner = op->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(owner);
    Operation *named =
        argument ? argument.getOwner()->getParentOp() : owner.getDefiningOp();
    unsigned index = argument ? argument.getArgNumber()
                              : cast<OpResult>(owner).getResultNumber();
    if (auto function = dyn_cast<FunctionOpInterface>(named)) {
      addOfFunction(tensor, function, "input", index);
      continue;
    }
    add(tensor, getOriginsAttr(result), [&] {
      std::string name = names.get(named).str();
      if (isa<ShardingConstraintOp>(named))
        return name;
      StringRef way = argument                          ? "_input"
                      : isa<ManualComputationOp>(named) ? "_output"
                                                        : "";
      return name + way.str() + ": " + std::to_string(index);
    });
  }
}

//===----------------------------------------------------------------------===//
// What propagation does
//===----------------------------------------------------------------------===//

ShardingOrigins::AxisOrigins
ShardingOrigins::getOrigins(const Tensor *tensor,
                            const sharding::AxisRef &axis) const {
  AxisOrigins found;
  auto it = originsOfTensor.find(tensor);
  if (it == originsOfTensor.end())
    return found;
  for (const AxisOrigin &entry : it->second)
    if (std::optional<sharding::AxisRef> common =
            sharding::getOverlap(entry.part, axis))
      found.push_back({*common, entry.whole, entry.origin});
  return found;
}

static bool has(const ShardingState::Tensor *tensor,
                const sharding::AxisRef &axis) {
  return tensor && llvm::any_of(tensor->sharding.dims, [&](const auto &dim) {
           return llvm::any_of(dim.axes, [&](const auto &other) {
             return sharding::contains(other, axis);
           });
         });
}

/// The first tensor that had all of `axes` along the factor, or, where each had
/// less, (a part of) `axis`.
static std::optional<unsigned> findSource(const PropagationStep &step,
                                          unsigned factor,
                                          ArrayRef<sharding::AxisRef> axes,
                                          const sharding::AxisRef &axis) {
  std::optional<unsigned> source;
  for (unsigned i = 0; i < step.tensors.size(); ++i) {
    const auto *entry = step.before.getTensor(i).find(factor);
    if (!entry)
      continue;
    if (sharding::getPrefixStatus(axes, entry->axes) !=
        sharding::PrefixStatus::NotPrefix)
      return i;
    if (!source && sharding::overlapsAny(axis, entry->axes))
      source = i;
  }
  return source;
}

/// What one tensor got along one factor.
void ShardingOrigins::addMoves(const PropagationStep &step, unsigned factor,
                               unsigned target, SmallVectorImpl<Move> &moves) {
  const Tensor *tensor = step.tensors[target];
  const auto *entry = step.after.getTensor(target).find(factor);
  if (!tensor || !entry)
    return;
  const auto *old = step.before.getTensor(target).find(factor);
  ArrayRef<sharding::AxisRef> oldAxes;
  if (old)
    oldAxes = old->axes;
  for (const sharding::AxisRef &whole : entry->axes)
    for (const sharding::AxisRef &part :
         sharding::getDifference(whole, oldAxes)) {
      std::optional<unsigned> source =
          findSource(step, factor, entry->axes, part);
      // What would need a strided view was not written.
      if (!source || !has(tensor, part))
        continue;
      AxisOrigins from = getOrigins(step.tensors[*source], part);
      bool isOne = llvm::all_of(from, [&](const AxisOrigin &entry) {
        return entry.origin == from.front().origin;
      });
      if (isOne)
        for (AxisOrigin &entry : from)
          entry.whole = whole;
      llvm::append_range(originsOfTensor[tensor], from);
      auto *move = llvm::find_if(moves, [&](const Move &other) {
        return other.axis == whole && other.source == *source;
      });
      if (move == moves.end()) {
        moves.push_back({whole, *source, {}});
        move = &moves.back();
      }
      if (!llvm::is_contained(move->targets, target))
        move->targets.push_back(target);
    }
}

void ShardingOrigins::addStep(const PropagationStep &step,
                              ArrayRef<Move> moves) {
  MLIRContext *context = module.getContext();
  unsigned numOperands = step.rule.operands.size();
  auto getRef = [&](unsigned tensor) {
    bool isOperand = tensor < numOperands;
    int64_t index = isOperand ? tensor : tensor - numOperands;
    // A returned value and the result of the function have the same number.
    if (step.op->hasTrait<OpTrait::IsTerminator>())
      index = step.operandNumber;
    return EdgeValueRefAttr::get(
        context, isOperand ? EdgeValue::OPERAND : EdgeValue::RESULT, index);
  };
  SmallVector<AxisToPropagationDetailsAttr> details;
  for (const Move &move : moves)
    details.push_back(AxisToPropagationDetailsAttr::get(
        context, getAxisRefAttr(context, move.axis, step.mesh),
        getRef(move.source), llvm::map_to_vector(move.targets, getRef)));
  PropagationOneStepAttr attr =
      getStepAttr(context, numSteps, std::move(details)).getValue().front();
  const Tensor *last = step.tensors.back();
  if (last && !last->value)
    resultEdges[{last->function, last->result}].push_back(attr);
  else
    edges[step.op].push_back(attr);
}

void ShardingOrigins::notifyStep(const PropagationStep &step) {
  SmallVector<Move> moves;
  for (unsigned factor = 0; factor < step.rule.factors.size(); ++factor)
    for (unsigned i = 0; i < step.tensors.size(); ++i)
      addMoves(step, factor, i, moves);
  for (auto [from, to] : copies) {
    // Not by reference: the new entry may move the old one.
    AxisOrigins found = originsOfTensor.lookup(from);
    originsOfTensor[to] = found;
  }
  copies.clear();
  if (!moves.empty())
    addStep(step, moves);
  ++numSteps;
}

void ShardingOrigins::notifyCopy(const Tensor &from, const Tensor &to) {
  copies.push_back({&from, &to});
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

DictionaryAttr ShardingOrigins::getAttr(const Tensor *tensor) const {
  MLIRContext *context = ModuleOp(module).getContext();
  NamedAttrList entries;
  auto addEntry = [&](const sharding::AxisRef &axis, unsigned origin) {
    bool isOwn = origins[origin].tensor == tensor;
    entries.set(
        getOriginKey(axis, tensor->mesh),
        StringAttr::get(context, isOwn ? "self" : origins[origin].name));
  };
  for (const sharding::AxisList &axes : getAxes(tensor))
    for (const sharding::AxisRef &axis : axes) {
      AxisOrigins found = getOrigins(tensor, axis);
      bool isOne = llvm::all_of(found, [&](const AxisOrigin &entry) {
        return entry.origin == found.front().origin;
      });
      if (isOne && !found.empty()) {
        addEntry(axis, found.front().origin);
        continue;
      }
      for (const AxisOrigin &entry : found) {
        // The whole has to be in the axis, and to mean no other part of it.
        bool isClear =
            sharding::contains(axis, entry.whole) &&
            llvm::none_of(found, [&](const AxisOrigin &other) {
              return other.origin != entry.origin && other.whole == entry.whole;
            });
        addEntry(isClear ? entry.whole : entry.part, entry.origin);
      }
    }
  return entries.getDictionary(context);
}

void ShardingOrigins::writeOrigins() {
  names.write(module);
  auto writeFunction = [&](FunctionOpInterface function) {
    auto name = StringAttr::get(module.getContext(), kShardingOriginsAttrName);
    if (!function.isExternal())
      for (BlockArgument argument : function.getArguments())
        if (const Tensor *tensor = state.get(argument);
            tensor && tensor->hasAxes())
          setOriginsAttr(argument, getAttr(tensor));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (const Tensor *tensor = state.get(function, i);
          tensor && tensor->hasAxes())
        function.setResultAttr(i, name, getAttr(tensor));
  };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      writeFunction(function);
    for (OpResult result : op->getResults()) {
      const Tensor *tensor = state.get(result);
      if (!tensor || tensor->value != result)
        continue;
      if (DictionaryAttr attr = getAttr(tensor); !attr.empty())
        setOriginsAttr(result, attr);
    }
  });
}

void ShardingOrigins::writeEdges() {
  MLIRContext *context = module.getContext();
  auto name = StringAttr::get(context, kPropagationEdgesAttrName);
  // Ops that died are not found, nor looked at.
  module.walk([&](Operation *op) {
    if (auto *it = edges.find(op); it != edges.end())
      op->setAttr(name, PropagationEdgesAttr::get(context, it->second));
  });
  for (auto &[result, steps] : resultEdges)
    cast<FunctionOpInterface>(result.first)
        .setResultAttr(result.second, name,
                       PropagationEdgesAttr::get(context, steps));
}

PropagationEdgesAttr
sdy::getStepAttr(MLIRContext *context, int64_t step,
                 SmallVector<AxisToPropagationDetailsAttr> details) {
  auto getKey = [](AxisToPropagationDetailsAttr one) {
    AxisRefAttr axis = one.getAxisName();
    SubAxisInfoAttr info = axis.getSubAxisInfo();
    return std::make_tuple(axis.getName(), info ? info.getPreSize() : 0,
                           info ? info.getSize() : 0, one.getSource().getType(),
                           one.getSource().getIndex());
  };
  llvm::sort(details, [&](AxisToPropagationDetailsAttr a,
                          AxisToPropagationDetailsAttr b) {
    return getKey(a) < getKey(b);
  });
  return PropagationEdgesAttr::get(
      context, PropagationOneStepAttr::get(context, step, details));
}

//===----------------------------------------------------------------------===//
// Before propagation
//===----------------------------------------------------------------------===//

void sdy::setGivenOrigins(Value value, TensorShardingAttr demand,
                          StringRef origin) {
  NamedAttrList entries;
  for (DimensionShardingAttr dim : demand.getDimShardings())
    for (AxisRefAttr axis : dim.getAxes()) {
      std::string key = axis.toString();
      llvm::erase(key, '"');
      entries.set(key, StringAttr::get(demand.getContext(), origin));
    }
  if (!entries.empty())
    setOriginsAttr(value, entries.getDictionary(demand.getContext()));
}

void sdy::writeGivenOrigins(ModuleOp module) {
  ShardingState state(module);
  ShardingOrigins origins(module, state);
  // No group has shared its sharding yet.
  origins.start(ShardingGroups(module));
  origins.writeOrigins();
}
