//===- Reshards.cpp - Reshards where shardings must agree -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: closed shardings. Out: the operands of a concatenation that is sharded
// along its dimension, or differently from one of them, are resharded to its
// sharding. Other ops are left to whoever partitions the program.
//
//===----------------------------------------------------------------------===//

#include "../Propagation/ShardingState.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/IR/PatternMatch.h"

#include <numeric>

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_INSERTEXPLICITRESHARDSPASS
#define GEN_PASS_DEF_CANONICALIZERESHARDSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

//===----------------------------------------------------------------------===//
// One sharding for all tensors of an op
//===----------------------------------------------------------------------===//

namespace {
/// Axes that a factor could have in all tensors.
struct Candidate {
  unsigned factor;
  sharding::AxisList axes;
  /// Elements of the tensors that have them already.
  int64_t elements = 0;
};
} // namespace

static int64_t getNumElements(const sharding::TensorMapping &mapping,
                              const sharding::Rule &rule) {
  int64_t size = 1;
  for (const sharding::DimMapping &factors : mapping)
    for (unsigned factor : factors)
      size *= rule.factors[factor].size;
  return size;
}

static unsigned getPrecedence(sharding::FactorType type) {
  switch (type) {
  case sharding::FactorType::PassThrough:
    return 3;
  case sharding::FactorType::Reduction:
    return 2;
  case sharding::FactorType::Permutation:
    return 1;
  case sharding::FactorType::NeedReplication:
    return 0;
  }
  llvm_unreachable("unknown type of factor");
}

/// All prefixes of what the factors have somewhere.
static SmallVector<Candidate>
getCandidates(const sharding::Projection &projection,
              const sharding::Rule &rule) {
  SmallVector<Candidate> candidates;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i)
    for (const sharding::FactorSharding &entry :
         projection.getTensor(i).factors) {
      if (rule.factors[entry.factor].type ==
          sharding::FactorType::NeedReplication)
        continue;
      for (size_t size = 1; size <= entry.axes.size(); ++size) {
        sharding::AxisList axes(entry.axes.begin(), entry.axes.begin() + size);
        if (llvm::none_of(candidates, [&](const Candidate &other) {
              return other.factor == entry.factor && other.axes == axes;
            }))
          candidates.push_back({entry.factor, axes});
      }
    }
  for (Candidate &candidate : candidates)
    for (unsigned i = 0; i < projection.getNumTensors(); ++i)
      if (const auto *entry = projection.getTensor(i).find(candidate.factor))
        if (sharding::getPrefixStatus(candidate.axes, entry->axes) !=
            sharding::PrefixStatus::NotPrefix)
          candidate.elements += getNumElements(rule.getTensor(i), rule);
  return candidates;
}

/// The axes of each factor: those that the most elements have first, until what
/// is left overlaps. After Shardy's heuristic.
static SmallVector<sharding::AxisList>
getCommonAxes(const sharding::Projection &projection,
              const sharding::Rule &rule) {
  SmallVector<sharding::AxisList> common(rule.factors.size());
  SmallVector<Candidate> candidates = getCandidates(projection, rule);
  auto getScore = [&](const Candidate &candidate) {
    return std::make_tuple(candidate.elements,
                           getPrecedence(rule.factors[candidate.factor].type),
                           sharding::getProduct(candidate.axes) /
                               sharding::getProduct(common[candidate.factor]),
                           candidate.factor);
  };
  auto isPossible = [&](const Candidate &candidate) {
    if (sharding::getPrefixStatus(common[candidate.factor], candidate.axes) !=
        sharding::PrefixStatus::StrictPrefix)
      return false;
    for (auto [factor, axes] : llvm::enumerate(common))
      if (factor != candidate.factor)
        for (const sharding::AxisRef &a : axes)
          for (const sharding::AxisRef &b : candidate.axes)
            if (sharding::overlaps(a, b))
              return false;
    return true;
  };
  while (true) {
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      return !isPossible(candidate);
    });
    if (candidates.empty())
      return common;
    const Candidate *best = &candidates.front();
    for (const Candidate &candidate : candidates)
      if (getScore(*best) < getScore(candidate))
        best = &candidate;
    common[best->factor] = best->axes;
  }
}

/// Whether every tensor that is no scalar has the factor.
static bool isBatching(unsigned factor, const sharding::Rule &rule) {
  for (unsigned i = 0; i < rule.getNumTensors(); ++i) {
    const sharding::TensorMapping &mapping = rule.getTensor(i);
    if (!mapping.empty() &&
        llvm::none_of(mapping, [&](const sharding::DimMapping &dim) {
          return llvm::is_contained(dim, factor);
        }))
      return false;
  }
  return true;
}

/// What all tensors have of the factor.
static sharding::AxisList getSharedAxes(const sharding::Projection &projection,
                                        unsigned factor) {
  std::optional<sharding::AxisList> shared;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i)
    if (const auto *entry = projection.getTensor(i).find(factor))
      shared = shared ? sharding::getCommonPrefix(*shared, entry->axes)
                      : entry->axes;
  return shared.value_or(sharding::AxisList());
}

/// Gives the axes that all tensors have of a factor that needs replication to
/// those factors that all tensors have and that they still divide.
static void
replaceReplicatedFactors(const sharding::Projection &projection,
                         SmallVectorImpl<sharding::AxisList> &common,
                         const sharding::Rule &rule) {
  for (unsigned factor = 0; factor < common.size(); ++factor) {
    if (rule.factors[factor].type != sharding::FactorType::NeedReplication ||
        !isBatching(factor, rule))
      continue;
    for (sharding::AxisRef axis : getSharedAxes(projection, factor))
      for (auto [other, target] : llvm::enumerate(common)) {
        if (rule.factors[other].type != sharding::FactorType::PassThrough ||
            !isBatching(other, rule) || axis.size == 1)
          continue;
        int64_t used = sharding::getProduct(target);
        if (rule.factors[other].size % used != 0)
          continue;
        int64_t part = std::gcd(rule.factors[other].size / used, axis.size);
        if (part == 1)
          continue;
        sharding::appendMerged(target, {axis.axis, axis.pre, part});
        axis = {axis.axis, axis.pre * part, axis.size / part};
      }
  }
}

/// Whether all have the same axes in each dimension; null: none.
static bool areAlike(ArrayRef<const sharding::TensorSharding *> shardings) {
  auto getAxes = [](const sharding::TensorSharding *sharding) {
    SmallVector<sharding::AxisList> axes;
    if (sharding &&
        llvm::any_of(sharding->dims, [](const sharding::DimSharding &dim) {
          return !dim.axes.empty();
        }))
      for (const sharding::DimSharding &dim : sharding->dims)
        axes.push_back(dim.axes);
    return axes;
  };
  return llvm::all_of(shardings, [&](const sharding::TensorSharding *other) {
    return getAxes(other) == getAxes(shardings.front());
  });
}

/// Inserts reshards around `op` unless its tensors are sharded alike.
static void insertReshards(Operation *op, ShardingState &state) {
  std::optional<sharding::Rule> rule =
      getShardingRule(op, /*conservative=*/false);
  if (!rule)
    return;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  SmallVector<ShardingState::Slot *> slots;
  SmallVector<const sharding::TensorSharding *> shardings;
  const ShardingState::Slot *mesh = nullptr;
  for (Value value : values) {
    ShardingState::Slot *slot = state.get(value);
    slots.push_back(slot);
    bool exists = slot && slot->exists();
    shardings.push_back(exists ? &slot->sharding : nullptr);
    if (!exists || slot->mesh.empty())
      continue;
    if (slot->mesh.isMaximal() || (mesh && mesh->mesh != slot->mesh))
      return;
    mesh = mesh ? mesh : slot;
  }
  if (!mesh || areAlike(shardings))
    return;
  auto projection = sharding::Projection::build(shardings, *rule,
                                                /*closedIfMissing=*/true);
  SmallVector<sharding::AxisList> common = getCommonAxes(projection, *rule);
  replaceReplicatedFactors(projection, common, *rule);
  for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
    if (!slots[i])
      continue;
    sharding::TensorProjection tensor = projection.getTensor(i);
    for (sharding::FactorSharding &entry : tensor.factors) {
      entry.axes = common[entry.factor];
      entry.overflow.clear();
    }
    sharding::TensorSharding wanted =
        sharding::makeTensorSharding(tensor, rule->getTensor(i), *rule);
    auto isSharded = [](const sharding::DimSharding &dim) {
      return !dim.axes.empty();
    };
    bool isSame = true;
    for (auto [a, b] : llvm::zip_equal(wanted.dims, slots[i]->sharding.dims))
      isSame &= a.axes == b.axes;
    if (isSame)
      continue;
    // Not the value's own: a reshard in a computation has no manual axes.
    ShardingState::Slot target = *slots[i];
    target.value = {};
    target.sharding = wanted;
    for (sharding::DimSharding &dim : target.sharding.dims)
      dim.isClosed = true;
    if (!target.exists() || target.mesh.empty()) {
      target.meshOrRef = mesh->meshOrRef;
      target.mesh = mesh->mesh;
    }
    TensorShardingAttr attr = state.getAttr(target);
    OpBuilder builder(op);
    if (i < op->getNumOperands()) {
      auto reshard = ReshardOp::create(builder, op->getLoc(),
                                       values[i].getType(), values[i], attr);
      op->setOperand(i, reshard.getResult());
      continue;
    }
    TensorShardingAttr old =
        slots[i]->exists()
            ? ShardingState::getGiven(*slots[i])
            : TensorShardingAttr::getFullyClosed(
                  op->getContext(), attr.getRank(), attr.getMeshOrRef());
    builder.setInsertionPointAfter(op);
    auto reshard = ReshardOp::create(builder, op->getLoc(), values[i].getType(),
                                     values[i], old);
    values[i].replaceAllUsesExcept(reshard.getResult(), reshard);
    if (slots[i]->exists() || llvm::any_of(wanted.dims, isSharded))
      setSharding(values[i], attr);
  }
}

namespace {
struct InsertExplicitReshardsPass
    : sdy::impl::InsertExplicitReshardsPassBase<InsertExplicitReshardsPass> {
  using InsertExplicitReshardsPassBase::InsertExplicitReshardsPassBase;
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk(
        [&](stablehlo::ConcatenateOp op) { ops.push_back(op); });
    for (Operation *op : ops) {
      // Reshards change what later ops see.
      ShardingState state(getOperation());
      insertReshards(op, state);
    }
  }
};

struct CanonicalizeReshardsPass
    : sdy::impl::CanonicalizeReshardsPassBase<CanonicalizeReshardsPass> {
  using CanonicalizeReshardsPassBase::CanonicalizeReshardsPassBase;
  void runOnOperation() override {
    // Not by the rewrite driver: reshards that nobody uses stay.
    SmallVector<ReshardOp> reshards;
    getOperation().walk([&](ReshardOp op) { reshards.push_back(op); });
    PatternRewriter rewriter(&getContext());
    for (ReshardOp op : reshards) {
      rewriter.setInsertionPoint(op);
      (void)ReshardOp::canonicalize(op, rewriter);
    }
  }
};
} // namespace
