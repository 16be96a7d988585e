//===- CollectivePlan.h - Plans of reshards ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans of the collectives that change the sharding of a tensor to another
// sharding.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
#define IPU_MLIR_SHARDING_COLLECTIVEPLAN_H

#include "ipu-mlir/Sharding/Axes.h"

namespace mlir::ipu::sharding {

struct CollectiveStep {
  enum class Kind {
    /// Axes are appended to dimensions. Devices exchange no data.
    AllSlice,
    /// Each device takes the shard of another device. The number of devices
    /// over which each dimension is sharded does not change.
    CollectivePermute,
    /// Axes move from the ends of dimensions to the ends of other dimensions.
    AllToAll,
    /// Axes are removed from the ends of dimensions.
    AllGather,
  };
  struct Move {
    AxisList axes;
    unsigned source = 0;
    unsigned target = 0;
  };

  Kind kind;
  /// For AllSlice and AllGather, the axes that are appended to, or removed
  /// from, each dimension.
  SmallVector<AxisList> axes = {};
  /// For AllToAll, the moves in ascending order of sources. No dimension occurs
  /// in two moves.
  SmallVector<Move> moves = {};
  /// The axes of each dimension after the step.
  SmallVector<AxisList> result = {};
};

/// Returns the amount of data that the steps move, as a multiple of the size of
/// a shard before the first step. A permutation moves the whole shard. A move
/// of axes over n devices moves all elements of the shard except one nth. A
/// gather moves the elements that are added to the shard. A slice moves no
/// data.
double getCollectiveCost(ArrayRef<AxisList> in, ArrayRef<CollectiveStep> steps);

/// Returns the steps from `in` to `out` by fixed rules. `in` and `out` are the
/// axes of each dimension of a tensor of shape `shape`, in which negative sizes
/// are unknown. Slices come first and gathers last. If all sizes of axes are
/// powers of one prime, at most one permutation of devices is needed. The rules
/// follow Shardy.
SmallVector<CollectiveStep> planCollectivesByRules(ArrayRef<AxisList> in,
                                                   ArrayRef<AxisList> out,
                                                   ArrayRef<int64_t> shape,
                                                   bool changesDevices = false);

/// Returns the steps of planCollectivesByRules(), or steps that move less data
/// if a search through all plans finds any. The search is limited in the number
/// of arrangements of axes. Therefore it may miss some plans of shardings with
/// many axes. Intermediate shardings may use the axes `free`, which neither
/// `in` nor `out` has and along which all devices hold the same data. With
/// `changesDevices`, the two shardings are on meshes with equal axes and
/// different orders of devices, and the first permutation changes the order.
/// There is always a plan. It is empty if the two shardings are equal, or if
/// neither has axes. The number of devices over which a dimension is sharded
/// always divides the least common multiple of its first and last numbers of
/// devices, or the size of the dimension.
SmallVector<CollectiveStep> planCollectives(ArrayRef<AxisList> in,
                                            ArrayRef<AxisList> out,
                                            ArrayRef<int64_t> shape,
                                            bool changesDevices = false,
                                            ArrayRef<AxisRef> free = {});

/// Returns the axes of a mesh with sizes `to` that distinguish the same devices
/// as `axes` of a mesh with sizes `from`. Both meshes have the same devices in
/// the same order. For example, the axis of size 2 of 2 by 4 devices is the
/// first part of the axis of size 4 of 4 by 2 devices. Returns std::nullopt if
/// the sizes of the parts would not be integers.
std::optional<AxisList> changeMesh(ArrayRef<AxisRef> axes, MeshSizes from,
                                   MeshSizes to);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
