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
    /// Axes join the ends of dimensions; nothing is exchanged.
    AllSlice,
    /// Each device takes the shard of another; each dimension stays sharded
    /// over as many devices.
    CollectivePermute,
    /// Axes move from the ends of dimensions to those of others.
    AllToAll,
    /// Axes leave the ends of dimensions.
    AllGather,
  };
  struct Move {
    AxisList axes;
    unsigned source = 0;
    unsigned target = 0;
  };

  Kind kind;
  /// AllSlice, AllGather: the axes of each dimension that join or leave.
  SmallVector<AxisList> axes = {};
  /// AllToAll: by ascending source; no dimension is in two of them.
  SmallVector<Move> moves = {};
  /// The axes of each dimension afterwards.
  SmallVector<AxisList> result = {};
};

/// What the steps move, of the size of a shard before them: a permutation all
/// of a shard, moves of axes over n devices all but an n-th, a gather what is
/// added to a shard, a slice nothing.
double getCollectiveCost(ArrayRef<AxisList> in, ArrayRef<CollectiveStep> steps);

/// The steps from `in` to `out`, the axes of each dimension of a tensor of
/// shape `shape` (negative: unknown), by rules: slices come first, gathers
/// last; at most one permutation of devices is needed as long as sizes are
/// powers of one prime. After Shardy.
SmallVector<CollectiveStep> planCollectivesByRules(ArrayRef<AxisList> in,
                                                   ArrayRef<AxisList> out,
                                                   ArrayRef<int64_t> shape,
                                                   bool changesDevices = false);

/// Those steps, or others that move less, if a search through all plans finds
/// any. The search is limited in the number of arrangements of axes that it
/// looks at, so it may miss some between shardings of many axes. On the way, it
/// may shard dimensions along `free`, axes that neither has and along which all
/// devices have the same.
///
/// With `changesDevices` the two are on meshes of equal axes with devices in
/// another order, and the first permutation leads from one to the other. There
/// is always a plan; it is empty if the two are equal, or both without axes.
///
/// No dimension is ever sharded over a number of devices that does not divide
/// the least common multiple of its first and its last (or its size).
SmallVector<CollectiveStep> planCollectives(ArrayRef<AxisList> in,
                                            ArrayRef<AxisList> out,
                                            ArrayRef<int64_t> shape,
                                            bool changesDevices = false,
                                            ArrayRef<AxisRef> free = {});

/// The axes of a mesh of sizes `to` that tell apart the same devices as `axes`
/// of one of sizes `from`, of which the devices are the same in the same order:
/// of 2 by 4 devices, the axes of 4 by 2 are 2 by the first part of 4, and the
/// second part of it. None if parts would not be whole.
std::optional<AxisList> changeMesh(ArrayRef<AxisRef> axes, MeshSizes from,
                                   MeshSizes to);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
