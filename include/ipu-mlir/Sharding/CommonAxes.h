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

/// Whether all tensors that have a factor have the same axes for it, none if it
/// needs replication, and no two factors share an axis.
bool isCompatible(const ShardingProjection &projection, const Rule &rule);

/// Axes for each factor: compatible, and such that each tensor can have them,
/// that is, makeSharding() and projectTensor() give them back. None of them is
/// unreduced in a tensor with the factor. `sizes`: the number of elements of
/// each tensor. Every axis is one that some tensor has, or a part of it, so few
/// devices are idle, but the tensors with most elements decide:
///
/// * two tensors (scalars aside), no compound dimension and no factor that
/// needs
///   replication: the axes of the one without sharded permutation factors, else
///   the larger, else the one on more devices; then those of the other that are
///   left;
/// * else, one after the other, the axes that the most elements have, of
/// factors
///   that pass through first; factors that need replication take part, but lose
///   what they get. What all tensors had of such a factor goes to those factors
///   that all tensors have, as far as they divide them: whole axes first, each
///   to the first factor that can have it, then parts of the others;
/// * two tensors with axes that overflow a factor (a reshape): first the axes
/// of
///   the one on more devices, each to the first factor of its dimension that it
///   divides.
SmallVector<AxisList> getCommonAxes(const ShardingProjection &projection,
                                    const Rule &rule, ArrayRef<int64_t> sizes);

/// The closed sharding of a tensor with `axes` for its factors.
TensorSharding makeSharding(ArrayRef<AxisList> axes,
                            const TensorMapping &mapping, const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COMMONAXES_H
