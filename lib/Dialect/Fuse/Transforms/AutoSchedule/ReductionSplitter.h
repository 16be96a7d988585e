//===- ReductionSplitter.h - Reductions in lanes and blocks -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a fusion without a schedule.
// Output: the fusion in which rfactor has split reductions into lanes or blocks
// where the requested accumulation order allows this.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_REDUCTIONSPLITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_REDUCTIONSPLITTER_H

#include "ipu-mlir/Dialect/Fuse/Transforms/AutoSchedule.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {

class ReductionSplitter {
public:
  ReductionSplitter(FusionSchedule &fusion, const AutoScheduleOptions &options)
      : fusion(fusion), schedule(fusion.schedule), options(options) {}

  /// Splits the reductions of the fusion. The ids of tensors change.
  LogicalResult run();

  /// Returns whether rfactor created the tensor `name`.
  bool isFactored(StringRef name) const { return factored.contains(name); }
  /// Returns whether the tensor `name` combines the lanes of a vector. They are
  /// combined as a tree.
  bool isOverLanes(StringRef name) const { return overLanes.contains(name); }

private:
  /// Splits a reduction into lanes along the contiguous axis. Each lane
  /// combines its elements one after the other.
  LogicalResult splitIntoLanes(StringRef name);
  /// Returns the number of elements of a block in the accumulation order that
  /// the pop dialect chooses for a reduction with the extents of `tensor`. If
  /// an extent is not constant, returns kReductionBlock.
  int64_t getBlock(TensorId tensor) const;
  /// Splits a reduction into blocks of `block` elements, and each block into
  /// steps and lanes. Repeats this for the reduction over the blocks as long as
  /// there are many blocks.
  LogicalResult splitIntoBlocks(StringRef name, int64_t block);
  /// Applies rfactor to the loops `positions` of the tensor `name`. Returns the
  /// name of the partial reduction.
  FailureOr<std::string> rfactor(StringRef name, ArrayRef<int64_t> positions);
  AxisId getContiguousAxis(TensorId tensor) const;

  FusionSchedule &fusion;
  Schedule &schedule;
  const AutoScheduleOptions &options;
  /// The names of the tensors for which `isFactored` or `isOverLanes` holds.
  llvm::StringSet<> factored, overLanes;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_REDUCTIONSPLITTER_H
