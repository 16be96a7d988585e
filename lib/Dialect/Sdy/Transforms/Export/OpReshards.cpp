//===- OpReshards.cpp - Reshards around one op ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: an op after propagation. Out: tensors that have the same axes for each
// factor, with reshards around the op.
//
//===----------------------------------------------------------------------===//

#include "OpReshards.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Sharding/CommonAxes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::FactorType;

SmallVector<Value> sdy::getTensors(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

const ValueSharding *sdy::getCommonMesh(Operation *op,
                                        ArrayRef<ValueSharding> shardings) {
  llvm::MapVector<MeshAttr, std::pair<const ValueSharding *, unsigned>> meshes;
  for (const ValueSharding &sharding : shardings) {
    if (!sharding.attr || sharding.isMaximal() || sharding.mesh.empty())
      continue;
    auto &[first, count] = meshes[sharding.mesh];
    first = first ? first : &sharding;
    count += !sharding.isFullyReplicated();
  }
  const ValueSharding *common = nullptr;
  unsigned most = 0;
  for (auto &[mesh, entry] : meshes) {
    if (common && mesh.getAxes() != common->mesh.getAxes()) {
      op->emitWarning() << "'" << op->getName()
                        << "' op has tensors on meshes with different axes, "
                        << common->attr.getMeshOrRef() << " and "
                        << entry.first->attr.getMeshOrRef()
                        << ": no reshards are inserted around the op";
      return nullptr;
    }
    if (!common || entry.second > most)
      std::tie(common, most) = entry;
  }
  return common;
}

bool sdy::haveEqualShardings(Operation *op, const ValueResharder &resharder) {
  auto getDims = [&](Value value) {
    SmallVector<AxisList> dims;
    for (const sharding::DimSharding &dim : resharder.get(value).axes.dims)
      dims.push_back(dim.axes);
    return dims;
  };
  SmallVector<Value> values = getTensors(op);
  return llvm::all_of(values, [&](Value value) {
    return getDims(value) == getDims(values.front());
  });
}

AxisList sdy::getSummedAxes(Operation *op, ArrayRef<ValueSharding> operands) {
  std::optional<sharding::Rule> rule =
      getShardingRule(op, /*conservative=*/false);
  AxisList summed;
  if (!rule || !getReductionKind(op))
    return summed;
  auto isSummed = [&](unsigned factor) {
    return rule->factors[factor].type == FactorType::Reduction;
  };
  for (auto [operand, mapping] : llvm::zip_equal(operands, rule->operands))
    for (auto [dim, factors] : llvm::zip(operand.axes.dims, mapping))
      if (llvm::any_of(factors, isSummed))
        summed.append(dim.axes);
  return getSorted(summed);
}

AxisList sdy::getReducedAxes(Operation *op, ReductionKind kind, MeshAttr mesh) {
  AxisList axes;
  if (auto reduce = dyn_cast<AllReduceOp>(op);
      reduce && reduce.getReductionKind() == kind)
    return getAxisList(reduce.getReductionAxes().getValue(), mesh);
  if (auto scatter = dyn_cast<ReduceScatterOp>(op);
      scatter && scatter.getReductionKind() == kind)
    for (AxisRefListAttr list : scatter.getReduceScatterAxes().getValue())
      axes.append(getAxisList(list.getValue(), mesh));
  return getSorted(axes);
}

//===----------------------------------------------------------------------===//
// By rule
//===----------------------------------------------------------------------===//

namespace {
/// An op with a rule, and where its tensors should be.
class OpResharder {
public:
  OpResharder(Operation *op, sharding::Rule rule,
              const ValueResharder &resharder, bool reduces);

  LogicalResult run();
  LogicalResult splitResults();
  AxisList chooseReductionAxes();

private:
  void chooseAxes();
  AxisList getIntroducedAxes(const ValueSharding &result) const;
  ValueSharding getWanted(unsigned tensor) const;
  LogicalResult splitStart(unsigned operand, ArrayRef<sharding::AxisRef> axes);
  LogicalResult reshardResult(OpResult result);

  bool isReduced(Value value, ArrayRef<sharding::AxisRef> axes) const;
  SmallVector<OpOperand *> getUnreducedUses(Value value,
                                            ArrayRef<sharding::AxisRef> axes);
  LogicalResult reshardUses(OpBuilder &builder, Value value,
                            ArrayRef<OpOperand *> uses,
                            const ValueSharding &wanted,
                            const ValueSharding &given);
  void reduceUses(Value value, ArrayRef<sharding::AxisRef> axes);

  Operation *op;
  sharding::Rule rule;
  const ValueResharder &resharder;
  SmallVector<ValueSharding, 0> shardings;
  const ValueSharding *mesh = nullptr;
  SmallVector<AxisList> axes;
  /// Those of reduction factors, to be reduced over by `kind`.
  AxisList reductionAxes;
  std::optional<ReductionKind> kind;
  /// Operands that one device alone may start a sum from.
  SmallVector<unsigned> addedOnce;
  bool reduces;
};
} // namespace

OpResharder::OpResharder(Operation *op, sharding::Rule given,
                         const ValueResharder &resharder, bool reduces)
    : op(op), rule(std::move(given)), resharder(resharder), reduces(reduces) {
  for (Value value : getTensors(op))
    shardings.push_back(resharder.get(value));
  mesh = getCommonMesh(op, shardings);
  if (!reduces)
    return;
  // Partial values that no collective combines cannot be made apart.
  kind = getReductionKind(op);
  addedOnce = getAddedOnce(op);
  for (unsigned i : addedOnce)
    if (!isa<RankedTensorType>(op->getOperand(i).getType()))
      kind = std::nullopt;
  for (sharding::Factor &factor : rule.factors)
    if (factor.type == FactorType::Reduction && !kind)
      factor.type = FactorType::NeedReplication;
}

/// Axes of either, in the order of the mesh.
static AxisList unite(ArrayRef<sharding::AxisRef> a,
                      ArrayRef<sharding::AxisRef> b) {
  AxisList all(a);
  all.append(sharding::getDifference(b, a));
  return getSorted(all);
}

void OpResharder::chooseAxes() {
  SmallVector<const sharding::TensorSharding *> pointers;
  SmallVector<int64_t> sizes;
  for (auto [sharding, value] : llvm::zip_equal(shardings, getTensors(op))) {
    pointers.push_back(sharding.attr && !sharding.isMaximal() ? &sharding.axes
                                                              : nullptr);
    int64_t size = 1;
    for (int64_t dim : getTensorShape(value))
      if (llvm::MulOverflow(size, dim, size))
        size = std::numeric_limits<int64_t>::max();
    sizes.push_back(size);
  }
  auto projection = sharding::ShardingProjection::build(
      pointers, rule, /*closedIfMissing=*/true);
  if (sharding::isCompatible(projection, rule)) {
    axes.resize(rule.factors.size());
    for (unsigned i = 0; i < projection.getNumTensors(); ++i)
      for (const sharding::FactorSharding &entry :
           projection.getTensor(i).factors) {
        axes[entry.factor] = entry.axes;
        axes[entry.factor].append(entry.overflow);
      }
  } else {
    axes = sharding::getCommonAxes(projection, rule, sizes);
  }
  for (auto [factor, list] : llvm::zip_equal(rule.factors, axes))
    if (factor.type == FactorType::Reduction && kind)
      reductionAxes.append(list);
  reductionAxes = getSorted(reductionAxes);
}

ValueSharding OpResharder::getWanted(unsigned tensor) const {
  const ValueSharding &given = shardings[tensor];
  sharding::TensorSharding wanted =
      sharding::makeSharding(axes, rule.getTensor(tensor), rule);
  wanted.unreduced = tensor < op->getNumOperands() || !reduces
                         ? given.axes.unreduced
                         : getIntroducedAxes(given);
  // One device keeps what a sum starts from.
  if (llvm::is_contained(addedOnce, tensor))
    wanted.unreduced = unite(wanted.unreduced, reductionAxes);
  bool isOnMesh = given.attr && given.mesh == mesh->mesh;
  return resharder.make(isOnMesh ? given : *mesh, wanted, given.getKind());
}

/// The unreduced axes of the result along which the op makes partial values:
/// those of its operands, which are left only where it keeps them, and those
/// that it reduces over.
AxisList OpResharder::getIntroducedAxes(const ValueSharding &result) const {
  AxisList rest = result.axes.unreduced;
  for (const ValueSharding &operand :
       ArrayRef(shardings).take_front(op->getNumOperands()))
    rest = sharding::getDifference(rest, operand.axes.unreduced);
  if (kind == result.getKind())
    rest = sharding::getDifference(rest, reductionAxes);
  return sharding::getDifference(result.axes.unreduced, rest);
}

/// Whether what is there from an earlier run reduces all uses over the axes.
bool OpResharder::isReduced(Value value,
                            ArrayRef<sharding::AxisRef> axes) const {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           AxisList rest = sharding::getDifference(
               axes, getReducedAxes(user, *kind, mesh->mesh));
           if (rest.empty())
             return true;
           bool isPassed = rest != AxisList(axes) || isa<ReshardOp>(user);
           return isPassed && isReduced(user->getResult(0), rest);
         });
}

/// The uses of `value` that are not reduced; after those that are in part, the
/// rest is reduced.
SmallVector<OpOperand *>
OpResharder::getUnreducedUses(Value value, ArrayRef<sharding::AxisRef> axes) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    AxisList rest =
        sharding::getDifference(axes, getReducedAxes(user, *kind, mesh->mesh));
    if (rest != AxisList(axes))
      reduceUses(user->getResult(0), rest);
    else if (!isa<ReshardOp>(user) || !isReduced(user->getResult(0), axes))
      uses.push_back(&use);
  }
  return uses;
}

void OpResharder::reduceUses(Value value, ArrayRef<sharding::AxisRef> axes) {
  if (axes.empty())
    return;
  SmallVector<OpOperand *> uses = getUnreducedUses(value, axes);
  if (uses.empty())
    return;
  OpBuilder builder = resharder.makeBuilder(op);
  builder.setInsertionPointAfterValue(value);
  Value reduced = resharder.allReduce(builder, op->getLoc(), value,
                                      resharder.get(value), axes, *kind);
  for (OpOperand *use : uses)
    use->set(reduced);
}

LogicalResult OpResharder::reshardResult(OpResult result) {
  unsigned tensor = op->getNumOperands() + result.getResultNumber();
  const ValueSharding &given = shardings[tensor];
  ValueSharding wanted = getWanted(tensor);
  bool isSame = isSameDistribution(given, wanted);
  AxisList reduced =
      sharding::getDifference(reductionAxes, wanted.axes.unreduced);
  // Replicated axes, or another mesh, which are all the same to a whole tensor,
  // are not to collectives.
  bool isMisleading =
      given.attr && !reduced.empty() &&
      (!given.attr.getReplicatedAxes().empty() || given.mesh != wanted.mesh);
  if (isMisleading || (!isSame && (given.attr || !wanted.isFullyReplicated())))
    setResultSharding(result, wanted);

  OpBuilder builder = resharder.makeBuilder(op);
  builder.setInsertionPointAfter(op);
  SmallVector<OpOperand *> others;
  for (OpOperand &use : result.getUses())
    others.push_back(&use);
  if (!reduced.empty()) {
    bool isUsed = !others.empty();
    SmallVector<OpOperand *> uses = getUnreducedUses(result, reduced);
    llvm::erase_if(
        others, [&](OpOperand *use) { return llvm::is_contained(uses, use); });
    if (!isUsed || !uses.empty()) {
      Value value = resharder.allReduce(builder, op->getLoc(), result, wanted,
                                        reduced, *kind);
      if (failed(reshardUses(builder, value, uses, wanted, given)))
        return failure();
    }
  }
  return others.empty() && !reduced.empty()
             ? success()
             : reshardUses(builder, result, others, wanted, given);
}

/// Gives uses of a result that is sharded as `wanted` the sharding that they
/// saw.
LogicalResult OpResharder::reshardUses(OpBuilder &builder, Value value,
                                       ArrayRef<OpOperand *> uses,
                                       const ValueSharding &wanted,
                                       const ValueSharding &given) {
  bool isSame = isSameDistribution(given, wanted);
  if (!isSame && given.axes.unreduced != wanted.axes.unreduced) {
    FailureOr<Value> parts =
        resharder.reshard(builder, op->getLoc(), value, wanted, given,
                          {"a result", [&] { return op->emitOpError(); }});
    if (failed(parts))
      return failure();
    value = *parts;
  } else if (!isSame) {
    sharding::TensorSharding whole;
    whole.dims.resize(given.axes.dims.size());
    TensorShardingAttr attr =
        given.attr ? given.attr : resharder.make(*mesh, whole).attr;
    value =
        ReshardOp::create(builder, op->getLoc(), value.getType(), value, attr);
  }
  for (OpOperand *use : uses)
    use->set(value);
  return success();
}

LogicalResult OpResharder::run() {
  // Along the axes of which mesh the op would make parts is not known.
  if (!mesh)
    return introduceUnreduced(op, resharder);
  chooseAxes();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        failed(
            resharder.reshard(operand, getWanted(operand.getOperandNumber()))))
      return failure();
  for (OpResult result : llvm::reverse(op->getResults()))
    if (isa<RankedTensorType>(result.getType()) &&
        failed(reshardResult(result)))
      return failure();
  return success();
}

AxisList OpResharder::chooseReductionAxes() {
  if (!mesh)
    return {};
  chooseAxes();
  return reductionAxes;
}

/// One device along `axes` keeps what a sum starts from.
LogicalResult OpResharder::splitStart(unsigned operand,
                                      ArrayRef<sharding::AxisRef> axes) {
  const ValueSharding &given = shardings[operand];
  ValueSharding wanted = getWanted(operand);
  wanted.axes.unreduced = unite(given.axes.unreduced, axes);
  return resharder.reshard(
      op->getOpOperand(operand),
      resharder.makePartialLike(given, resharder.make(wanted, wanted.axes)));
}

LogicalResult OpResharder::splitResults() {
  if (!mesh)
    return introduceUnreduced(op, resharder);
  chooseAxes();
  AxisList partial;
  for (OpResult result : op->getResults()) {
    const ValueSharding &given =
        shardings[op->getNumOperands() + result.getResultNumber()];
    sharding::TensorSharding own = given.axes;
    own.unreduced = getIntroducedAxes(given);
    // A result that is declared to be partial along some of the axes is reduced
    // along the others.
    if (given.isUnreduced() && kind == given.getKind())
      own.unreduced = unite(own.unreduced, reductionAxes);
    partial = unite(partial, getIntersection(reductionAxes, own.unreduced));
    ValueSharding made = resharder.makePartialLike(
        given, resharder.make(given, own, given.getKind()));
    if (own.unreduced != given.axes.unreduced &&
        failed(reshardBack(result, made, given, resharder)))
      return failure();
  }
  if (partial.empty())
    return success();
  return failure(llvm::any_of(addedOnce, [&](unsigned operand) {
    return failed(splitStart(operand, partial));
  }));
}

AxisList sdy::getReductionAxes(Operation *op, const sharding::Rule &rule,
                               const ValueResharder &resharder) {
  return OpResharder(op, rule, resharder, /*reduces=*/true)
      .chooseReductionAxes();
}

LogicalResult sdy::introducePartialResults(Operation *op,
                                           const sharding::Rule &rule,
                                           const ValueResharder &resharder) {
  bool isPartial = llvm::any_of(op->getResults(), [&](Value result) {
    return resharder.get(result).isUnreduced();
  });
  return isPartial
             ? OpResharder(op, rule, resharder, /*reduces=*/true).splitResults()
             : success();
}

LogicalResult sdy::insertReshards(Operation *op, const sharding::Rule &rule,
                                  const ValueResharder &resharder,
                                  bool reduces) {
  if (failed(OpResharder(op, rule, resharder, reduces).run()))
    return failure();
  // A rule may depend on where operands come from: that of a concatenation of
  // slices is another one than that of reshards of slices.
  OpShardingRuleAttr attr = getRuleAttr(op->getContext(), rule);
  std::optional<sharding::Rule> now = getShardingRule(op, false);
  if (!now || getRuleAttr(op->getContext(), *now) != attr)
    op->setAttr(kShardingRuleAttrName, attr);
  return success();
}
