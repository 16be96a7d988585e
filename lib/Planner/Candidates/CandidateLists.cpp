//===- CandidateLists.cpp - Tile mappings to choose from --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Candidates/CandidateLists.h"

using namespace mlir;
using namespace mlir::ipu;

/// The usual greatest number of candidates of a tensor, without and with nested
/// partitions.
static constexpr unsigned kMaxCandidates = 6, kMaxNestedCandidates = 10;
/// The greatest number of elements of a tensor that keeps a candidate without a
/// layout as its first candidate, although it has other candidates.
static constexpr int64_t kMaxInOrder = 1 << 18;
/// The greatest number of elements of a tensor that keeps its generic candidate
/// although it has candidates with layouts.
static constexpr int64_t kMaxGeneric = 1 << 16;

CandidateLists::CandidateLists(const PlanModel &model,
                               const PlanOptions &options, bool isNested,
                               ArrayRef<int64_t> shares)
    : model(&model), options(options),
      maxCandidates(isNested ? kMaxNestedCandidates : kMaxCandidates),
      shares(shares), lists(model.getTensors().size()) {}

PlanOptions CandidateLists::getOptions(unsigned tensor) const {
  PlanOptions own = options;
  if (std::optional<int64_t> share = model->getTensor(tensor).memoryPerMille)
    own.memoryPerMille = *share;
  if (!shares.empty())
    own.memoryPerMille = std::min(own.memoryPerMille, shares[tensor]);
  return own;
}

int64_t CandidateLists::getOpBytes(const Candidate &candidate) const {
  return getTilePlan(model->getTarget(), *candidate.problem, candidate.blocks)
      .bytes;
}

bool CandidateLists::fits(unsigned tensor, int64_t bytes) const {
  return bytes <=
         std::max(lists[tensor].leastBytes,
                  getMemoryLimit(model->getTarget(), getOptions(tensor)));
}

bool CandidateLists::fits(unsigned tensor, const Candidate &candidate) const {
  return !candidate.problem || fits(tensor, getOpBytes(candidate));
}

bool CandidateLists::requiresLayouts(unsigned tensor) const {
  const PartitionProblem *problem = lists[tensor].candidates.front().problem;
  return problem && llvm::any_of(problem->form.inputs, [](const TileAccess &a) {
           return static_cast<bool>(a.layout);
         });
}

/// Returns the candidate with `mapping`, or std::nullopt if the ops that
/// compute the tensor have no such partition.
std::optional<Candidate> CandidateLists::create(unsigned tensor,
                                                TileMappingAttr mapping,
                                                StringRef source) const {
  const ModelTensor &computed = model->getTensor(tensor);
  Candidate candidate{mapping, source};
  if (!computed.getProblem)
    return candidate;
  std::optional<LoopBlocks> blocks =
      computed.getPartition(mapping, candidate.problem);
  if (!blocks)
    return std::nullopt;
  candidate.blocks = std::move(*blocks);
  const TileForm &form = candidate.problem->form;
  // Vertices that require a layout of the result always write this layout.
  if (AffineMap layout = form.results.front().layout)
    candidate.mapping = mapping.withFittedLayout(layout);
  for (unsigned input = 0; input < form.inputs.size(); ++input)
    candidate.inputs.push_back(getInputTileMapping(
        form, candidate.blocks, input, candidate.mapping, /*operand=*/nullptr));
  candidate.computeCycles = getComputeSetCycles(
      model->getTarget(), *candidate.problem, candidate.blocks);
  return candidate;
}

bool CandidateLists::contains(unsigned tensor, TileMappingAttr mapping) const {
  return llvm::any_of(lists[tensor].candidates, [&](const Candidate &own) {
    return own.mapping.isEquivalentTo(mapping);
  });
}

bool CandidateLists::propose(unsigned number, const Proposal &proposal,
                             StringRef source) {
  const ModelTensor &tensor = model->getTensor(number);
  TileMappingAttr mapping = proposal.mapping;
  if (tensor.given || !mapping ||
      lists[number].candidates.size() >=
          proposal.maxCandidates.value_or(maxCandidates) ||
      mapping.getFirst() + mapping.getNumTiles() >
          tensor.space.getNumTiles(model->getTarget()) ||
      contains(number, mapping))
    return false;
  std::optional<Candidate> candidate = create(number, mapping, source);
  if (!candidate)
    return false;
  // A tensor that is only stored must not fill the tiles of an op that reads a
  // part of it at a time.
  int64_t bytes = mapping.getMaxElements() * getStoredBytes(tensor.elementType);
  if (!candidate->problem && !proposal.isReadInPlace &&
      bytes > model->getTarget().tile_memory / 2)
    return false;
  if (!fits(number, *candidate))
    return false;
  lists[number].candidates.push_back(std::move(*candidate));
  return true;
}

bool CandidateLists::append(unsigned tensor, TileMappingAttr mapping,
                            StringRef source) {
  std::optional<Candidate> candidate = create(tensor, mapping, source);
  // A given tile mapping that is not a partition has no cost. The conversion
  // will report an error.
  if (!candidate && mapping == model->getTensor(tensor).given)
    candidate = Candidate{mapping, source};
  if (!candidate)
    return false;
  lists[tensor].candidates.push_back(std::move(*candidate));
  return true;
}

unsigned CandidateLists::getOrAppend(unsigned tensor, TileMappingAttr mapping,
                                     StringRef source) {
  if (model->getTensor(tensor).given)
    return 0;
  ArrayRef<Candidate> candidates = lists[tensor].candidates;
  const auto *it = llvm::find_if(candidates, [&](const Candidate &other) {
    return other.mapping == mapping;
  });
  if (it != candidates.end())
    return it - candidates.begin();
  return append(tensor, mapping, source) ? lists[tensor].candidates.size() - 1
                                         : 0;
}

void CandidateLists::keepGenericIf(unsigned tensor, TileMappingAttr mapping) {
  List &list = lists[tensor];
  int64_t numTiles =
      model->getTensor(tensor).space.getNumTiles(model->getTarget());
  if (list.isPlanned || mapping.getNumTiles() < numTiles / 2 ||
      !list.candidates.front().mapping.isEquivalentTo(mapping))
    return;
  std::rotate(list.candidates.begin(), list.candidates.begin() + 1,
              list.candidates.end());
  list.isPlanned = true;
}

void CandidateLists::dropGenericWithLayouts() {
  for (auto [number, list] : llvm::enumerate(lists)) {
    if (model->getTensor(number).given || list.candidates.size() == 1 ||
        list.isPlanned || !requiresLayouts(number))
      continue;
    list.candidates.erase(list.candidates.begin());
    list.isPlanned = true;
  }
}

void CandidateLists::prune(unsigned number, const Candidate &generic) {
  const ModelTensor &tensor = model->getTensor(number);
  SmallVector<Candidate, 0> &candidates = lists[number].candidates;
  auto hasLayout = std::mem_fn(&Candidate::hasLayout);
  // If a candidate has a layout, candidates without a layout are removed:
  // exchanges between orders of storage are slow, and so is their analysis.
  if (llvm::any_of(candidates, hasLayout))
    llvm::erase_if(candidates, std::not_fn(hasLayout));
  // A large tensor in row-major order does not fit the partitions of other ops,
  // so that this candidate is removed unless the fullest tile of each other
  // candidate has more than twice as many elements.
  int64_t fullest = generic.mapping.getMaxElements();
  auto isEven = [&](const Candidate &candidate) {
    return candidate.mapping.getMaxElements() / 2 <= fullest;
  };
  if (tensor.getNumElements() > kMaxInOrder &&
      candidates.size() > (tensor.isLeaf() ? 1 : 2) &&
      candidates.front().mapping == generic.mapping &&
      !candidates.front().hasLayout() &&
      llvm::any_of(llvm::drop_begin(candidates), isEven))
    candidates.erase(candidates.begin());
  // For small tensors, the generic candidate is kept, because one exchange
  // fewer may save more cycles than a layout.
  if (tensor.getNumElements() <= kMaxGeneric &&
      llvm::none_of(candidates, [&](const Candidate &candidate) {
        return candidate.mapping == generic.mapping;
      }))
    candidates.push_back(generic);
  // The generic candidate may take more than the share.
  auto isWithin = [&](const Candidate &candidate) {
    return fits(number, candidate);
  };
  if (llvm::any_of(candidates, isWithin))
    llvm::erase_if(candidates, std::not_fn(isWithin));
}

void CandidateLists::prune(const CandidateLists &generic) {
  for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
    if (!model->getTensor(tensor).given)
      prune(tensor, generic[tensor].front());
}

void CandidateLists::keepOnly(ArrayRef<unsigned> choices) {
  for (auto [list, choice] : llvm::zip_equal(lists, choices)) {
    std::swap(list.candidates.front(), list.candidates[choice]);
    list.candidates.truncate(1);
  }
}
