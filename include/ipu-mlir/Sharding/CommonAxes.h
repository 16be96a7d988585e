//===- CommonAxes.h - Common axes of an op's tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose tensors are sharded equally can be computed shard by shard. For
// other ops, these functions choose axes for each factor, to which the tensors
// are then resharded. After Shardy's explicit reshards; see docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_COMMONAXES_H
#define IPU_MLIR_SHARDING_COMMONAXES_H

#include "ipu-mlir/Sharding/ShardingProjection.h"

namespace mlir::ipu::sharding {

/// Whether all tensors that have a factor have the same axes for it (no axes if
/// the factor needs replication), and no two factors share an axis.
bool isCompatible(const ShardingProjection &projection, const Rule &rule);

/// Chooses compatible axes for each factor. Each tensor can have them:
/// makeSharding() followed by projectTensor() returns the same axes. No axis is
/// unreduced in a tensor with the factor. `sizes` has the number of elements of
/// each tensor. Every axis is an axis of some tensor, or a part of one, so few
/// devices are idle. The tensors with most elements decide:
/// * For two tensors (without scalars), no compound dimension and no factor
///   that needs replication: the axes of the tensor without sharded permutation
///   factors, otherwise of the larger tensor, otherwise of the tensor on more
///   devices. Then the remaining axes of the other tensor.
/// * Otherwise: one axis after the other, in the order of the number of
///   elements that have it, factors that pass through first. Factors that need
///   replication take part, but lose their axes. Axes that all tensors had for
///   such a factor go to factors of all tensors, if they divide them: first
///   whole axes, each to the first factor that can have it, then parts of the
///   others.
/// * For two tensors with axes that overflow a factor (a reshape): first the
///   axes of the tensor on more devices, each to the first factor of its
///   dimension that it divides.
SmallVector<AxisList> getCommonAxes(const ShardingProjection &projection,
                                    const Rule &rule, ArrayRef<int64_t> sizes);

/// The closed sharding of a tensor that has `axes` for its factors.
TensorSharding makeSharding(ArrayRef<AxisList> axes,
                            const TensorMapping &mapping, const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COMMONAXES_H
