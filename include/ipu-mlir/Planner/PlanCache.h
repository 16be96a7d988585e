//===- PlanCache.h - Plans of equal ops, made once --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_PLANCACHE_H
#define IPU_MLIR_PLANNER_PLANCACHE_H

#include "ipu-mlir/Planner/PartitionSearch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {

/// Numbers and pointers as a key of a StringMap.
class PlanKey {
public:
  PlanKey &operator<<(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  PlanKey &operator<<(const void *pointer) {
    return *this << static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
  }
  PlanKey &operator<<(ArrayRef<int64_t> values) {
    *this << static_cast<int64_t>(values.size());
    for (int64_t value : values)
      *this << value;
    return *this;
  }
  PlanKey &operator<<(StringRef text) {
    *this << static_cast<int64_t>(text.size());
    bytes += text;
    return *this;
  }
  PlanKey &operator<<(const StridedView &view) {
    return *this << view.offset << view.sizes << view.strides;
  }
  StringRef get() const { return bytes; }

private:
  std::string bytes;
};

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

  /// Plans that were asked for, and found without a search.
  int64_t getNumQueries() const { return numQueries; }
  int64_t getNumHits() const { return numHits; }

private:
  const TargetModel &target;
  llvm::StringMap<std::unique_ptr<PartitionProblem>> problems;
  llvm::StringMap<SmallVector<TilePlan>> plans;
  int64_t numQueries = 0, numHits = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_PLANCACHE_H
