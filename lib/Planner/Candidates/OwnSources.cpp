//===- OwnSources.cpp - Partitions of the ops of a tensor -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources that begin with the tensor alone or with partitions of the ops that
// compute it: given tile mappings, the row-major order, the best partitions,
// tiles that share sums, and the last tiles.
//
//===----------------------------------------------------------------------===//

#include "Sources.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"
#include "ipu-mlir/Planner/Partition/SharedSums.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// The greatest number of partitions of an op: in general, for an op whose
/// operands have layouts, and of nested partitions.
static constexpr unsigned kMaxPartitions = 3, kMaxPartitionsWithLayouts = 2,
                          kMaxNestedPartitions = 2;

namespace {
/// The tile mapping that is a member of the tensor.
class MemberMapping : public CandidateSource {
public:
  MemberMapping(StringRef name, TileMappingAttr ModelTensor::*member)
      : CandidateSource(name), member(member) {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override {
    if (TileMappingAttr mapping = lists.getModel().getTensor(tensor).*member)
      lists.append(tensor, mapping, getName());
  }

private:
  TileMappingAttr ModelTensor::*member;
};

/// A source of partitions of the ops that compute a tensor.
class PartitionSource : public CandidateSource {
protected:
  PartitionSource(StringRef name, PartitionCache &cache)
      : CandidateSource(name), cache(cache) {}

  static const PartitionProblem *getProblem(unsigned tensor,
                                            const CandidateLists &lists);
  ArrayRef<TilePlan> getBest(unsigned tensor,
                             const CandidateLists &lists) const;
  void propose(unsigned tensor, const TilePlan &plan,
               CandidateLists &lists) const;

  static bool isElementwise(const PartitionProblem &problem) {
    return problem.cost.getKind() == CostKind::Vector;
  }
  /// Returns whether the best partition is sufficient, because the op can run
  /// on any tiles that divide its elements evenly.
  static bool needsOnePartition(const PartitionProblem &problem) {
    return isElementwise(problem) || movesRegion(problem);
  }

  PartitionCache &cache;
};
} // namespace

/// Returns the problem whose loops are over the row-major tile mapping. If an
/// operand is stored in another order, the loops are the dimensions of the
/// result.
const PartitionProblem *
PartitionSource::getProblem(unsigned number, const CandidateLists &lists) {
  const PlanModel &model = lists.getModel();
  const ModelTensor &tensor = model.getTensor(number);
  if (!tensor.readsInOrder)
    return tensor.getProblem(tensor.shape);
  return tensor.getProblem(
      getRowMajorTileMapping(model.getContext(), model.getTarget(),
                             tensor.space, tensor.getNumElements(),
                             tensor.elementType)
          .getDomain());
}

/// Returns the best partitions, the best one first.
ArrayRef<TilePlan> PartitionSource::getBest(unsigned tensor,
                                            const CandidateLists &lists) const {
  const PartitionProblem *problem = getProblem(tensor, lists);
  PlanOptions own = lists.getOptions(tensor);
  own.maxPlans = needsOnePartition(*problem)     ? 1
                 : lists.requiresLayouts(tensor) ? kMaxPartitionsWithLayouts
                                                 : kMaxPartitions;
  return cache.getPlans(problem, own, lists.getModel().getTensor(tensor).space);
}

void PartitionSource::propose(unsigned tensor, const TilePlan &plan,
                              CandidateLists &lists) const {
  // If no partition fits, the search returns the one with the fewest bytes.
  if (!lists.fits(tensor, plan.bytes))
    lists.allowBytes(tensor, plan.bytes);
  const PartitionProblem *problem = getProblem(tensor, lists);
  TileMappingAttr mapping =
      getAccessTileMapping(lists.getModel().getContext(), problem->form,
                           plan.blocks, problem->form.results.front());
  lists.propose(tensor, {mapping}, getName());
  if (!isElementwise(*problem))
    lists.keepGenericIf(tensor, mapping);
}

namespace {
class BestPartition : public PartitionSource {
public:
  explicit BestPartition(PartitionCache &cache)
      : PartitionSource("best", cache) {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override {
    propose(tensor, getBest(tensor, lists).front(), lists);
  }
};

class WholeBlocks : public PartitionSource {
public:
  explicit WholeBlocks(PartitionCache &cache)
      : PartitionSource("whole-blocks", cache) {}

  void visitTensor(unsigned number, CandidateLists &lists) const override {
    const ModelTensor &tensor = lists.getModel().getTensor(number);
    PlanOptions own = lists.getOptions(number);
    const PartitionProblem *problem = getProblem(number, lists);
    for (int64_t grain : tensor.readGrains) {
      own.readGrain = grain;
      propose(number, cache.getPlans(problem, own, tensor.space).front(),
              lists);
    }
  }
};

class NextPartitions : public PartitionSource {
public:
  explicit NextPartitions(PartitionCache &cache)
      : PartitionSource("partition", cache) {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override {
    for (const TilePlan &plan : getBest(tensor, lists).drop_front())
      propose(tensor, plan, lists);
  }
};

class NestedPartitions : public PartitionSource {
public:
  explicit NestedPartitions(PartitionCache &cache)
      : PartitionSource("nested", cache) {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override {
    const PartitionProblem *problem = getProblem(tensor, lists);
    const TileSpace &space = lists.getModel().getTensor(tensor).space;
    if (isElementwise(*problem))
      return;
    PlanOptions own = lists.getOptions(tensor);
    own.maxPlans = kMaxNestedPartitions;
    for (const TilePlan &plan : cache.getNestedPlans(problem, own, space))
      propose(tensor, plan, lists);
  }
};

class OperandOnce : public PartitionSource {
public:
  explicit OperandOnce(PartitionCache &cache)
      : PartitionSource("operand-once", cache) {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override {
    const PartitionProblem *problem = getProblem(tensor, lists);
    const TileSpace &space = lists.getModel().getTensor(tensor).space;
    if (needsOnePartition(*problem))
      return;
    PlanOptions own = lists.getOptions(tensor);
    for (const TileAccess &access : problem->form.inputs) {
      own.unsplitLoops = getLoopsOfOthers(problem->form, access);
      if (own.unsplitLoops)
        for (const TilePlan &plan : cache.getPlans(problem, own, space))
          propose(tensor, plan, lists);
    }
  }

private:
  /// Returns the loops on which the operand does not depend, as bits.
  static uint64_t getLoopsOfOthers(const TileForm &form,
                                   const TileAccess &access) {
    uint64_t loops = 0;
    for (unsigned loop = 0; loop < form.loops.size() && loop < 64; ++loop)
      if (form.loops[loop] > 1 &&
          llvm::none_of(access.dims, [&](const DimAccess &dim) {
            return dim.loop == static_cast<int64_t>(loop);
          }))
        loops |= uint64_t(1) << loop;
    return loops;
  }
};

class SharedSums : public PartitionSource {
public:
  SharedSums(const PlanModel &model, PartitionCache &cache);

  void visitTensor(unsigned tensor, CandidateLists &lists) const override;
  bool handles(const ModelStep &step,
               const CandidateLists &lists) const override;
  void followOperand(const Neighbour &neighbour, const CandidateLists &lists,
                     SmallVectorImpl<Proposal> &proposals) const override;

private:
  /// The partial sums in each tensor that an op adds.
  SmallVector<PartialValues, 0> partialValues;
};

class LastTiles : public CandidateSource {
public:
  LastTiles() : CandidateSource("last-tiles") {}

  void visitTensor(unsigned tensor, CandidateLists &lists) const override;
};
} // namespace

SharedSums::SharedSums(const PlanModel &model, PartitionCache &cache)
    : PartitionSource("shared-sums", cache),
      partialValues(model.getTensors().size()) {
  for (const ModelStep &step : model.getSteps()) {
    if (step.kind != ModelStep::Kind::Compute)
      continue;
    const ModelTensor &result = model.getTensor(step.tensor);
    const PartitionProblem *problem = nullptr;
    if (result.getPartition(result.given ? result.given : result.generic,
                            problem) &&
        problem->cost.getKind() == CostKind::ReduceColumns &&
        step.operands.front().isWhole)
      partialValues[step.operands.front().tensor] =
          getPartialValues(*problem, /*operand=*/0);
  }
}

void SharedSums::visitTensor(unsigned tensor, CandidateLists &lists) const {
  if (partialValues[tensor].numCombined == 0)
    return;
  MLIRContext *context = lists.getModel().getContext();
  const TileForm &form = getProblem(tensor, lists)->form;
  const TilePlan &best = getBest(tensor, lists).front();
  if (auto shared =
          getSharedPartition(context, form, best.blocks, partialValues[tensor]))
    lists.propose(
        tensor,
        {getAccessTileMapping(context, form, *shared, form.results.front())},
        getName());
}

bool SharedSums::handles(const ModelStep &step,
                         const CandidateLists &lists) const {
  if (step.kind != ModelStep::Kind::Compute)
    return false;
  const PartitionProblem *problem = lists[step.tensor].front().problem;
  return problem && problem->cost.getKind() == CostKind::ReduceColumns;
}

void SharedSums::followOperand(const Neighbour &neighbour,
                               const CandidateLists &lists,
                               SmallVectorImpl<Proposal> &proposals) const {
  const PlanModel &model = lists.getModel();
  const ModelOperand &operand = neighbour.operand;
  if (model.getTensor(operand.tensor).isConstant())
    return;
  TileMappingAttr mapping = neighbour.mapping;
  if (!operand.isWhole)
    mapping = getTileMappingOfView(mapping, operand.view);
  const ModelTensor &result = model.getTensor(neighbour.step.tensor);
  const PartitionProblem *problem = result.getProblem(result.shape);
  if (mapping && problem)
    proposals.push_back({getSharedTileMapping(
        mapping, getPartialValues(*problem, operand.index))});
}

void LastTiles::visitTensor(unsigned number, CandidateLists &lists) const {
  const PlanModel &model = lists.getModel();
  const ModelTensor &tensor = model.getTensor(number);
  TileMappingAttr mapping = lists[number].front().mapping;
  // On several IPUs, other tiles could be on other IPUs.
  if (tensor.given || mapping.isNested() ||
      (model.getTarget().ipus > 1 && !tensor.space.ipu))
    return;
  // Pairs of tiles stay pairs.
  int64_t first =
      (tensor.space.getNumTiles(model.getTarget()) - mapping.getNumTiles()) /
      2 * 2;
  if (first > mapping.getFirst())
    lists.append(number, moveTiles(mapping, first - mapping.getFirst()),
                 getName());
}

SourcePtr mlir::ipu::createGivenMapping() {
  return std::make_shared<MemberMapping>("given", &ModelTensor::given);
}
SourcePtr mlir::ipu::createGenericMapping() {
  return std::make_shared<MemberMapping>("generic", &ModelTensor::generic);
}
SourcePtr mlir::ipu::createBestPartition(PartitionCache &cache) {
  return std::make_shared<BestPartition>(cache);
}
SourcePtr mlir::ipu::createWholeBlocks(PartitionCache &cache) {
  return std::make_shared<WholeBlocks>(cache);
}
SourcePtr mlir::ipu::createNextPartitions(PartitionCache &cache) {
  return std::make_shared<NextPartitions>(cache);
}
SourcePtr mlir::ipu::createOperandOnce(PartitionCache &cache) {
  return std::make_shared<OperandOnce>(cache);
}
SourcePtr mlir::ipu::createNestedPartitions(PartitionCache &cache) {
  return std::make_shared<NestedPartitions>(cache);
}
SourcePtr mlir::ipu::createSharedSums(const PlanModel &model,
                                      PartitionCache &cache) {
  return std::make_shared<SharedSums>(model, cache);
}
SourcePtr mlir::ipu::createLastTiles() { return std::make_shared<LastTiles>(); }
