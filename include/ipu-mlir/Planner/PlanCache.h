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

/// Partition problems and plans by (op name, attributes, types of operands and
/// results, domain, options), for one target: equal layers are planned once.
class PlanCache {
public:
  explicit PlanCache(const TargetModel &target) : target(target) {}

  /// As getPartitionProblem; null if that fails.
  const PartitionProblem *getProblem(CodeletOpInterface op,
                                     ArrayRef<int64_t> domain);

  /// As enumeratePlans, of a problem that this cache returned.
  ArrayRef<TilePlan> getPlans(const PartitionProblem *problem,
                              const PlanOptions &options);

  /// The same of enumerateNestedPlans.
  ArrayRef<TilePlan> getNestedPlans(const PartitionProblem *problem,
                                    const PlanOptions &options);

  /// Plans that were asked for, and found without a search.
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
  /// By search, problem and options.
  llvm::StringMap<SmallVector<TilePlan>> plans;
  int64_t numQueries = 0, numHits = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANCACHE_H
