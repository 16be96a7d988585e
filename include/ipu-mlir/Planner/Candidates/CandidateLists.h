//===- CandidateLists.h - Tile mappings to choose from ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate is a tile mapping that a tensor of a model may have. The planner
// chooses one candidate of each tensor; these choices are an assignment.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_CANDIDATES_CANDIDATELISTS_H
#define IPU_MLIR_PLANNER_CANDIDATES_CANDIDATELISTS_H

#include "ipu-mlir/Planner/Model/PlanModel.h"
#include "ipu-mlir/Planner/Partition/PartitionSearch.h"

namespace mlir::ipu {

/// A tile mapping that a tensor may have. For a tensor that ops with a
/// partition problem compute, it is also a partition of these ops.
struct Candidate {
  TileMappingAttr mapping;
  /// The name of the source that found the tile mapping.
  StringRef source;
  /// The partition problem, the blocks and the tile mappings of the inputs.
  const PartitionProblem *problem = nullptr;
  LoopBlocks blocks = {};
  SmallVector<TileMappingAttr> inputs = {};
  int64_t computeCycles = 0;

  bool hasLayout() const { return static_cast<bool>(mapping.getLayout()); }
};

/// A tile mapping that a source proposes for a tensor.
struct Proposal {
  TileMappingAttr mapping;
  /// The proposal is dropped if the tensor already has this number of
  /// candidates. If it is not set, this is the usual limit.
  std::optional<unsigned> maxCandidates = std::nullopt;
  /// If this flag is set and the tile mapping is a candidate, the neighbour
  /// needs no further proposals for the same tensor.
  bool suffices = false;
  /// This flag is set if an op reads the whole tensor on the tiles of this tile
  /// mapping, without a copy of it.
  bool isReadInPlace = false;
};

/// The candidates of each tensor of a model. The lists enforce the number of
/// candidates and the share of memory.
class CandidateLists {
public:
  /// Creates empty lists. If candidates may be nested partitions (`isNested`),
  /// more candidates are allowed. `model` must outlive the lists. `shares`,
  /// which may be empty, has the share of memory of the ops that compute each
  /// tensor, in thousandths.
  CandidateLists(const PlanModel &model, const PlanOptions &options,
                 bool isNested, ArrayRef<int64_t> shares = {});

  const PlanModel &getModel() const { return *model; }
  ArrayRef<Candidate> operator[](unsigned tensor) const {
    return lists[tensor].candidates;
  }
  size_t size() const { return lists.size(); }
  /// Returns the usual greatest number of candidates of a tensor.
  unsigned getMaxCandidates() const { return maxCandidates; }

  /// Adds a candidate if its tile mapping is new, on tiles of the tensor's
  /// space, a partition of the ops that compute the tensor, and within the
  /// share of memory, and if there are not too many candidates. Returns whether
  /// it was added. A tensor whose tile mapping is given gets no other
  /// candidates.
  bool propose(unsigned tensor, const Proposal &proposal, StringRef source);
  /// Adds the candidate with `mapping` without these conditions, except that it
  /// must be possible. Returns whether it was added.
  bool append(unsigned tensor, TileMappingAttr mapping, StringRef source);
  /// Returns the number of the candidate with `mapping`, which is appended if
  /// it does not exist. If the tensor may not have this tile mapping, because
  /// another one is given, returns 0.
  unsigned getOrAppend(unsigned tensor, TileMappingAttr mapping,
                       StringRef source);
  /// Returns whether a candidate is equivalent to `mapping`.
  bool contains(unsigned tensor, TileMappingAttr mapping) const;

  /// Returns whether vertices of the ops that compute `tensor` read an operand
  /// in a certain order of storage. The tensor must have a candidate.
  bool requiresLayouts(unsigned tensor) const;
  /// Returns the options for partitions of the ops that compute `tensor`.
  PlanOptions getOptions(unsigned tensor) const;
  /// Returns the bytes of operands and results on the fullest tile if the ops
  /// have the partition of `candidate`, which must be a partition.
  int64_t getOpBytes(const Candidate &candidate) const;
  /// Allows candidates of `tensor` that take `bytes`, even if this exceeds the
  /// share of memory.
  void allowBytes(unsigned tensor, int64_t bytes) {
    lists[tensor].leastBytes = bytes;
  }
  int64_t getAllowedBytes(unsigned tensor) const {
    return lists[tensor].leastBytes;
  }
  /// Returns whether partitions that take `bytes` are within the share of
  /// memory or within the allowed bytes.
  bool fits(unsigned tensor, int64_t bytes) const;

  /// Returns whether it is decided that the generic candidate is a candidate
  /// like the others, or that it is removed.
  bool isPlanned(unsigned tensor) const { return lists[tensor].isPlanned; }
  /// Makes the generic candidate the last candidate, which is not removed, if
  /// it is `mapping`, one of the best partitions of the ops, and uses at least
  /// half of the tiles: operands that follow a partition on few tiles may fill
  /// these tiles.
  void keepGenericIf(unsigned tensor, TileMappingAttr mapping);
  /// Removes the generic candidate of ops that require layouts, unless it was
  /// kept. No tensor should follow it.
  void dropGenericWithLayouts();

  /// Removes candidates that are unlikely to be good. `generic` has the generic
  /// candidates.
  void prune(const CandidateLists &generic);
  /// Removes all candidates of each tensor except the one in `choices`.
  void keepOnly(ArrayRef<unsigned> choices);

private:
  struct List {
    SmallVector<Candidate, 0> candidates;
    bool isPlanned = false;
    /// The number of bytes of a tile that a candidate may take even if it
    /// exceeds the share of memory.
    int64_t leastBytes = 0;
  };

  std::optional<Candidate> create(unsigned tensor, TileMappingAttr mapping,
                                  StringRef source) const;
  bool fits(unsigned tensor, const Candidate &candidate) const;
  void prune(unsigned tensor, const Candidate &generic);

  const PlanModel *model;
  PlanOptions options;
  unsigned maxCandidates;
  SmallVector<int64_t> shares;
  SmallVector<List, 0> lists;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_CANDIDATES_CANDIDATELISTS_H
