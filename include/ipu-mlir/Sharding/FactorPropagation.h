//===- FactorPropagation.h - Propagation along factors ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of propagation, which updates the projection of one op. It follows
// Shardy's basic and aggressive factor propagation; see docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_FACTORPROPAGATION_H
#define IPU_MLIR_SHARDING_FACTORPROPAGATION_H

#include "ipu-mlir/Sharding/ShardingProjection.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu::sharding {

/// The context of a step of propagation, in addition to the projection.
struct PropagationContext {
  const Rule &rule;
  MeshSizes mesh;
  /// Returns the directions in which axes may propagate along a factor.
  function_ref<Direction(unsigned factor)> getDirection;
  /// Whether propagation adds only full axes, and no sub-axes.
  bool conservative = false;
  /// Whether the op computes each element of the result from one element of
  /// each operand.
  bool isElementwise = false;
};

/// Returns the longest list of axes for `factor` on which all tensors with the
/// factor agree. Other factors are not considered.
AxisList getCompatibleMajorAxes(const ShardingProjection &projection,
                                unsigned factor, Direction direction);

/// Propagates by the basic strategy, which processes one factor after the
/// other. The strategy adds an axis either to all tensors with the factor, or
/// to no tensor. Returns the tensors that changed.
llvm::BitVector propagateBasic(ShardingProjection &projection,
                               const PropagationContext &context);

/// Propagates by the aggressive strategy, which resolves conflicts for each
/// tensor separately. Factors of larger tensors come first. Returns the tensors
/// that changed.
llvm::BitVector propagateAggressive(ShardingProjection &projection,
                                    const PropagationContext &context);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_FACTORPROPAGATION_H
