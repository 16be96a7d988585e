//===- ShardingProjection.cpp - Shardings by factor -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ShardingProjection.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

TensorSharding sharding::getOpenSharding(unsigned rank) {
  TensorSharding sharding;
  sharding.dims.resize(rank);
  return sharding;
}

const FactorSharding *TensorFactorShardings::find(unsigned factor) const {
  for (const FactorSharding &sharding : factors)
    if (sharding.factor == factor)
      return &sharding;
  return nullptr;
}

FactorSharding *TensorFactorShardings::find(unsigned factor) {
  return const_cast<FactorSharding *>(std::as_const(*this).find(factor));
}

namespace {
/// A cursor over the axes of a dimension, from the major end.
struct AxisCursor {
  explicit AxisCursor(ArrayRef<AxisRef> axes)
      : rest(axes.begin(), axes.end()) {}

  bool isDone() const { return next == rest.size(); }
  AxisRef &get() { return rest[next]; }

  /// Returns the next part of the current axis with `size` devices, and
  /// advances beyond it.
  AxisRef take(int64_t size) {
    AxisRef part = get();
    part.size = size;
    get().preSize *= size;
    get().size /= size;
    return part;
  }
  AxisRef takeAll() { return rest[next++]; }

  AxisList rest;
  size_t next = 0;
};
} // namespace

/// Moves axes from `cursor` to `sharding`, major to minor, while they divide a
/// factor of `size`.
static void takeDividing(AxisCursor &cursor, int64_t size,
                         FactorSharding &sharding) {
  while (!cursor.isDone()) {
    int64_t devices = cursor.get().size;
    int64_t common = std::gcd(size, devices);
    if (devices != 1 && common == 1)
      break;
    if (devices > common) {
      appendMerged(sharding.axes, cursor.take(common));
      size /= common;
    } else {
      size /= devices;
      appendMerged(sharding.axes, cursor.takeAll());
    }
  }
  if (size > 1)
    while (!cursor.isDone())
      sharding.overflow.push_back(cursor.takeAll());
}

TensorFactorShardings sharding::projectTensor(const TensorSharding *sharding,
                                              const TensorMapping &mapping,
                                              const Rule &rule,
                                              bool closedIfMissing) {
  TensorFactorShardings projection;
  if (sharding) {
    projection.replicated = sharding->replicated;
    projection.unreduced = sharding->unreduced;
  }
  for (auto [dim, factors] : llvm::enumerate(mapping)) {
    bool isClosed = sharding ? sharding->dims[dim].isClosed : closedIfMissing;
    AxisCursor cursor(sharding ? ArrayRef<AxisRef>(sharding->dims[dim].axes)
                               : ArrayRef<AxisRef>());
    bool hasOverflow = false;
    for (unsigned factor : factors) {
      FactorSharding &entry = projection.factors.emplace_back();
      entry.factor = factor;
      entry.isClosed = isClosed || hasOverflow;
      entry.isMinorMost = factor == factors.back();
      if (hasOverflow)
        break;
      if (entry.isMinorMost)
        while (!cursor.isDone())
          appendMerged(entry.axes, cursor.takeAll());
      else
        takeDividing(cursor, rule.factors[factor].size, entry);
      hasOverflow = !entry.overflow.empty();
    }
  }
  return projection;
}

TensorSharding
sharding::makeTensorSharding(const TensorFactorShardings &projection,
                             const TensorMapping &mapping, const Rule &rule) {
  TensorSharding sharding;
  sharding.replicated = projection.replicated;
  sharding.unreduced = projection.unreduced;
  for (const DimMapping &factors : mapping) {
    DimSharding &dim = sharding.dims.emplace_back();
    for (unsigned factor : factors) {
      const FactorSharding *entry = projection.find(factor);
      if (!entry)
        break;
      dim.isClosed |= entry->isClosed;
      // The last sub-axis of a factor may merge with the first sub-axis of the
      // next factor.
      for (auto [i, ref] : llvm::enumerate(entry->axes)) {
        if (i == 0)
          appendMerged(dim.axes, ref);
        else
          dim.axes.push_back(ref);
      }
      if (!entry->overflow.empty()) {
        for (auto [i, ref] : llvm::enumerate(entry->overflow)) {
          if (i == 0)
            appendMerged(dim.axes, ref);
          else
            dim.axes.push_back(ref);
        }
        break;
      }
      if (getProduct(entry->axes) < rule.factors[factor].size)
        break;
    }
  }
  return sharding;
}

ShardingProjection
ShardingProjection::build(ArrayRef<const TensorSharding *> shardings,
                          const Rule &rule, bool closedIfMissing) {
  ShardingProjection projection;
  projection.numOperands = rule.operands.size();
  projection.tensors.reserve(shardings.size());
  for (auto [i, sharding] : llvm::enumerate(shardings))
    projection.tensors.push_back(
        projectTensor(sharding, rule.getTensor(i), rule, closedIfMissing));
  return projection;
}

bool ShardingProjection::expandSharding(unsigned tensor, unsigned factor,
                                        ArrayRef<AxisRef> axes) {
  FactorSharding *entry = tensors[tensor].find(factor);
  if (!entry ||
      getPrefixStatus(entry->axes, axes) != PrefixStatus::StrictPrefix)
    return false;
  entry->axes.assign(axes.begin(), axes.end());
  return true;
}
