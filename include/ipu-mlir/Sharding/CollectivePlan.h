//===- CollectivePlan.h - Plans of reshards ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The collectives that change the sharding of a tensor into another one.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
#define IPU_MLIR_SHARDING_COLLECTIVEPLAN_H

#include "ipu-mlir/Sharding/Axes.h"

namespace mlir::ipu::sharding {

struct CollectiveStep {
  enum class Kind {
    /// Axes are appended to dimensions; nothing is exchanged.
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
  /// AllSlice, AllGather: the axes that are appended to, or removed from, each
  /// dimension.
  SmallVector<AxisList> axes = {};
  /// AllToAll: in ascending order of sources; no dimension occurs in two moves.
  SmallVector<Move> moves = {};
  /// The axes of each dimension after the step.
  SmallVector<AxisList> result = {};
};

/// The data that the steps move, in units of the size of a shard before them. A
/// permutation moves the whole shard. A move of axes over n devices moves all
/// but an n-th of the shard. A gather moves the elements that are added to the
/// shard. A slice moves nothing.
double getCollectiveCost(ArrayRef<AxisList> in, ArrayRef<CollectiveStep> steps);

/// The steps from `in` to `out`, by rules. Both are the axes of each dimension
/// of a tensor of shape `shape` (negative sizes are unknown). Slices come first
/// and gathers last. If all sizes are powers of one prime, at most one
/// permutation of devices is needed. After Shardy.
SmallVector<CollectiveStep> planCollectivesByRules(ArrayRef<AxisList> in,
                                                   ArrayRef<AxisList> out,
                                                   ArrayRef<int64_t> shape,
                                                   bool changesDevices = false);

/// The same steps, or steps that move less data, if a search through all plans
/// finds any. The search is limited in the number of arrangements of axes. For
/// shardings of many axes, it may therefore miss some plans. Intermediate
/// shardings may use the axes `free`, which neither `in` nor `out` has and
/// along which all devices hold the same data. With `changesDevices`, the two
/// shardings are on meshes with equal axes and another order of devices, and
/// the first permutation changes the order. There is always a plan. It is empty
/// if the two shardings are equal, or if both are without axes. No dimension is
/// ever sharded over a number of devices that does not divide the least common
/// multiple of its first and last number of devices (or its size).
SmallVector<CollectiveStep> planCollectives(ArrayRef<AxisList> in,
                                            ArrayRef<AxisList> out,
                                            ArrayRef<int64_t> shape,
                                            bool changesDevices = false,
                                            ArrayRef<AxisRef> free = {});

/// The axes of a mesh with sizes `to` that distinguish the same devices as
/// `axes` of a mesh with sizes `from`, for the same devices in the same order.
/// For example, the axis of size 2 of 2 by 4 devices is the first part of the
/// axis of size 4 of 4 by 2 devices. None if the parts would not be whole.
std::optional<AxisList> changeMesh(ArrayRef<AxisRef> axes, MeshSizes from,
                                   MeshSizes to);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
