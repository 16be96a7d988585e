//===- PlanCache.h - Cache of plans of equal ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PLANCACHE_H
#define IPU_MLIR_PLANNER_PLANCACHE_H

#include "ipu-mlir/Planner/PartitionSearch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {

/// Partition problems and plans by op name, attributes, types of operands and
/// results, domain and options, for one target. Equal layers are planned once.
class PlanCache {
public:
  explicit PlanCache(const TargetModel &target) : target(target) {}

  /// As getPartitionProblem. Null if it fails.
  const PartitionProblem *getProblem(CodeletOpInterface op,
                                     ArrayRef<int64_t> domain);

  /// As enumeratePlans, for a problem that this cache returned.
  ArrayRef<TilePlan> getPlans(const PartitionProblem *problem,
                              const PlanOptions &options);

  /// As enumerateNestedPlans, for a problem that this cache returned.
  ArrayRef<TilePlan> getNestedPlans(const PartitionProblem *problem,
                                    const PlanOptions &options);

  /// The number of requested plans, and of plans that were found without a
  /// search.
  int64_t getNumQueries() const { return numQueries; }
  int64_t getNumHits() const { return numHits; }

private:
  using Search = SmallVector<TilePlan> (*)(const TargetModel &,
                                           const PartitionProblem &,
                                           const PlanOptions &);
  ArrayRef<TilePlan> getPlans(const PartitionProblem *problem,
                              const PlanOptions &options, Search search);

  const TargetModel &target;
  llvm::StringMap<std::unique_ptr<PartitionProblem>> problems;
  /// By the kind of search, the problem and the options.
  llvm::StringMap<SmallVector<TilePlan>> plans;
  int64_t numQueries = 0, numHits = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANCACHE_H
