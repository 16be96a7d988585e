//===- FactorPropagation.h - Propagation along factors ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of propagation, which updates the projection of one op. After
// Shardy's basic and aggressive factor propagation; see docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_FACTORPROPAGATION_H
#define IPU_MLIR_SHARDING_FACTORPROPAGATION_H

#include "ipu-mlir/Sharding/ShardingProjection.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::ipu::sharding {

/// What is known beside the projection.
struct PropagationContext {
  const Rule &rule;
  MeshSizes mesh;
  /// Along which way each factor may go.
  function_ref<Direction(unsigned factor)> getDirection;
  /// Never add a sub-axis.
  bool conservative = false;
  /// The op computes each element of the result from one of each operand.
  bool isElementwise = false;
};

/// The longest axes for `factor` that all tensors which have it agree on,
/// regardless of other factors.
AxisList getCompatibleMajorAxes(const ShardingProjection &projection,
                                unsigned factor, Direction direction);

/// Basic: factors one after the other; an axis is added to all tensors that
/// have the factor, or to none. Returns which tensors changed.
llvm::BitVector propagateBasic(ShardingProjection &projection,
                               const PropagationContext &context);

/// Aggressive: conflicts are decided for each tensor by itself; factors of
/// larger tensors come first.
llvm::BitVector propagateAggressive(ShardingProjection &projection,
                                    const PropagationContext &context);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_FACTORPROPAGATION_H
