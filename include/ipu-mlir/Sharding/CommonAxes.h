//===- CommonAxes.h - Common axes of an op's tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose tensors have the same axes for each factor can be computed shard
// by shard. For other ops, these functions choose axes for each factor, to
// which the tensors are then resharded. They follow Shardy's explicit reshards;
// see docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_COMMONAXES_H
#define IPU_MLIR_SHARDING_COMMONAXES_H

#include "ipu-mlir/Sharding/ShardingProjection.h"

namespace mlir::ipu::sharding {

/// Returns whether all tensors with a factor have the same axes for it, and no
/// two factors share an axis. A factor that needs replication must have no
/// axes.
bool isCompatible(const ShardingProjection &projection, const Rule &rule);

/// Chooses compatible axes for each factor. Each tensor can have these axes:
/// makeSharding() followed by projectTensor() returns the same axes. No axis of
/// a factor is unreduced in a tensor with the factor. `sizes` has the number of
/// elements of each tensor. Each chosen axis is an axis of some tensor, or a
/// part of one. The choice depends on the tensors other than scalars:
/// * If there are two tensors, no dimension has several factors, and no factor
///   needs replication, the axes of one tensor are chosen first. The other
///   tensor then gives the axes of the factors that the first tensor does not
///   have. The first tensor is the tensor without sharded permutation factors,
///   otherwise the larger tensor, otherwise the tensor on more devices.
/// * Otherwise, axes are chosen one after the other. Each time, the axes come
///   first whose tensors have most elements together. Among equals,
///   pass-through factors come first, then reductions, permutations, and
///   factors that need replication. Factors that need replication lose their
///   axes at the end. If all tensors had an axis for such a factor, the axis
///   goes to factors of all tensors whose sizes it divides: first whole axes,
///   each to the first factor that can have it, and then parts of the other
///   axes.
/// * If, in the second case, there are two tensors and an axis overflows a
///   factor (in a reshape), the axes of the tensor on more devices are chosen
///   before all others. The first factor of the dimension gets the part of an
///   axis that it can have, and the next factors get the rest.
SmallVector<AxisList> getCommonAxes(const ShardingProjection &projection,
                                    const Rule &rule, ArrayRef<int64_t> sizes);

/// Returns the closed sharding of a tensor that has `axes` for its factors.
TensorSharding makeSharding(ArrayRef<AxisList> axes,
                            const TensorMapping &mapping, const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COMMONAXES_H
