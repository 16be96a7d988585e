//===- RandomShardings.h - Random rules and shardings -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_SHARDING_RANDOMSHARDINGS_H
#define IPU_MLIR_UNITTESTS_SHARDING_RANDOMSHARDINGS_H

#include "ipu-mlir/Sharding/ShardingProjection.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace mlir::ipu::sharding {

/// A generator whose numbers depend only on the seed, not on the compiler.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}

  /// Returns a number in [0, bound).
  int64_t below(int64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t((state >> 33) % uint64_t(bound));
  }
  int64_t within(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T &pick(const std::vector<T> &list) {
    return list[below(list.size())];
  }
  template <typename Range>
  void shuffle(Range &range) {
    for (int64_t i = int64_t(range.size()) - 1; i > 0; --i)
      std::swap(range[i], range[below(i + 1)]);
  }

private:
  uint64_t state;
};

inline SmallVector<int64_t> makeMesh(Random &random) {
  SmallVector<int64_t> mesh(random.within(1, 3));
  for (int64_t &size : mesh)
    size = random.pick<int64_t>({2, 2, 3, 4, 4, 6, 8, 12});
  return mesh;
}

/// Returns random dimensions that consist of some of the factors, in any order.
inline TensorMapping makeMapping(Random &random, const Rule &rule,
                                 int percent) {
  std::vector<unsigned> factors;
  for (unsigned i = 0; i < rule.factors.size(); ++i)
    if (random.chance(percent))
      factors.push_back(i);
  if (random.chance(40))
    random.shuffle(factors);
  TensorMapping mapping;
  for (unsigned factor : factors) {
    if (mapping.empty() || random.chance(60))
      mapping.emplace_back();
    mapping.back().push_back(factor);
  }
  return mapping;
}

inline Rule makeRule(Random &random) {
  Rule rule;
  for (int64_t i = random.within(1, 4); i > 0; --i)
    rule.factors.push_back(
        Factor{random.pick<int64_t>({2, 2, 3, 4, 4, 5, 6, 8, 12, 64})});
  for (int64_t i = random.within(1, 3); i > 0; --i)
    rule.operands.push_back(makeMapping(random, rule, 75));
  for (int64_t i = random.chance(80) ? 1 : 2; i > 0; --i)
    rule.results.push_back(makeMapping(random, rule, 75));
  return rule;
}

/// Returns parts of the axes of the mesh, some of which are missing.
inline std::vector<AxisRef> makeParts(Random &random, MeshSizes mesh,
                                      int percent) {
  std::vector<AxisRef> parts;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    for (int64_t pre = 1; pre < mesh[axis];) {
      std::vector<int64_t> sizes = {mesh[axis] / pre};
      for (int64_t size = 2; size < mesh[axis] / pre; ++size)
        if (mesh[axis] / pre % size == 0)
          sizes.push_back(size);
      AxisRef part{axis, pre,
                   random.chance(60) ? sizes[0] : random.pick(sizes)};
      if (random.chance(percent))
        parts.push_back(part);
      pre = part.getNextPreSize();
    }
  return parts;
}

/// Returns a random sharding that is valid for the mesh. It may be uneven.
inline TensorSharding makeSharding(Random &random, size_t rank, MeshSizes mesh,
                                   int percent = 60) {
  TensorSharding sharding;
  sharding.dims.resize(rank);
  for (DimSharding &dim : sharding.dims)
    dim.isClosed = random.chance(20);
  std::vector<AxisRef> parts = makeParts(random, mesh, percent);
  random.shuffle(parts);
  for (const AxisRef &part : parts) {
    int64_t place = random.below(100);
    if (place < 8)
      sharding.replicated.push_back(part);
    else if (place < 14)
      sharding.unreduced.push_back(part);
    else if (rank)
      appendMerged(sharding.dims[random.below(rank)].axes, part);
  }
  for (AxisList *list : {&sharding.replicated, &sharding.unreduced}) {
    llvm::sort(*list, isBefore);
    AxisList merged;
    for (const AxisRef &part : *list)
      appendMerged(merged, part);
    *list = merged;
  }
  return sharding;
}

/// Returns disjoint axes for each factor.
inline std::vector<AxisList> makePlan(Random &random, const Rule &rule,
                                      MeshSizes mesh) {
  std::vector<AxisList> plan(rule.factors.size());
  std::vector<AxisRef> parts = makeParts(random, mesh, 80);
  random.shuffle(parts);
  for (const AxisRef &part : parts)
    appendMerged(plan[random.below(plan.size())], part);
  return plan;
}

/// Returns a sharding with a prefix of the plan's axes in each dimension.
/// Shardings of different tensors from one plan have few conflicts.
inline TensorSharding makeSharding(Random &random,
                                   const std::vector<AxisList> &plan,
                                   const TensorMapping &mapping) {
  TensorSharding sharding;
  for (const DimMapping &factors : mapping) {
    DimSharding &dim = sharding.dims.emplace_back();
    dim.isClosed = random.chance(10);
    for (unsigned factor : factors)
      for (const AxisRef &axis : plan[factor])
        appendMerged(dim.axes, axis);
    if (random.chance(60))
      dim.axes.truncate(random.below(dim.axes.size() + 1));
    if (!dim.axes.empty() && dim.axes.back().size % 2 == 0 &&
        dim.axes.back().size > 2 && random.chance(20))
      dim.axes.back().size = 2;
  }
  return sharding;
}

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_UNITTESTS_SHARDING_RANDOMSHARDINGS_H
