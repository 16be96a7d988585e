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
/// axes of each dimension of a tensor. `shape` is the shape of the tensor; a
/// negative size in `shape` is unknown. Slices come first and gathers last. If
/// all sizes of axes are powers of one prime, at most one permutation of
/// devices is needed. The rules follow Shardy. planCollectives() describes
/// `changesDevices`.
SmallVector<CollectiveStep> planCollectivesByRules(ArrayRef<AxisList> in,
                                                   ArrayRef<AxisList> out,
                                                   ArrayRef<int64_t> shape,
                                                   bool changesDevices = false);

/// Returns the steps of planCollectivesByRules(). If a search finds steps that
/// move less data, returns these steps instead. The search stops after a
/// limited number of arrangements of axes. Therefore it may miss the best plan
/// if the shardings have many axes. Intermediate shardings may use the axes
/// `free`. Neither `in` nor `out` has these axes, and all devices along these
/// axes hold the same data. If `changesDevices` is set, the two shardings are
/// on meshes with equal axes but different orders of devices, and the first
/// permutation also changes the order. There is always a plan. The plan is
/// empty if neither sharding has axes, or if the shardings are equal and
/// `changesDevices` is not set. After each step, the number of devices over
/// which a dimension is sharded divides one of two numbers. One is the size of
/// the dimension. The other is the least common multiple of the numbers of
/// devices over which `in` and `out` shard the dimension.
SmallVector<CollectiveStep> planCollectives(ArrayRef<AxisList> in,
                                            ArrayRef<AxisList> out,
                                            ArrayRef<int64_t> shape,
                                            bool changesDevices = false,
                                            ArrayRef<AxisRef> free = {});

/// `axes` are axes of a mesh with the sizes `from`. Returns axes of another
/// mesh, which has the sizes `to`. Two devices have different indices along the
/// returned axes if and only if they have different indices along `axes`. Both
/// meshes have the same devices in the same order. For example, a mesh of 2 by
/// 4 devices becomes a mesh of 4 by 2 devices. The axis of size 2 in the first
/// mesh is then the sub-axis (1)2 of the axis of size 4 in the second mesh.
/// Returns std::nullopt if an axis of the second mesh would have to be divided
/// into sub-axes whose sizes are not integers.
std::optional<AxisList> changeMesh(ArrayRef<AxisRef> axes, MeshSizes from,
                                   MeshSizes to);

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_SHARDING_COLLECTIVEPLAN_H
