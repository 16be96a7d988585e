//===- FindCandidates.cpp - The search for tile mappings --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Candidates/FindCandidates.h"

#include "Sources.h"

using namespace mlir;
using namespace mlir::ipu;

/// The greatest number of candidates of a result that an operand follows.
static constexpr unsigned kMaxPropagated = 6;

CandidateSources::CandidateSources(const PlanModel &model,
                                   PartitionCache &cache, bool isNested)
    : nested(isNested) {
  SourcePtr sharedSums = createSharedSums(model, cache);

  add(CandidatePhase::Initial, createGivenMapping());
  add(CandidatePhase::Initial, createGenericMapping());

  add(CandidatePhase::Own, createBestPartition(cache));
  add(CandidatePhase::Own, createWholeBlocks(cache));
  add(CandidatePhase::Own, sharedSums);
  if (isNested) {
    add(CandidatePhase::Own, createNestedPartitions(cache));
  } else {
    add(CandidatePhase::Own, createNextPartitions(cache));
    add(CandidatePhase::Own, createOperandOnce(cache));
  }

  add(CandidatePhase::FollowOperand, sharedSums);
  add(CandidatePhase::FollowOperand, createOperandMapping());
  add(CandidatePhase::FollowOperand, createCopiedMapping());

  add(CandidatePhase::FollowResult, createReaderCopies(/*isLate=*/false));
  add(CandidatePhase::FollowResult, createReaderMapping());
  add(CandidatePhase::FollowResult, createTargetMapping());

  add(CandidatePhase::OtherOrder, createSlabs());
  add(CandidatePhase::OtherOrder, createSquares());
  add(CandidatePhase::Unmatched, createSeparatedDims());
  add(CandidatePhase::Late, createReaderCopies(/*isLate=*/true));
  add(CandidatePhase::FirstTile, createLastTiles());
}

SmallVector<const CandidateSource *>
CandidateSources::get(CandidatePhase phase) const {
  SmallVector<const CandidateSource *> result;
  for (const PhasedSource &entry : sources)
    if (entry.phase == phase)
      result.push_back(entry.source.get());
  return result;
}

namespace {
class CandidateFinder {
public:
  CandidateFinder(CandidateLists &lists, const CandidateSources &sources,
                  ExecuteSearch execute)
      : lists(lists), sources(sources), execute(execute),
        steps(lists.getModel().getSteps()) {}

  void run();

private:
  void findAround(function_ref<bool(unsigned)> isWanted);
  bool findOwn(function_ref<bool(unsigned)> isWanted);
  void visitOtherOrders();
  bool followOperands(CandidatePhase phase);
  bool followOperands(const ModelStep &step,
                      ArrayRef<const CandidateSource *> sources);
  void followResult(const ModelStep &step, CandidatePhase phase);
  SmallVector<TileMappingAttr> getMappings(unsigned tensor) const;

  CandidateLists &lists;
  const CandidateSources &sources;
  ExecuteSearch execute;
  ArrayRef<ModelStep> steps;
};
} // namespace

SmallVector<TileMappingAttr>
CandidateFinder::getMappings(unsigned tensor) const {
  return llvm::map_to_vector(lists[tensor], [](const Candidate &candidate) {
    return candidate.mapping;
  });
}

/// Returns the sources of `phase` that handle `step`.
static SmallVector<const CandidateSource *>
getHandlers(ArrayRef<const CandidateSource *> sources, const ModelStep &step,
            const CandidateLists &lists) {
  return llvm::filter_to_vector(sources, [&](const CandidateSource *source) {
    return source->handles(step, lists);
  });
}

/// Adds candidates of the result of `step`. Returns whether there are any.
bool CandidateFinder::followOperands(const ModelStep &step,
                                     ArrayRef<const CandidateSource *> all) {
  if (lists.getModel().getTensor(step.tensor).given)
    return false;
  bool isChanged = false;
  SmallVector<const CandidateSource *> handlers = getHandlers(all, step, lists);
  if (handlers.empty())
    return false;
  for (const ModelOperand &operand : step.operands)
    // The tile mappings are copied, because an operand may be the result.
    for (TileMappingAttr mapping : getMappings(operand.tensor))
      for (const CandidateSource *source : handlers) {
        SmallVector<Proposal, 2> proposals;
        source->followOperand({step, operand, mapping, nullptr}, lists,
                              proposals);
        for (const Proposal &proposal : proposals)
          isChanged |= lists.propose(step.tensor, proposal, source->getName());
      }
  return isChanged;
}

bool CandidateFinder::followOperands(CandidatePhase phase) {
  SmallVector<const CandidateSource *> all = sources.get(phase);
  bool isChanged = false;
  for (const ModelStep &step : steps)
    isChanged |= followOperands(step, all);
  return isChanged;
}

/// Returns the numbers of the candidates of the result of `step` that operands
/// follow. If there are others, operands do not follow the generic candidate,
/// which is the first one.
static auto getFollowed(const ModelStep &step, CandidatePhase phase,
                        const CandidateLists &lists) {
  size_t size = lists[step.tensor].size();
  bool isOfOp = step.kind == ModelStep::Kind::Compute ||
                step.kind == ModelStep::Kind::Move;
  if (phase == CandidatePhase::Late || !isOfOp)
    return llvm::seq<size_t>(0, size);
  size_t begin = size > 1 && !lists.isPlanned(step.tensor) ? 1 : 0;
  return llvm::seq(begin, std::min<size_t>(begin + kMaxPropagated, size));
}

/// Adds candidates of the operands of `step`.
void CandidateFinder::followResult(const ModelStep &step,
                                   CandidatePhase phase) {
  SmallVector<const CandidateSource *> handlers =
      getHandlers(sources.get(phase), step, lists);
  if (handlers.empty())
    return;
  bool isCompute = step.kind == ModelStep::Kind::Compute;
  // The tile mappings are copied, because an operand may be the result.
  SmallVector<TileMappingAttr> mappings = getMappings(step.tensor);
  for (size_t number : getFollowed(step, phase, lists))
    for (const ModelOperand &operand : step.operands)
      for (const CandidateSource *source : handlers) {
        SmallVector<Proposal, 2> proposals;
        const Candidate *candidate =
            isCompute ? &lists[step.tensor][number] : nullptr;
        source->followResult({step, operand, mappings[number], candidate},
                             lists, proposals);
        bool suffices = false;
        for (const Proposal &proposal : proposals) {
          lists.propose(operand.tensor, proposal, source->getName());
          suffices |= proposal.suffices &&
                      lists.contains(operand.tensor, proposal.mapping);
        }
        if (suffices)
          break;
      }
}

/// Asks for candidates of each wanted tensor. Returns whether there are any
/// such tensors.
bool CandidateFinder::findOwn(function_ref<bool(unsigned)> isWanted) {
  SmallVector<const CandidateSource *> own = sources.get(CandidatePhase::Own);
  bool isChanged = false;
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor) {
    if (!isWanted(tensor))
      continue;
    isChanged = true;
    const ModelTensor &computed = lists.getModel().getTensor(tensor);
    if (computed.getProblem && !computed.given)
      execute(tensor, [&] {
        for (const CandidateSource *source : own)
          source->visitTensor(tensor, lists);
      });
  }
  return isChanged;
}

/// Asks for candidates of tensors that steps read in another order.
void CandidateFinder::visitOtherOrders() {
  const PlanModel &model = lists.getModel();
  for (const ModelStep &step : llvm::reverse(steps))
    for (const ModelOperand &operand : step.operands)
      if (!operand.isWhole &&
          operand.view.getNumElements() ==
              model.getTensor(operand.tensor).getNumElements())
        for (const CandidateSource *source :
             sources.get(CandidatePhase::OtherOrder))
          source->visitTensor(operand.tensor, lists);
}

/// Finds candidates of the wanted tensors and of those around them.
void CandidateFinder::findAround(function_ref<bool(unsigned)> isWanted) {
  if (!findOwn(isWanted))
    return;
  lists.dropGenericWithLayouts();
  followOperands(CandidatePhase::FollowOperand);
  for (const ModelStep &step : llvm::reverse(steps))
    followResult(step, CandidatePhase::FollowResult);
  visitOtherOrders();
  followOperands(CandidatePhase::FollowOperand);
}

void CandidateFinder::run() {
  // The operands of elementwise ops are mostly on the tiles that read them. No
  // partition takes fewer bytes than the even partition.
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor) {
    const Candidate &first = lists[tensor].front();
    if (first.problem && first.problem->cost.getKind() == CostKind::Vector)
      lists.allowBytes(tensor, lists.getOpBytes(first));
  }
  findAround([&](unsigned tensor) { return lists.requiresLayouts(tensor); });
  // Other ops follow the ops that require layouts. An op has partitions of its
  // own only if it has no tile mapping to follow, or if it moves a region: the
  // tensor that it slices should then be divided along other dimensions.
  findAround([&](unsigned tensor) {
    const PartitionProblem *problem = lists[tensor].front().problem;
    return !lists.requiresLayouts(tensor) &&
           (lists[tensor].size() == 1 || (problem && movesRegion(*problem)));
  });
  if (followOperands(CandidatePhase::Unmatched))
    followOperands(CandidatePhase::FollowOperand);
  for (const ModelStep &step : steps)
    followResult(step, CandidatePhase::Late);
}

CandidateLists mlir::ipu::getInitialCandidates(const PlanModel &model,
                                               const CandidateSources &sources,
                                               const PlanOptions &options,
                                               ArrayRef<int64_t> shares) {
  CandidateLists lists(model, options, sources.isNested(), shares);
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
    for (const CandidateSource *source : sources.get(CandidatePhase::Initial))
      source->visitTensor(tensor, lists);
  return lists;
}

CandidateLists mlir::ipu::findCandidates(const CandidateLists &initial,
                                         const CandidateSources &sources,
                                         ExecuteSearch execute) {
  CandidateLists lists = initial;
  CandidateFinder(lists, sources, execute).run();
  lists.prune(initial);
  return lists;
}

void mlir::ipu::addFirstTiles(CandidateLists &lists,
                              const CandidateSources &sources) {
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
    for (const CandidateSource *source : sources.get(CandidatePhase::FirstTile))
      source->visitTensor(tensor, lists);
}
