//===- PartitionCache.h - Cache of plans of equal ops -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PARTITION_PARTITIONCACHE_H
#define IPU_MLIR_PLANNER_PARTITION_PARTITIONCACHE_H

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"
#include "ipu-mlir/Planner/Partition/TileSpace.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {

/// A cache of partition problems and plans for one target. The key is the op
/// name, the attributes, the types of operands and results, the domain, the
/// options, and whether the op writes in place. Therefore equal layers are
/// planned once.
class PartitionCache {
public:
  explicit PartitionCache(const TargetModel &target) : target(target) {}

  /// Returns the result of getPartitionProblem(), or null if it fails.
  const PartitionProblem *getProblem(CodeletOpInterface op,
                                     ArrayRef<int64_t> domain);

  /// Returns the part of `problem` that one IPU has if `loop` is divided into
  /// `numParts` equal parts. With `isEven`, this loop is the even loop of the
  /// part. Returns null if the parts of an operand or a result would differ in
  /// size or overlap. `problem` must be from this cache.
  const PartitionProblem *getPart(const PartitionProblem *problem,
                                  unsigned loop, int64_t numParts, bool isEven);

  /// Returns the result of enumeratePlans() for a problem that this cache
  /// returned, on the tiles of `space`. Spaces of equal size share the result.
  ArrayRef<TilePlan> getPlans(const PartitionProblem *problem,
                              const PlanOptions &options,
                              const TileSpace &space = {});

  /// Returns the result of enumerateNestedPlans() for a problem that this cache
  /// returned, on the tiles of `space`.
  ArrayRef<TilePlan> getNestedPlans(const PartitionProblem *problem,
                                    const PlanOptions &options,
                                    const TileSpace &space = {});

  /// Return the number of requests for plans, and the number of requests that
  /// needed no search.
  int64_t getNumQueries() const { return numQueries; }
  int64_t getNumHits() const { return numHits; }

private:
  using Search = SmallVector<TilePlan> (*)(const TargetModel &,
                                           const PartitionProblem &,
                                           const PlanOptions &);
  ArrayRef<TilePlan> getPlans(const PartitionProblem *problem,
                              const PlanOptions &options,
                              const TileSpace &space, Search search);

  const TargetModel &target;
  llvm::StringMap<std::unique_ptr<PartitionProblem>> problems;
  /// The plans. A key consists of the kind of search, the machine, the problem
  /// and the options.
  llvm::StringMap<SmallVector<TilePlan>> plans;
  int64_t numQueries = 0, numHits = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PARTITION_PARTITIONCACHE_H
