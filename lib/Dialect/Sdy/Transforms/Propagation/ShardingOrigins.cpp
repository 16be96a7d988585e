//===- ShardingOrigins.cpp - Where axes come from -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingOrigins.h"

#include "../DataFlowEdges.h"
#include "FactorTable.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// What the program says
//===----------------------------------------------------------------------===//

ShardingOrigins::ShardingOrigins(ModuleOp module, ShardingState &state)
    : module(module), state(state) {
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

void ShardingOrigins::add(const Tensor *tensor, std::string name) {
  AxisOrigins &found = originsOfTensor[tensor];
  for (const sharding::AxisList &axes : getAxes(tensor))
    for (const sharding::AxisRef &axis : axes)
      found.push_back({axis, static_cast<unsigned>(origins.size())});
  origins.push_back({std::move(name), tensor});
}

void ShardingOrigins::addOfFunction(const Tensor *tensor,
                                    FunctionOpInterface function,
                                    StringRef kind, unsigned index) {
  std::string name = kind.str() + ": " + std::to_string(index);
  if (!llvm::hasSingleElement(module.getOps<FunctionOpInterface>()))
    name = ("@" + function.getName() + " " + name).str();
  add(tensor, name);
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

const std::string &ShardingOrigins::getName(Operation *op) {
  StringRef kind = isa<ShardingConstraintOp>(op)  ? "constraint_"
                   : isa<ManualComputationOp>(op) ? "mc_"
                                                  : "op_";
  std::string &name = names[op];
  if (name.empty())
    name = kind.str() + std::to_string(numNames[kind]++);
  return name;
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
    if (isa<ShardingConstraintOp>(op)) {
      add(tensor, getName(op));
      continue;
    }
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
    StringRef way = argument                          ? "_input"
                    : isa<ManualComputationOp>(named) ? "_output"
                                                      : "";
    add(tensor, getName(named) + way.str() + ": " + std::to_string(index));
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
  for (const auto &[part, origin] : it->second)
    if (std::optional<sharding::AxisRef> common =
            sharding::getOverlap(part, axis))
      found.push_back({*common, origin});
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

/// The first tensor that had (a part of) the axis along the factor.
static std::optional<unsigned> findSource(const PropagationStep &step,
                                          unsigned factor,
                                          const sharding::AxisRef &axis) {
  for (unsigned i = 0; i < step.tensors.size(); ++i)
    if (const auto *entry = step.before.getTensor(i).find(factor))
      if (llvm::any_of(entry->axes, [&](const sharding::AxisRef &other) {
            return sharding::overlaps(other, axis);
          }))
        return i;
  return std::nullopt;
}

void ShardingOrigins::notifyStep(const PropagationStep &step) {
  // By axis and source: who got it. In the order of factors.
  struct Move {
    sharding::AxisRef axis;
    unsigned source;
    SmallVector<unsigned> targets;
  };
  SmallVector<Move> moves;
  for (unsigned factor = 0; factor < step.rule.factors.size(); ++factor)
    for (auto [i, tensor] : llvm::enumerate(step.tensors)) {
      const auto *entry = step.after.getTensor(i).find(factor);
      if (!tensor || !entry)
        continue;
      const auto *old = step.before.getTensor(i).find(factor);
      for (const sharding::AxisRef &axis : sharding::getDifference(
               entry->axes,
               old ? ArrayRef(old->axes) : ArrayRef<sharding::AxisRef>())) {
        // What would need a strided view was not written.
        std::optional<unsigned> source = findSource(step, factor, axis);
        if (!source || !has(tensor, axis))
          continue;
        llvm::append_range(originsOfTensor[tensor],
                           getOrigins(step.tensors[*source], axis));
        auto *move = llvm::find_if(moves, [&](const Move &other) {
          return other.axis == axis && other.source == *source;
        });
        if (move == moves.end()) {
          moves.push_back({axis, *source, {}});
          move = &moves.back();
        }
        move->targets.push_back(i);
      }
    }
  for (auto [from, to] : copies) {
    // Not by reference: the new entry may move the old one.
    AxisOrigins found = originsOfTensor.lookup(from);
    originsOfTensor[to] = found;
  }
  copies.clear();
  int64_t number = numSteps++;
  if (moves.empty())
    return;

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
  auto attr = PropagationOneStepAttr::get(context, number, details);
  const Tensor *last = step.tensors.back();
  if (last && !last->value)
    resultEdges[{last->function, last->result}].push_back(attr);
  else
    edges[step.op].push_back(attr);
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
    // `x:(1)2`: the quotes of an axis are not part of a name.
    std::string name = toString(axis, tensor->mesh);
    llvm::erase(name, '"');
    bool isOwn = origins[origin].tensor == tensor;
    entries.set(
        name, StringAttr::get(context, isOwn ? "self" : origins[origin].name));
  };
  for (const sharding::AxisList &axes : getAxes(tensor))
    for (const sharding::AxisRef &axis : axes) {
      AxisOrigins found = getOrigins(tensor, axis);
      bool isOne = !found.empty() && llvm::all_of(found, [&](const auto &part) {
        return part.second == found.front().second;
      });
      if (isOne)
        addEntry(axis, found.front().second);
      else
        for (const auto &[part, origin] : found)
          addEntry(part, origin);
    }
  return entries.getDictionary(context);
}

void ShardingOrigins::writeOrigins() {
  MLIRContext *context = module.getContext();
  auto writeFunction = [&](FunctionOpInterface function) {
    auto name = StringAttr::get(context, kShardingOriginsAttrName);
    if (!function.isExternal())
      for (BlockArgument argument : function.getArguments())
        if (const Tensor *tensor = state.get(argument);
            tensor && tensor->hasAxes())
          function.setArgAttr(argument.getArgNumber(), name, getAttr(tensor));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (const Tensor *tensor = state.get(function, i);
          tensor && tensor->hasAxes())
        function.setResultAttr(i, name, getAttr(tensor));
  };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      writeFunction(function);
      return;
    }
    if (auto *it = names.find(op); it != names.end())
      op->setAttr(kShardingOriginNameAttrName,
                  StringAttr::get(context, it->second));
    SmallVector<Attribute> dictionaries;
    bool hasAxes = false;
    for (OpResult result : op->getResults()) {
      const Tensor *tensor = state.get(result);
      bool isOwn = tensor && tensor->value == result;
      dictionaries.push_back(isOwn ? getAttr(tensor)
                                   : DictionaryAttr::get(context));
      hasAxes |= !cast<DictionaryAttr>(dictionaries.back()).empty();
    }
    if (!hasAxes)
      return;
    // Ops that are about one tensor have no list, as in Shardy.
    op->setAttr(kShardingOriginsAttrName,
                isa<ShardingConstraintOp>(op)
                    ? dictionaries.front()
                    : ArrayAttr::get(context, dictionaries));
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
