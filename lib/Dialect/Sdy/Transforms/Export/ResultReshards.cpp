//===- ResultReshards.cpp - Reshards of results ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: an op whose results cannot have the sharding that their users expect.
// Out: results with another sharding, and reshards after the op.
//
//===----------------------------------------------------------------------===//

#include "OpReshards.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;

void sdy::setResultSharding(OpResult result, const ValueSharding &sharding) {
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

LogicalResult sdy::reshardBack(OpResult result, const ValueSharding &made,
                               const ValueSharding &given,
                               const ValueResharder &resharder) {
  Operation *op = result.getOwner();
  OpBuilder builder = resharder.makeBuilder(op);
  builder.setInsertionPointAfter(op);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  setResultSharding(result, made);
  if (uses.empty())
    return success();
  FailureOr<Value> back =
      resharder.reshard(builder, op->getLoc(), result, made, given,
                        {"a result", [op] { return op->emitOpError(); }});
  if (failed(back))
    return failure();
  for (OpOperand *use : uses)
    use->set(*back);
  return success();
}

LogicalResult sdy::introduceUnreduced(Operation *op,
                                      const ValueResharder &resharder) {
  for (OpResult result : op->getResults()) {
    ValueSharding given = resharder.get(result);
    if (!isa<RankedTensorType>(result.getType()) || !given.isUnreduced())
      continue;
    sharding::TensorSharding whole = given.axes;
    whole.unreduced.clear();
    if (failed(reshardBack(result, resharder.make(given, whole), given,
                           resharder)))
      return failure();
  }
  return success();
}

LogicalResult sdy::insertCallResultReshards(OpResult result,
                                            FunctionOpInterface callee,
                                            const ValueResharder &resharder,
                                            bool onlyUnreduced) {
  ValueSharding given = resharder.get(result);
  ValueSharding made =
      resharder.get(callee.getResultAttrOfType<TensorShardingAttr>(
                        result.getResultNumber(), kShardingAttrName),
                    getTensorShape(result).size());
  // What a declaration does not say is not known.
  if (isSameDistribution(made, given) || (callee.isExternal() && !made.attr))
    return success();
  if (onlyUnreduced && haveSameParts(made, given) &&
      (!made.isUnreduced() || made.mesh == given.mesh))
    return success();
  if (!given.attr) {
    setResultSharding(result, made);
    return success();
  }
  // All devices have what the function returns, that one too.
  if (!made.attr && given.isMaximal())
    return success();
  if (!made.attr) {
    sharding::TensorSharding whole;
    whole.dims.resize(given.axes.dims.size());
    made = resharder.make(given, whole);
  }
  return reshardBack(result, made, given, resharder);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A product of two tensors, whose rule has no compound dimensions.
class Product {
public:
  Product(Operation *op, const sharding::Rule &rule,
          const ValueResharder &resharder)
      : op(op), rule(rule), resharder(resharder) {
    for (unsigned i = 0; i < 3; ++i)
      shardings.push_back(resharder.get(getTensor(i)));
  }

  static bool isOne(Operation *op, const sharding::Rule &rule);
  void reshardResult();

private:
  Value getTensor(unsigned i) const {
    return i < 2 ? op->getOperand(i) : op->getResult(0);
  }
  bool hasFactor(unsigned tensor, unsigned factor) const {
    return findDim(tensor, factor).has_value();
  }
  std::optional<unsigned> findDim(unsigned tensor, unsigned factor) const;
  const AxisList &getAxes(unsigned tensor, unsigned factor) const {
    return shardings[tensor].axes.dims[*findDim(tensor, factor)].axes;
  }
  bool isOnOneMesh() const;
  bool doOperandsAgree() const;
  std::optional<unsigned> findOnlyConflict() const;
  AxisList getSummedAxes() const;
  bool isResultLarger(unsigned factor) const;

  Operation *op;
  const sharding::Rule &rule;
  const ValueResharder &resharder;
  /// Of the operands and the result.
  SmallVector<ValueSharding, 3> shardings;
};
} // namespace

bool Product::isOne(Operation *op, const sharding::Rule &rule) {
  using sharding::FactorType;
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || rule.custom ||
      getReductionKind(op) != ReductionKind::Sum)
    return false;
  for (unsigned i = 0; i < rule.getNumTensors(); ++i)
    if (llvm::any_of(rule.getTensor(i), [](const sharding::DimMapping &dim) {
          return dim.size() != 1;
        }))
      return false;
  auto isIn = [&](const sharding::TensorMapping &mapping, unsigned factor) {
    return llvm::any_of(mapping, [&](const sharding::DimMapping &dim) {
      return dim.front() == factor;
    });
  };
  bool isSum = false;
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    isSum |= factor.type == FactorType::Reduction;
    if (factor.type == FactorType::Reduction
            ? !isIn(rule.operands[0], i) || !isIn(rule.operands[1], i)
            : factor.type != FactorType::PassThrough ||
                  !isIn(rule.results[0], i))
      return false;
  }
  return isSum;
}

std::optional<unsigned> Product::findDim(unsigned tensor,
                                         unsigned factor) const {
  for (auto [dim, factors] : llvm::enumerate(rule.getTensor(tensor)))
    if (factors.front() == factor)
      return dim;
  return std::nullopt;
}

bool Product::isOnOneMesh() const {
  return llvm::all_of(shardings, [&](const ValueSharding &sharding) {
    return sharding.attr && !sharding.isMaximal() &&
           sharding.mesh == shardings[0].mesh;
  });
}

bool Product::doOperandsAgree() const {
  for (unsigned i = 0; i < rule.factors.size(); ++i)
    if (hasFactor(0, i) && hasFactor(1, i) && getAxes(0, i) != getAxes(1, i))
      return false;
  return true;
}

/// The factor of the result that alone has other axes than in the operands.
std::optional<unsigned> Product::findOnlyConflict() const {
  std::optional<unsigned> conflict;
  for (unsigned i = 0; i < rule.factors.size(); ++i) {
    if (!hasFactor(2, i) ||
        getAxes(2, i) == getAxes(hasFactor(0, i) ? 0 : 1, i))
      continue;
    if (conflict)
      return std::nullopt;
    conflict = i;
  }
  return conflict;
}

AxisList Product::getSummedAxes() const {
  AxisList axes;
  for (auto [i, factor] : llvm::enumerate(rule.factors))
    if (factor.type == sharding::FactorType::Reduction)
      axes.append(getAxes(0, i));
  return axes;
}

/// Than each operand with the factor.
bool Product::isResultLarger(unsigned factor) const {
  auto getSize = [&](unsigned tensor) {
    uint64_t size = 1;
    for (int64_t dim : getTensorShape(getTensor(tensor)))
      size = llvm::SaturatingMultiply<uint64_t>(size, dim);
    return size;
  };
  uint64_t size = 0;
  for (unsigned i = 0; i < 2; ++i)
    if (hasFactor(i, factor))
      size = std::max(size, getSize(i));
  return getSize(2) > size;
}

void Product::reshardResult() {
  if (!isOnOneMesh() || !doOperandsAgree())
    return;
  std::optional<unsigned> factor = findOnlyConflict();
  if (!factor || isResultLarger(*factor))
    return;
  const AxisList &axes = getAxes(hasFactor(0, *factor) ? 0 : 1, *factor);
  AxisList summed = getSummedAxes();
  if (axes.empty() || summed.empty() || getAxes(2, *factor) != summed)
    return;
  sharding::TensorSharding made = shardings[2].axes;
  AxisList others(made.unreduced);
  for (auto [dim, sharding] : llvm::enumerate(made.dims))
    if (dim != *findDim(2, *factor))
      others.append(sharding.axes);
  for (const sharding::AxisRef &axis : axes)
    if (sharding::overlapsAny(axis, others))
      return;
  made.dims[*findDim(2, *factor)].axes = axes;
  // Unreduced axes stay as they are, so it cannot fail.
  (void)reshardBack(op->getResult(0), resharder.make(shardings[2], made),
                    shardings[2], resharder);
}

void sdy::reshardProduct(Operation *op, const sharding::Rule &rule,
                         const ValueResharder &resharder) {
  if (Product::isOne(op, rule))
    Product(op, rule, resharder).reshardResult();
}

//===----------------------------------------------------------------------===//
// On one device
//===----------------------------------------------------------------------===//

void sdy::insertSingleDeviceReshards(Operation *op, const ValueSharding &device,
                                     const ValueResharder &resharder) {
  SmallVector<ValueSharding, 0> shardings;
  for (Value value : getTensors(op))
    shardings.push_back(resharder.get(value));
  const ValueSharding *common = getCommonMesh(op, shardings);
  std::optional<ValueSharding> mesh =
      common ? *common : resharder.getAnyMesh(op->getContext());
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
    if (given.isMaximal() || !given.attr)
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      if (!isThere(use.getOwner()) && !isa<ReshardOp>(use.getOwner()))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    OpBuilder builder = resharder.makeBuilder(op);
    builder.setInsertionPointAfter(op);
    FailureOr<Value> back = resharder.reshard(builder, op->getLoc(), result,
                                              resharder.get(result), given);
    for (OpOperand *use : uses)
      if (succeeded(back))
        use->set(*back);
  }
}
