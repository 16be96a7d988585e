//===- SharePlanner.h - Plans for one share of memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The best tile mappings of a model for one share of memory and one target.
// ProgramPlan.cpp compares the plans for several shares and targets.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_SHAREPLANNER_H
#define IPU_MLIR_LIB_PLANNER_SHAREPLANNER_H

#include "ipu-mlir/Planner/Candidates/FindCandidates.h"
#include "ipu-mlir/Planner/ProgramPlan.h"
#include "ipu-mlir/Planner/Search/AssignmentSearch.h"
#include <map>

namespace mlir::ipu {

/// Returns the bytes of tensors that fit on a tile beside the code and the
/// state of vertices of `plan`, and beside the gaps between tensors.
int64_t getDataRoom(const TargetModel &target, const ProgramPlan &plan);

/// The caches that plans for one target share.
struct PlanKnowledge {
  /// In the costs, each run of an exchange takes `runCycles` additional cycles.
  PlanKnowledge(TargetModel own, int64_t runCycles)
      : target(withRunCycles(own, runCycles)), countsCycles(runCycles == 0),
        cache(target), exchanges(target, kMaxPieces) {}
  PlanKnowledge(const PlanKnowledge &) = delete;

  static TargetModel withRunCycles(TargetModel target, int64_t more) {
    target.exchange_run_cycles += more;
    return target;
  }

  TargetModel target;
  /// This flag is set if costs are cycles, without additional cycles for runs
  /// that reduce the code.
  bool countsCycles;
  PartitionCache cache;
  ExchangeCosts exchanges;
  StepTableCache tables;

  /// The greatest number of pieces of a move that the analysis visits while the
  /// planner compares costs. The limit is low because there are thousands of
  /// moves.
  static constexpr int64_t kMaxPieces = int64_t(1) << 19;
};

/// The caches of plans and costs for several targets. Their keys contain no
/// ops, so that the plans of different modules may share them.
class PlanCaches {
public:
  /// Returns the caches for `target` if each run of an exchange takes
  /// `runCycles` additional cycles.
  PlanKnowledge &getKnowledge(const TargetModel &target, int64_t runCycles);
  /// Returns the exact costs of exchanges of `target`.
  ExchangeCosts &getExchanges(const TargetModel &target);

private:
  struct OwnCosts {
    explicit OwnCosts(TargetModel own)
        : target(own), exchanges(target, kMaxExchangePieces) {}

    TargetModel target;
    ExchangeCosts exchanges;
  };

  std::map<std::vector<int64_t>, std::unique_ptr<PlanKnowledge>> knowledge;
  std::map<std::vector<int64_t>, std::unique_ptr<OwnCosts>> ownCosts;
};

class SharePlanner {
public:
  /// `ownExchanges` has the costs of the target. The planner minimises the
  /// costs of `known`, whose target is that of the model. With `start`, plans
  /// of ops are nested, and the search starts from this plan. `shares`, which
  /// may be empty, has the share of memory of the ops that compute each tensor.
  SharePlanner(const ImportedModel &imported, const ProgramPlanOptions &options,
               ExchangeCosts &ownExchanges, PlanKnowledge &known,
               const ProgramPlan *start, ArrayRef<int64_t> shares = {});

  /// Returns the best plan. If no plan takes fewer than `tooMany` cycles, or if
  /// it is unlikely that one does, returns a plan whose number of cycles is
  /// INT64_MAX.
  ProgramPlan run(int64_t tooMany);
  /// Returns the plan `start` with its cycles and bytes on the target.
  ProgramPlan evaluate();

private:
  bool hasTiles() const;
  void planTogether(int64_t tooMany);
  void evaluateGeneric(int64_t limit);
  Assignment getStart(CandidateLists &lists) const;
  CandidateLists findOwnCandidates() const;
  Assignment chooseTiles(CandidateLists &lists);
  void execute(function_ref<void()> search) const;
  Assignment spreadCopied(CandidateLists &lists,
                          ArrayRef<unsigned> choices) const;
  void spreadIfTooLarge(CandidateLists &lists, Assignment &choices,
                        MutableArrayRef<MappingReport> reports);
  int64_t takeCodeBytes();
  void setMemoryAndSharing(const AssignmentCosts &costs,
                           ArrayRef<unsigned> choices);
  SmallVector<MappingReport, 0> getReports(const CandidateLists &lists,
                                           ArrayRef<unsigned> choices,
                                           const CostNetwork *network) const;
  void setTileMappings(const CandidateLists &lists, ArrayRef<unsigned> choices);

  const ImportedModel &imported;
  const PlanModel &model;
  const ProgramPlanOptions &options;
  ExchangeCosts &ownExchanges;
  PlanKnowledge &known;
  const ProgramPlan *start;
  /// This flag is set if ops may have different shares of memory.
  bool hasOwnShares;
  CandidateSources sources;
  /// The given and generic candidates.
  CandidateLists initial;
  ProgramPlan plan;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_SHAREPLANNER_H
