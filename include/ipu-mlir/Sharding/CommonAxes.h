//===- CommonAxes.h - Common axes of an op's tensors ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op whose tensors have the same axes for each factor can be computed shard
// by shard. For any other op, these functions choose axes for each factor. The
// tensors of the op are then resharded to these axes. The functions follow
// Shardy's explicit reshards; see docs/sharding.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_COMMONAXES_H
#define IPU_MLIR_SHARDING_COMMONAXES_H

#include "ipu-mlir/Sharding/ShardingProjection.h"

namespace mlir::ipu::sharding {

/// Returns whether three conditions hold: all tensors with a factor have the
/// same axes for this factor, no two factors have the same axis, and factors
/// that need replication have no axes.
bool isCompatible(const ShardingProjection &projection, const Rule &rule);

/// Chooses compatible axes for each factor. `sizes` has the number of elements
/// of each tensor. Each chosen axis is an axis of some tensor, or a part of
/// such an axis. Each tensor can have the chosen axes: makeSharding() followed
/// by projectTensor() returns the same axes. An axis that is unreduced in a
/// tensor is not chosen for the factors of this tensor. There are two cases, in
/// both of which scalars are ignored:
/// * In the first case, the op has two tensors, no dimension has several
///   factors, and no factor needs replication. One of the tensors is preferred,
///   and its axes are chosen. Then the axes of the other tensor are chosen for
///   the factors that the preferred tensor does not have. A tensor without
///   sharded permutation factors is preferred. If this does not decide, the
///   larger tensor is preferred. If both have the same size, the tensor on more
///   devices is preferred.
/// * In the second case, which is any other op, the axes of one factor are
///   chosen at a time. For each list of axes of a factor, the elements of all
///   tensors in which the factor has these axes are counted. The list with the
///   most elements is chosen next. If the numbers of elements are equal,
///   pass-through factors come first, then reductions, permutations, and
///   factors that need replication. At the end, factors that need replication
///   lose their axes. If all tensors have such a factor, its axes are given to
///   pass-through factors that all tensors have. First, each whole axis goes to
///   the first of these factors that can have it. Then the factors get parts of
///   the remaining axes.
/// * The second case begins differently if there are two tensors and an axis
///   overflows a factor, that is, does not fit the factor (in a reshape; see
///   FactorSharding::overflow). The axes of the tensor on more devices are then
///   chosen before all others. The first factor of a dimension gets the part of
///   an axis that it can have, and the next factors get the rest.
SmallVector<AxisList> getCommonAxes(const ShardingProjection &projection,
                                    const Rule &rule, ArrayRef<int64_t> sizes);

/// Returns the sharding of a tensor whose factors have the axes `axes`. All
/// dimensions are closed.
TensorSharding makeSharding(ArrayRef<AxisList> axes,
                            const TensorMapping &mapping, const Rule &rule);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COMMONAXES_H
