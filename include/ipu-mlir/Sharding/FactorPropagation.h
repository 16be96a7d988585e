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

/// Context of propagation, in addition to the projection.
struct PropagationContext {
  const Rule &rule;
  MeshSizes mesh;
  /// The directions in which axes may propagate along each factor.
  function_ref<Direction(unsigned factor)> getDirection;
  /// Do not add sub-axes.
  bool conservative = false;
  /// Whether the op computes each element of the result from one element of
  /// each operand.
  bool isElementwise = false;
};

/// The longest list of axes for `factor` on which all tensors with the factor
/// agree, regardless of other factors.
AxisList getCompatibleMajorAxes(const ShardingProjection &projection,
                                unsigned factor, Direction direction);

/// Basic strategy: processes one factor after the other, and adds an axis to
/// all tensors with the factor or to none. Returns the tensors that changed.
llvm::BitVector propagateBasic(ShardingProjection &projection,
                               const PropagationContext &context);

/// Aggressive strategy: resolves conflicts for each tensor separately. Factors
/// of larger tensors come first.
llvm::BitVector propagateAggressive(ShardingProjection &projection,
                                    const PropagationContext &context);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_FACTORPROPAGATION_H
