//===- ReductionSplitter.h - Reductions in lanes and blocks -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a fusion without a schedule.
// Out: the same fusion, with reductions that rfactor has split into lanes or
// blocks, if the requested accumulation order allows this.
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

  /// Returns the ids of tensors change.
  LogicalResult run();

  /// Returns whether rfactor created the tensor from a reduction.
  bool isFactored(StringRef name) const { return factored.contains(name); }
  /// Returns whether the tensor combines lanes, by a tree.
  bool isOverLanes(StringRef name) const { return overLanes.contains(name); }

private:
  /// Splits a reduction into lanes of the contiguous axis. All other elements
  /// are combined one after the other.
  LogicalResult splitIntoLanes(StringRef name);
  /// Returns the number of elements of a block in the order that pop gives to a
  /// reduction with these extents.
  int64_t getBlock(TensorId tensor) const;
  /// Splits a reduction into blocks of `block` elements, steps and lanes,
  /// repeatedly while there are many blocks.
  LogicalResult splitIntoBlocks(StringRef name, int64_t block);
  /// Returns the name of the partial reduction.
  FailureOr<std::string> rfactor(StringRef name, ArrayRef<int64_t> positions);
  AxisId getContiguousAxis(TensorId tensor) const;

  FusionSchedule &fusion;
  Schedule &schedule;
  const AutoScheduleOptions &options;
  /// Names of tensors.
  llvm::StringSet<> factored, overLanes;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_AUTOSCHEDULE_REDUCTIONSPLITTER_H
