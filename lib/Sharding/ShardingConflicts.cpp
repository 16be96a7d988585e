//===- ShardingConflicts.cpp - Sharding conflicts ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ShardingConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

/// Returns the factor of the tensor, other than `factor`, that has the axis, or
/// std::nullopt if there is none.
static std::optional<unsigned>
findOtherFactor(const AxisRef &axis, unsigned factor,
                const TensorFactorShardings &tensor) {
  for (const FactorSharding &entry : tensor.factors)
    if (entry.factor != factor &&
        (overlapsAny(axis, entry.axes) || overlapsAny(axis, entry.overflow)))
      return entry.factor;
  return std::nullopt;
}

static Refusal explain(unsigned tensor, unsigned factor, const AxisRef &axis,
                       const ShardingProjection &projection, const Rule &rule) {
  Refusal refusal{tensor, axis, Obstacle::View};
  auto is = [&](Obstacle obstacle) {
    refusal.obstacle = obstacle;
    return refusal;
  };
  const TensorFactorShardings &own = projection.getTensor(tensor);
  if (rule.factors[factor].blocked)
    return is(Obstacle::Blocked);
  if (std::optional<unsigned> other = findOtherFactor(axis, factor, own)) {
    refusal.otherFactor = *other;
    refusal.otherTensor = tensor;
    return is(Obstacle::OtherFactor);
  }
  if (overlapsAny(axis, own.replicated))
    return is(Obstacle::Replicated);
  if (overlapsAny(axis, own.unreduced))
    return is(Obstacle::Unreduced);
  const FactorSharding &entry = *own.find(factor);
  if (!entry.overflow.empty())
    return is(Obstacle::Overflow);
  if (entry.isClosed)
    return is(Obstacle::Closed);
  int64_t sharded = getProduct(entry.axes);
  int64_t size = rule.factors[factor].size;
  if (!entry.isMinorMost &&
      (size % sharded != 0 || std::gcd(size / sharded, axis.size) == 1))
    return is(Obstacle::Indivisible);
  for (unsigned i = 0; i < projection.getNumTensors(); ++i)
    if (std::optional<unsigned> other =
            findOtherFactor(axis, factor, projection.getTensor(i))) {
      refusal.otherFactor = *other;
      refusal.otherTensor = i;
      return is(Obstacle::OtherTensor);
    }
  return refusal;
}

/// Returns the axes of the tensor's dimension from the factor on.
static AxisList getAxes(const FactorSharding &entry) {
  AxisList axes = entry.axes;
  llvm::append_range(axes, entry.overflow);
  return axes;
}

static std::optional<Conflict>
findConflict(unsigned factor, const ShardingProjection &projection,
             const Rule &rule) {
  SmallVector<std::pair<unsigned, AxisList>> entries;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i)
    if (const FactorSharding *entry = projection.getTensor(i).find(factor))
      entries.push_back({i, getAxes(*entry)});
  if (entries.empty() || llvm::all_of(entries, [&](const auto &entry) {
        return entry.second == entries.front().second;
      }))
    return std::nullopt;

  Conflict conflict;
  conflict.factor = factor;
  conflict.choice = entries.front().second;
  for (const auto &entry : entries)
    conflict.choice = getCommonPrefix(conflict.choice, entry.second);
  for (const auto &entry : entries) {
    const auto &[tensor, axes] = entry;
    if (axes == conflict.choice)
      continue;
    auto *same = llvm::find_if(conflict.candidates, [&](const auto &other) {
      return other.axes == entry.second;
    });
    if (same == conflict.candidates.end())
      conflict.candidates.push_back({axes, {tensor}});
    else
      same->tensors.push_back(tensor);
  }
  // The next axis of the first candidate is the axis that the other tensors
  // could have, unless it does not fit the factor in the first candidate.
  const Conflict::Candidate &first = conflict.candidates.front();
  AxisRef next = getDifference(first.axes, conflict.choice).front();
  unsigned owner = first.tensors.front();
  if (overlapsAny(next, projection.getTensor(owner).find(factor)->overflow)) {
    conflict.refusals.push_back({owner, next, Obstacle::Overflow});
    return conflict;
  }
  for (const auto &[tensor, axes] : entries)
    if (axes == conflict.choice)
      conflict.refusals.push_back(
          explain(tensor, factor, next, projection, rule));
  return conflict;
}

std::vector<Conflict>
sharding::findConflicts(const ShardingProjection &projection,
                        const Rule &rule) {
  std::vector<Conflict> conflicts;
  for (unsigned factor = 0, e = rule.factors.size(); factor < e; ++factor)
    if (std::optional<Conflict> conflict =
            findConflict(factor, projection, rule))
      conflicts.push_back(std::move(*conflict));
  return conflicts;
}
