//===- CompatiblePrefix.cpp - Compatible prefix of axes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompatiblePrefix.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

std::optional<AxisRef> sharding::getCompatiblePrefixAcrossFactors(
    const AxisRef &axis, unsigned factor, const TensorFactorShardings &tensor) {
  std::optional<AxisRef> prefix = axis;
  for (const FactorSharding &other : tensor.factors) {
    if (other.factor == factor)
      continue;
    if (prefix)
      prefix = getPrefixWithoutOverlap(*prefix, other.overflow);
    if (prefix)
      prefix = getPrefixWithoutOverlap(*prefix, other.axes);
  }
  return prefix;
}

/// Returns the largest prefix of `axis` that can be added to a factor that is
/// sharded over `sharded` devices.
static std::optional<AxisRef> getDividingPrefix(const AxisRef &axis,
                                                const FactorSharding &entry,
                                                int64_t factorSize,
                                                int64_t sharded) {
  if (entry.isClosed || !entry.overflow.empty())
    return std::nullopt;
  if (entry.isMinorMost)
    return axis;
  if (factorSize % sharded != 0)
    return std::nullopt;
  int64_t common = std::gcd(factorSize / sharded, axis.size);
  if (common == axis.size)
    return axis;
  if (common == 1)
    return std::nullopt;
  return AxisRef{axis.axis, axis.preSize, common};
}

std::optional<AxisRef>
sharding::getCompatiblePrefixWithinFactor(const AxisRef &axis, unsigned factor,
                                          const TensorFactorShardings &tensor,
                                          int64_t factorSize, int64_t sharded) {
  const FactorSharding *entry = tensor.find(factor);
  if (!entry)
    return axis;
  std::optional<AxisRef> prefix =
      getPrefixWithoutOverlap(axis, tensor.replicated);
  if (prefix)
    prefix = getPrefixWithoutOverlap(*prefix, tensor.unreduced);
  if (!prefix)
    return std::nullopt;
  for (const AxisRef &present : entry->axes)
    if (contains(present, *prefix))
      return prefix;
  if (std::optional<AxisRef> added =
          getDividingPrefix(*prefix, *entry, factorSize, sharded))
    return added;
  if (!entry->axes.empty() && isPrefixOf(entry->axes.back(), *prefix))
    return entry->axes.back();
  return std::nullopt;
}

void sharding::truncateAxes(
    AxisList &axes, bool conservative, MeshSizes mesh,
    function_ref<std::optional<AxisRef>(const AxisRef &, int64_t)> getPrefix) {
  int64_t sharded = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> part = getPrefix(axes[i], sharded);
    if (!part || (conservative && !isFull(*part, mesh))) {
      axes.truncate(i);
      return;
    }
    if (*part != axes[i]) {
      axes[i] = *part;
      axes.truncate(i + 1);
      return;
    }
    sharded *= part->size;
  }
}
