//===- ExplicitReshards.cpp - Reshards where shardings disagree -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: an op whose tensors have shardings that propagation gave each of them.
// Out: tensors that have the same axes for each factor, with reshards around.
//
//===----------------------------------------------------------------------===//

#include "ExplicitReshards.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Sharding/CommonAxes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::FactorType;

static SmallVector<Value> getTensors(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

/// The sharding whose mesh the op is computed on: that of most tensors that are
/// not whole. Null if there is none, or if meshes have different axes.
static const ValueSharding *getCommonMesh(ArrayRef<ValueSharding> shardings) {
  llvm::MapVector<MeshAttr, std::pair<const ValueSharding *, unsigned>> meshes;
  for (const ValueSharding &sharding : shardings) {
    if (!sharding.attr || sharding.isMaximal() || sharding.mesh.empty())
      continue;
    auto &[first, count] = meshes[sharding.mesh];
    first = first ? first : &sharding;
    count += !sharding.isWhole();
  }
  const ValueSharding *common = nullptr;
  unsigned most = 0;
  for (auto &[mesh, entry] : meshes) {
    if (common && mesh.getAxes() != common->mesh.getAxes())
      return nullptr;
    if (!common || entry.second > most)
      std::tie(common, most) = entry;
  }
  return common;
}

/// Sets the sharding of one result; others without any are whole.
static void setResultSharding(OpResult result, const ValueSharding &sharding) {
  Operation *op = result.getOwner();
  if (!op->hasAttr(kShardingAttrName)) {
    auto whole = llvm::map_to_vector(op->getResults(), [&](Value other) {
      return TensorShardingAttr::getFullyClosed(op->getContext(),
                                                getTensorShape(other).size(),
                                                sharding.attr.getMeshOrRef());
    });
    op->setAttr(kShardingAttrName,
                TensorShardingPerValueAttr::get(op->getContext(), whole));
  }
  setSharding(result, sharding.attr);
}

bool sdy::areTensorsAlike(Operation *op, const ValueResharder &resharder) {
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

//===----------------------------------------------------------------------===//
// By rule
//===----------------------------------------------------------------------===//

namespace {
/// An op with a rule, and where its tensors should be.
class OpResharder {
public:
  OpResharder(Operation *op, sharding::Rule rule,
              const ValueResharder &resharder, bool reduces);

  void run();

private:
  void chooseAxes();
  ValueSharding getWanted(unsigned tensor) const;
  void reshardResult(OpResult result);

  Operation *op;
  sharding::Rule rule;
  const ValueResharder &resharder;
  SmallVector<ValueSharding, 0> shardings;
  const ValueSharding *mesh = nullptr;
  SmallVector<AxisList> axes;
  /// Those of reduction factors, to be reduced over by `kind`.
  AxisList reductionAxes;
  std::optional<ReductionKind> kind;
};
} // namespace

OpResharder::OpResharder(Operation *op, sharding::Rule given,
                         const ValueResharder &resharder, bool reduces)
    : op(op), rule(std::move(given)), resharder(resharder) {
  for (Value value : getTensors(op))
    shardings.push_back(resharder.get(value));
  mesh = getCommonMesh(shardings);
  if (!reduces)
    return;
  // Parts that no collective combines cannot be made apart.
  kind = getReductionKind(op);
  for (sharding::Factor &factor : rule.factors)
    if (factor.type == FactorType::Reduction && !kind)
      factor.type = FactorType::NeedReplication;
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
  auto projection =
      sharding::Projection::build(pointers, rule, /*closedIfMissing=*/true);
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
  wanted.unreduced = given.axes.unreduced;
  bool isOnMesh = given.attr && given.mesh == mesh->mesh;
  return resharder.make(isOnMesh ? given : *mesh, wanted, given.getKind());
}

void OpResharder::reshardResult(OpResult result) {
  unsigned tensor = op->getNumOperands() + result.getResultNumber();
  const ValueSharding &given = shardings[tensor];
  ValueSharding wanted = getWanted(tensor);
  bool isSame = isSameDistribution(given, wanted);
  AxisList reduced =
      sharding::getDifference(reductionAxes, given.axes.unreduced);
  // What is there from an earlier run.
  bool isReduced =
      !result.use_empty() &&
      llvm::all_of(result.getUsers(), [&](Operation *user) {
        auto reduce = dyn_cast<AllReduceOp>(user);
        return reduce &&
               sharding::getDifference(
                   reduced, getAxisList(reduce.getReductionAxes().getValue(),
                                        mesh->mesh))
                   .empty();
      });
  // Replicated axes, or another mesh, which are all the same to a whole tensor,
  // are not to collectives.
  bool isMisleading =
      given.attr && !reduced.empty() &&
      (!given.attr.getReplicatedAxes().empty() || given.mesh != wanted.mesh);
  if (isMisleading || (!isSame && (given.attr || !wanted.isWhole())))
    setResultSharding(result, wanted);

  OpBuilder builder = resharder.makeBuilder(op);
  builder.setInsertionPointAfter(op);
  Value value = result;
  if (!reduced.empty() && !isReduced)
    value = resharder.allReduce(builder, op->getLoc(), value, wanted, reduced,
                                *kind);
  if (!isSame) {
    sharding::TensorSharding whole;
    whole.dims.resize(given.axes.dims.size());
    TensorShardingAttr attr =
        given.attr ? given.attr : resharder.make(*mesh, whole).attr;
    value =
        ReshardOp::create(builder, op->getLoc(), result.getType(), value, attr);
  }
  if (value == result)
    return;
  Operation *first = op->getNextNode();
  result.replaceAllUsesExcept(value, first);
}

void OpResharder::run() {
  if (!mesh)
    return;
  chooseAxes();
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      // Unreduced axes stay as they are, so it cannot fail.
      (void)resharder.reshard(operand, getWanted(operand.getOperandNumber()));
  for (OpResult result : llvm::reverse(op->getResults()))
    if (isa<RankedTensorType>(result.getType()))
      reshardResult(result);
}

void sdy::insertReshards(Operation *op, const sharding::Rule &rule,
                         const ValueResharder &resharder, bool reduces) {
  OpResharder(op, rule, resharder, reduces).run();
  // A rule may depend on where operands come from: that of a concatenation of
  // slices is another one than that of reshards of slices.
  OpShardingRuleAttr attr = getRuleAttr(op->getContext(), rule);
  std::optional<sharding::Rule> now = getShardingRule(op, false);
  if (!now || getRuleAttr(op->getContext(), *now) != attr)
    op->setAttr(kShardingRuleAttrName, attr);
}

//===----------------------------------------------------------------------===//
// On one device
//===----------------------------------------------------------------------===//

void sdy::insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                     const ValueResharder &resharder) {
  SmallVector<ValueSharding, 0> shardings;
  for (Value value : getTensors(op))
    shardings.push_back(resharder.get(value));
  const ValueSharding *mesh = getCommonMesh(shardings);
  auto isThere = [&](Operation *user) {
    return llvm::any_of(user->getResults(), [&](Value result) {
      return resharder.get(result).mesh == device.mesh;
    });
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      (void)resharder.reshard(operand, device);
  for (OpResult result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    ValueSharding given = resharder.get(result);
    setResultSharding(result, device);
    // Where no mesh is known, there are no other devices.
    if (given.isMaximal() && mesh) {
      sharding::TensorSharding whole;
      whole.dims.resize(given.axes.dims.size());
      given = resharder.make(*mesh, whole);
    }
    if (given.isMaximal() || !given.attr || result.use_empty())
      continue;
    OpBuilder builder = resharder.makeBuilder(op);
    builder.setInsertionPointAfter(op);
    FailureOr<Value> back = resharder.reshard(builder, op->getLoc(), result,
                                              resharder.get(result), given);
    if (succeeded(back))
      result.replaceUsesWithIf(*back, [&](OpOperand &use) {
        return !isThere(use.getOwner()) && !isa<ReshardOp>(use.getOwner());
      });
  }
}
