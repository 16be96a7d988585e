//===- FindCandidates.h - The search for tile mappings ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks all sources of candidates for the tile mappings that the tensors of a
// model may have.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_CANDIDATES_FINDCANDIDATES_H
#define IPU_MLIR_PLANNER_CANDIDATES_FINDCANDIDATES_H

#include "ipu-mlir/Planner/Candidates/CandidateSource.h"
#include "ipu-mlir/Planner/Partition/PartitionCache.h"

namespace mlir::ipu {

/// The sources of candidates for one model, in the order in which they are
/// asked in each phase.
class CandidateSources {
public:
  /// Creates all sources. If `isNested` is set, the candidates of an op are its
  /// best partition, its partitions into whole blocks of readers, and
  /// partitions that are nested over IPUs. `model` and `cache` must outlive the
  /// sources.
  CandidateSources(const PlanModel &model, PartitionCache &cache,
                   bool isNested);

  /// Adds a source to a phase. It may be in several phases.
  void add(CandidatePhase phase,
           std::shared_ptr<const CandidateSource> source) {
    sources.push_back({phase, std::move(source)});
  }
  bool isNested() const { return nested; }

  /// Returns the sources of one phase.
  SmallVector<const CandidateSource *> get(CandidatePhase phase) const;

private:
  struct PhasedSource {
    CandidatePhase phase;
    std::shared_ptr<const CandidateSource> source;
  };
  bool nested;
  SmallVector<PhasedSource, 0> sources;
};

/// Returns lists with the given or generic candidate of each tensor (phase
/// `Initial`). `shares`, which may be empty, has the share of memory of the ops
/// that compute each tensor, in thousandths.
CandidateLists getInitialCandidates(const PlanModel &model,
                                    const CandidateSources &sources,
                                    const PlanOptions &options,
                                    ArrayRef<int64_t> shares = {});

/// Executes `search`, which finds partitions of the ops that compute a tensor.
/// The caller may show or skip it.
using ExecuteSearch =
    function_ref<void(unsigned tensor, function_ref<void()> search)>;

/// Returns the candidates of all tensors, in these phases:
/// 1. for ops that require layouts, and then for the other ops: `Own`,
///    `FollowOperand`, `FollowResult`, `OtherOrder`, and `FollowOperand` again,
///    because elementwise ops can follow the candidates that `FollowResult`
///    gave to arguments and moves;
/// 2. `Unmatched` and, if it finds candidates, `FollowOperand`;
/// 3. `Late`.
/// Then unlikely candidates are removed.
CandidateLists findCandidates(const CandidateLists &initial,
                              const CandidateSources &sources,
                              ExecuteSearch execute);

/// Adds the candidates of the phase `FirstTile`. Each tensor must have one
/// candidate.
void addFirstTiles(CandidateLists &lists, const CandidateSources &sources);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_CANDIDATES_FINDCANDIDATES_H
