//===- PropagationDriver.cpp - Driver of propagation ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PropagationDriver.h"

#include "../DataFlowEdges.h"
#include "ipu-mlir/Support/Actions.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Direction;

namespace mlir::ipu::sdy {
/// One visit of an op.
class PropagateAction : public StepAction<PropagateAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "sdy-propagate";
  static constexpr StringLiteral text = "propagate shardings through";
};
} // namespace mlir::ipu::sdy

PropagationDriver::PropagationDriver(ModuleOp module, ShardingState &state,
                                     ShardingGroups &groups,
                                     const PropagationOptions &options)
    : module(module), state(state), groups(groups), options(options),
      worklist(module) {
  collectEdges();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

void PropagationDriver::collectEdges() {
  module.walk([&](ShardableDataFlowOpInterface op) {
    for (Value owner : op.getEdgeOwners()) {
      DataFlowEdgeOp edgeOp = getEdgeOp(owner);
      if (!edgeOp)
        continue;
      Edge &edge = edges[edgeOp];
      for (OpOperand *source : op.getEdgeSources(owner)) {
        edge.sources.push_back(source->get());
        edgesOfSource[source].push_back(edgeOp);
      }
      edge.otherTargets = op.getOtherTargets(owner);
      addLeadingAxes(edge, owner);
    }
  });
  collectFuncEdges(module, [&](Operation *op, ArrayRef<OpOperand *> sources) {
    // Nothing flows into a function without callers.
    if (sources.empty())
      return;
    Edge &edge = edges[op];
    for (OpOperand *source : sources) {
      edge.sources.push_back(source->get());
      edgesOfSource[source].push_back(op);
    }
  });
}

void PropagationDriver::addLeadingAxes(Edge &edge, Value owner) {
  auto argument = dyn_cast<BlockArgument>(owner);
  auto manual = dyn_cast<ManualComputationOp>(
      argument ? argument.getOwner()->getParentOp() : owner.getDefiningOp());
  if (!manual || manual.getManualAxes().empty())
    return;
  TensorShardingAttr given = getSharding(owner);
  edge.leading = getLeadingManualAxes(manual, given);
  MeshAttr mesh = given.getMesh(manual);
  edge.replicated = getAxisList(given.getReplicatedAxes(), mesh);
  llvm::erase_if(edge.replicated, [&](const sharding::AxisRef &axis) {
    StringRef name = mesh.getAxes()[axis.axis].getName();
    return !manual.getManualAxes().contains(name);
  });
  // Operands of the computation are global, as its results are.
  edge.sourcesHaveLeading = static_cast<bool>(argument);
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

const sharding::Rule *PropagationDriver::intern(sharding::Rule rule) {
  size_t hash = sharding::hash_value(rule);
  auto [begin, end] = rules.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second == rule)
      return &it->second;
  return &rules.emplace(hash, std::move(rule))->second;
}

PropagationDriver::OpInfo &PropagationDriver::getInfo(Operation *op) {
  OpInfo *&info = infoOfOp[op];
  if (info)
    return *info;
  info = &infos.emplace_back();
  std::optional<sharding::Rule> rule =
      getShardingRule(op, options.conservative);
  if (!rule)
    return *info;
  info->rule = intern(std::move(*rule));
  if (options.keepShardingRules && !op->hasAttr(kShardingRuleAttrName))
    op->setAttr(kShardingRuleAttrName,
                getRuleAttr(op->getContext(), *info->rule));
  if (auto rules = dyn_cast<ShardingRuleOpInterface>(op))
    info->opClass = rules.getShardingClass();
  info->conservative = options.conservative && !isa<PropagationBarrierOp>(op);
  for (Value operand : op->getOperands())
    info->tensors.push_back(state.get(operand));
  for (Value result : op->getResults())
    info->tensors.push_back(state.get(result));
  return *info;
}

/// The sharding whose mesh all share: an empty mesh goes with any. None if
/// there are several, or devices instead of axes.
static const ShardingState::Tensor *
getCommonMesh(ArrayRef<ShardingState::Tensor *> tensors) {
  const ShardingState::Tensor *common = nullptr;
  for (const ShardingState::Tensor *tensor : tensors) {
    if (!tensor || !tensor->exists())
      continue;
    if (!common || common->mesh.empty())
      common = tensor;
    else if (!tensor->mesh.empty() && tensor->mesh != common->mesh)
      return nullptr;
  }
  return common && !common->mesh.isMaximal() ? common : nullptr;
}

/// Whether each factor that may go somewhere has the same axes in all tensors
/// already: there is nothing to propagate. Only of rules without compound
/// factors, where it is easy to see.
static bool haveEqualAxes(ArrayRef<ShardingState::Tensor *> tensors,
                          const sharding::Rule &rule,
                          ArrayRef<Direction> directions) {
  SmallVector<const sharding::AxisList *, 8> axesOfFactor(rule.factors.size());
  static const sharding::AxisList none;
  for (auto [i, tensor] : llvm::enumerate(tensors))
    for (auto [dim, factors] : llvm::enumerate(rule.getTensor(i))) {
      if (factors.size() != 1)
        return false;
      unsigned factor = factors.front();
      if (directions[factor] == Direction::None)
        continue;
      const sharding::AxisList &axes =
          tensor ? tensor->sharding.dims[dim].axes : none;
      const sharding::AxisList *&known = axesOfFactor[factor];
      if (known && *known != axes)
        return false;
      known = &axes;
    }
  return true;
}

bool PropagationDriver::propagate(
    ArrayRef<Tensor *> tensors, const sharding::Rule &rule,
    const sharding::PropagationContext &context, Operation *op,
    unsigned operandNumber,
    function_ref<ArrayRef<Tensor *>()> notifyShardingModified) {
  bool hasAxes = llvm::any_of(tensors, [](const Tensor *tensor) {
    return tensor && tensor->hasAxes();
  });
  if (!hasAxes)
    return false;
  const Tensor *mesh = getCommonMesh(tensors);
  if (!mesh && !inspectFn)
    return false;
  // What cannot have a sharding is like what has none.
  SmallVector<const sharding::TensorSharding *> shardings;
  for (const Tensor *tensor : tensors)
    shardings.push_back(tensor ? &tensor->sharding : nullptr);
  auto projection = sharding::ShardingProjection::build(shardings, rule);
  if (inspectFn) {
    inspectFn({op, operandNumber, context.isElementwise, rule,
               mesh ? mesh->mesh : MeshAttr(),
               notifyShardingModified ? notifyShardingModified() : tensors,
               projection, projection});
    return false;
  }
  std::optional<sharding::ShardingProjection> before;
  if (!observers.empty())
    before = projection;
  SmallVector<int64_t> sizes = getMeshSizes(mesh->mesh);
  sharding::PropagationContext own = context;
  own.mesh = sizes;

  llvm::BitVector changed(tensors.size());
  if (options.strategy != PropagationStrategy::Aggressive)
    changed |= sharding::propagateBasic(projection, own);
  if (options.strategy != PropagationStrategy::Basic)
    changed |= sharding::propagateAggressive(projection, own);
  // What would need a strided view changes nothing.
  Mesh common{mesh->meshOrRef, mesh->mesh};
  bool isNew = false;
  for (unsigned i : changed.set_bits())
    if (tensors[i])
      isNew |= updateTensorSharding(
          *tensors[i],
          sharding::makeTensorSharding(projection.getTensor(i),
                                       rule.getTensor(i), rule),
          common, op);
  if (!isNew)
    return false;
  ArrayRef<Tensor *> updated =
      notifyShardingModified ? notifyShardingModified() : tensors;
  for (PropagationObserver *observer : observers)
    observer->notifyStep({op, operandNumber, context.isElementwise, rule,
                          common.mesh, updated, *before, projection});
  return true;
}

bool PropagationDriver::updateTensorSharding(Tensor &tensor,
                                             sharding::TensorSharding sharding,
                                             const Mesh &mesh,
                                             Operation *current) {
  // An attribute that says the same with other words is replaced too.
  bool isSame = tensor.sharding == sharding &&
                (!tensor.exists() ||
                 (tensor.meshOrRef == mesh.meshOrRef && !tensor.hasPriorities));
  if (isSame)
    return false;
  auto set = [&](Tensor &target) {
    target.sharding = sharding;
    target.meshOrRef = mesh.meshOrRef;
    target.mesh = mesh.mesh;
    state.markChanged(target);
    target.hasPriorities = false;
  };
  set(tensor);
  if (!tensor.value)
    return true;
  pushAffected(tensor.value, current);
  for (Value member : groups.getMembers(tensor.value)) {
    if (member == tensor.value)
      continue;
    if (Tensor *other = state.get(member)) {
      set(*other);
      for (PropagationObserver *observer : observers)
        observer->notifyCopy(tensor, *other);
      pushAffected(member, current);
    }
  }
  return true;
}

void PropagationDriver::visitEdge(Operation *op, DirectionFn getDirection) {
  auto it = edges.find(op);
  if (it == edges.end())
    return;
  const Edge &edge = it->second;
  SmallVector<Tensor *> tensors;
  for (Value source : edge.sources)
    tensors.push_back(state.get(source));
  tensors.push_back(state.get(op->getResult(0)));

  ArrayRef<int64_t> shape = getTensorShape(op->getResult(0));
  if (!edge.leading.empty() && edge.sourcesHaveLeading)
    shape = getTensorShape(edge.sources.front());
  sharding::RuleBuilder::Shape dims(shape);
  sharding::Rule rule =
      sharding::RuleBuilder(
          SmallVector<sharding::RuleBuilder::Shape>(edge.sources.size(), dims),
          {dims})
          .addPointwise(shape)
          .build();
  auto getFactorDirection = [&](unsigned factor) {
    return getDirection(op, sharding::OpClass::PassThrough,
                        rule.factors[factor]);
  };
  // An edge is no elementwise op: of equally large sources the first decides.
  sharding::PropagationContext context{rule, {}, getFactorDirection};
  if (edge.leading.empty()) {
    propagate(tensors, rule, context, op);
    return;
  }

  // The sides without the manual axes get them for the time being.
  std::vector<Tensor> copies;
  SmallVector<Tensor *> extended;
  size_t numSources = edge.sources.size();
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    copies.push_back(tensor ? *tensor : Tensor());
    copies.back().value = {};
    bool isGlobal = (i < numSources) == edge.sourcesHaveLeading;
    if (!tensor || isGlobal)
      continue;
    sharding::TensorSharding &extended = copies.back().sharding;
    for (auto [dim, leading] : llvm::zip_equal(extended.dims, edge.leading))
      dim.axes.insert(dim.axes.begin(), leading.begin(), leading.end());
    llvm::append_range(extended.replicated, edge.replicated);
  }
  for (auto [i, tensor] : llvm::enumerate(tensors))
    extended.push_back(tensor ? &copies[i] : nullptr);
  std::vector<Tensor> before(copies);
  auto notifyShardingModified = [&]() -> ArrayRef<Tensor *> {
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      if (!tensor || copies[i].sharding == before[i].sharding)
        continue;
      sharding::TensorSharding updated = copies[i].sharding;
      bool isGlobal = (i < numSources) == edge.sourcesHaveLeading;
      if (!isGlobal) {
        for (auto [dim, leading] : llvm::zip_equal(updated.dims, edge.leading))
          dim.axes.erase(dim.axes.begin(), dim.axes.begin() + leading.size());
        updated.replicated = tensor->sharding.replicated;
      }
      updateTensorSharding(*tensor, updated,
                           {copies[i].meshOrRef, copies[i].mesh}, op);
    }
    return tensors;
  };
  propagate(extended, rule, context, op, /*operandNumber=*/0,
            notifyShardingModified);
}

void PropagationDriver::visit(Operation *op, DirectionFn getDirection) {
  auto notifyVisit = [&] {
    for (PropagationObserver *observer : observers)
      observer->startVisit(op);
  };
  if (isa<DataFlowEdgeOp, FuncDataFlowEdgeOp>(op)) {
    notifyVisit();
    visitEdge(op, getDirection);
    return;
  }
  if (op->getNumResults() == 0)
    return;
  OpInfo &info = getInfo(op);
  if (!info.rule)
    return;
  const sharding::Rule &rule = *info.rule;

  SmallVector<Direction, 8> directions;
  uint64_t directionBits = 0;
  for (const sharding::Factor &factor : rule.factors) {
    directions.push_back(factor.blocked
                             ? Direction::None
                             : getDirection(op, info.opClass, factor));
    directionBits =
        directionBits << 2 | static_cast<uint64_t>(directions.back());
  }
  bool isKnown = info.settledAt && info.settledDirections == directionBits &&
                 llvm::all_of(info.tensors, [&](const Tensor *tensor) {
                   return !tensor || tensor->changedAt <= *info.settledAt;
                 });
  if (isKnown && !inspectFn)
    return;
  notifyVisit();
  if (!inspectFn && haveEqualAxes(info.tensors, rule, directions))
    return;

  auto getFactorDirection = [&](unsigned factor) { return directions[factor]; };
  sharding::PropagationContext context{rule, {}, getFactorDirection};
  context.conservative = info.conservative;
  context.isElementwise = info.opClass == sharding::OpClass::Elementwise;
  info.settledAt = std::nullopt;
  if (propagate(info.tensors, rule, context, op) || rule.factors.size() > 32)
    return;
  info.settledAt = state.getTime();
  info.settledDirections = directionBits;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void PropagationDriver::propagateFuncResults() {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.getFunctionBody().hasOneBlock())
      propagateFuncResults(function);
}

void PropagationDriver::propagateFuncResults(FunctionOpInterface function) {
  Operation *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    // The results of its calls decide.
    if (edgesOfSource.contains(&terminator->getOpOperand(i)))
      continue;
    Tensor *from = state.get(value), *to = state.get(function, i);
    if (!from || !to)
      continue;
    sharding::RuleBuilder::Shape shape(getTensorShape(value));
    sharding::Rule rule =
        sharding::RuleBuilder({shape}, {shape}).addPointwise(shape).build();
    auto getDirection = [](unsigned) { return Direction::Both; };
    sharding::PropagationContext context{rule, {}, getDirection};
    propagate({from, to}, rule, context, terminator, i);
  }
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

void PropagationDriver::pushUser(OpOperand &use, Operation *current) {
  Operation *user = use.getOwner();
  // Of several operands that are one value, the first one's edge.
  OpOperand *first =
      llvm::find_if(user->getOpOperands(),
                    [&](OpOperand &other) { return other.get() == use.get(); });
  if (auto it = edgesOfSource.find(first); it != edgesOfSource.end()) {
    for (Operation *edge : it->second)
      if (edge != current)
        worklist.push(edge);
    return;
  }
  if (user->hasTrait<OpTrait::IsTerminator>())
    user = user->getParentOp();
  if (user != current)
    worklist.push(user);
}

void PropagationDriver::pushAffected(Value value, Operation *current) {
  if (auto edgeOp = value.getDefiningOp<DataFlowEdgeOp>())
    if (auto it = edges.find(edgeOp); it != edges.end())
      for (Value target : it->second.otherTargets)
        for (OpOperand &use : target.getUses())
          pushUser(use, current);
  Operation *definition = value.getDefiningOp();
  if (!definition)
    definition = value.getParentBlock()->getParentOp();
  if (definition != current)
    worklist.push(definition);
  for (OpOperand &use : value.getUses())
    pushUser(use, current);
}

void PropagationDriver::eraseDead(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (!definition)
      continue;
    // With one user left it might be rewritten, with none it is dead.
    llvm::SmallPtrSet<Operation *, 2> others;
    for (Operation *user : operand.getUsers()) {
      if (user != op)
        others.insert(user);
      if (others.size() > 1)
        break;
    }
    if (others.size() <= 1)
      worklist.push(definition);
  }
  op->walk([&](Operation *inner) {
    worklist.erase(inner);
    infoOfOp.erase(inner);
    edges.erase(inner);
    for (OpOperand &operand : inner->getOpOperands())
      edgesOfSource.erase(&operand);
    auto forget = [&](Value value) {
      state.forget(value);
      groups.forget(value);
    };
    llvm::for_each(inner->getResults(), forget);
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), forget);
  });
  op->erase();
}

bool PropagationDriver::run(DirectionFn getDirection) {
  uint64_t start = state.getTime();
  propagateFuncResults();
  worklist.fill();
  while (Operation *op = worklist.pop()) {
    if (isOpTriviallyDead(op)) {
      eraseDead(op);
      continue;
    }
    executeStep<PropagateAction>(op, [&] { visit(op, getDirection); });
  }
  propagateFuncResults();
  return state.getTime() != start;
}

void PropagationDriver::inspect(InspectFn fn) {
  inspectFn = fn;
  // It is no visit.
  SmallVector<PropagationObserver *> absent = std::exchange(observers, {});
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op, [](Operation *, sharding::OpClass, const sharding::Factor &) {
      return Direction::Both;
    });
  });
  propagateFuncResults();
  inspectFn = nullptr;
  observers = std::move(absent);
}
