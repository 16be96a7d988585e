//===- BasicFactorPropagation.cpp - Basic propagation ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompatiblePrefix.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

/// Merges the axes of another tensor into `found`. Sets `canExpand` to false
/// after a conflict; later calls then add no axes.
static void mergeCompatible(AxisList &found, ArrayRef<AxisRef> axes,
                            bool &canExpand) {
  size_t common = std::min(found.size(), axes.size());
  for (size_t i = 0; i < common; ++i) {
    if (found[i] == axes[i])
      continue;
    if (isPrefixOf(axes[i], found[i])) {
      if (i + 1 == axes.size())
        return;
      found[i] = axes[i];
      found.truncate(i + 1);
      canExpand = false;
      return;
    }
    if (isPrefixOf(found[i], axes[i])) {
      if (canExpand && i + 1 == found.size()) {
        found[i] = axes[i];
        continue;
      }
      found.truncate(i + 1);
      canExpand = false;
      return;
    }
    found.truncate(i);
    canExpand = false;
    return;
  }
  if (canExpand && axes.size() > common)
    found.append(axes.begin() + common, axes.end());
}

AxisList sharding::getCompatibleMajorAxes(const ShardingProjection &projection,
                                          unsigned factor,
                                          Direction direction) {
  AxisList found;
  if (direction == Direction::None)
    return found;
  bool canExpand = true;
  auto mergeTensors = [&](unsigned begin, unsigned end) {
    for (unsigned tensor : llvm::seq(begin, end))
      if (const FactorSharding *entry =
              projection.getTensor(tensor).find(factor))
        mergeCompatible(found, entry->axes, canExpand);
  };
  unsigned numOperands = projection.getNumOperands();
  unsigned numTensors = projection.getNumTensors();
  if (direction == Direction::Backward)
    mergeTensors(numOperands, numTensors);
  else
    mergeTensors(0, numOperands);
  if (direction != Direction::Both)
    canExpand = false;
  if (direction == Direction::Backward)
    mergeTensors(0, numOperands);
  else
    mergeTensors(numOperands, numTensors);
  return found;
}

llvm::BitVector sharding::propagateBasic(ShardingProjection &projection,
                                         const PropagationContext &context) {
  unsigned numTensors = projection.getNumTensors();
  llvm::BitVector changed(numTensors);
  for (unsigned factor : llvm::seq<unsigned>(context.rule.factors.size())) {
    AxisList axes = getCompatibleMajorAxes(projection, factor,
                                           context.getDirection(factor));
    int64_t factorSize = context.rule.factors[factor].size;
    auto getPrefix = [&](const AxisRef &axis,
                         int64_t sharded) -> std::optional<AxisRef> {
      std::optional<AxisRef> part = axis;
      for (unsigned i = 0; i < numTensors && part; ++i) {
        const TensorFactorShardings &tensor = projection.getTensor(i);
        part = getCompatiblePrefixAcrossFactors(*part, factor, tensor);
        if (part)
          part = getCompatiblePrefixWithinFactor(*part, factor, tensor,
                                                 factorSize, sharded);
      }
      return part;
    };
    truncateAxes(axes, context.conservative, context.mesh, getPrefix);
    if (axes.empty())
      continue;
    for (unsigned i = 0; i < numTensors; ++i)
      if (projection.expandSharding(i, factor, axes))
        changed.set(i);
  }
  return changed;
}
