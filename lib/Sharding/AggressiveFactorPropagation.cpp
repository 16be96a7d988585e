//===- AggressiveFactorPropagation.cpp - Aggressive propagation -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompatiblePrefix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

namespace {
/// A factor with axes to propagate, and the tensor from which the axes come.
struct Candidate {
  unsigned factor;
  AxisList axes;
  /// The number of elements of the largest tensor that has the axes; -1 if
  /// there is none.
  int64_t sourceSize = -1;
  int64_t source = -1;
  int64_t devices = 1;
};
} // namespace

/// Returns the product of the sizes of all factors of a tensor. The product
/// saturates.
static int64_t getNumElements(const TensorMapping &mapping, const Rule &rule) {
  int64_t size = 1;
  for (const DimMapping &factors : mapping)
    for (unsigned factor : factors)
      if (llvm::MulOverflow(size, rule.factors[factor].size, size))
        return std::numeric_limits<int64_t>::max();
  return size;
}

/// Returns the candidates in the order in which they are propagated.
static SmallVector<Candidate>
getCandidates(const ShardingProjection &projection,
              const PropagationContext &context) {
  SmallVector<Candidate> candidates;
  const Rule &rule = context.rule;
  for (unsigned factor = 0, e = rule.factors.size(); factor < e; ++factor) {
    Candidate candidate{factor,
                        getCompatibleMajorAxes(projection, factor,
                                               context.getDirection(factor))};
    if (candidate.axes.empty())
      continue;
    for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
      const FactorSharding *entry = projection.getTensor(i).find(factor);
      if (!entry || getPrefixStatus(candidate.axes, entry->axes) ==
                        PrefixStatus::NotPrefix)
        continue;
      int64_t size = getNumElements(rule.getTensor(i), rule);
      if (size > candidate.sourceSize) {
        candidate.sourceSize = size;
        candidate.source = i;
      }
    }
    if (context.isElementwise)
      candidate.devices = getProduct(candidate.axes);
    candidates.push_back(std::move(candidate));
  }
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::make_tuple(-a.sourceSize, -a.devices, a.source, a.factor) <
           std::make_tuple(-b.sourceSize, -b.devices, b.source, b.factor);
  });
  return candidates;
}

/// Replaces `axes` by the axes of a result for the factor if the result has
/// fewer axes: operands of an elementwise op must not have more axes than its
/// result.
static void limitToResults(AxisList &axes, unsigned factor,
                           const ShardingProjection &projection) {
  for (unsigned i = projection.getNumOperands(); i < projection.getNumTensors();
       ++i) {
    const FactorSharding *entry = projection.getTensor(i).find(factor);
    if (entry &&
        getPrefixStatus(entry->axes, axes) == PrefixStatus::StrictPrefix)
      axes.assign(entry->axes.begin(), entry->axes.end());
  }
}

llvm::BitVector
sharding::propagateAggressive(ShardingProjection &projection,
                              const PropagationContext &context) {
  unsigned numOperands = projection.getNumOperands();
  unsigned numTensors = projection.getNumTensors();
  llvm::BitVector changed(numTensors);
  SmallVector<Candidate> candidates = getCandidates(projection, context);

  auto updateTensor = [&](unsigned i) {
    const TensorFactorShardings &tensor = projection.getTensor(i);
    for (const Candidate &candidate : candidates) {
      unsigned factor = candidate.factor;
      const FactorSharding *entry = tensor.find(factor);
      if (!entry)
        continue;
      int64_t factorSize = context.rule.factors[factor].size;
      AxisList axes = candidate.axes;
      truncateAxes(axes, context.conservative, context.mesh,
                   [&](const AxisRef &axis, int64_t sharded) {
                     return getCompatiblePrefixWithinFactor(
                         axis, factor, tensor, factorSize, sharded);
                   });
      if (getPrefixStatus(entry->axes, axes) != PrefixStatus::StrictPrefix)
        continue;
      truncateAxes(axes, context.conservative, context.mesh,
                   [&](const AxisRef &axis, int64_t) {
                     return getCompatiblePrefixAcrossFactors(axis, factor,
                                                             tensor);
                   });
      if (context.isElementwise && i < numOperands)
        limitToResults(axes, factor, projection);
      if (projection.expandSharding(i, factor, axes))
        changed.set(i);
    }
  };
  for (unsigned i = numOperands; i < numTensors; ++i)
    updateTensor(i);
  for (unsigned i = 0; i < numOperands; ++i)
    updateTensor(i);
  return changed;
}
