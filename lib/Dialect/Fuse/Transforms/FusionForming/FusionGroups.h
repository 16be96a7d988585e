//===- FusionGroups.h - Groups of ops for fusions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: a block.
// Output: groups of its linalg ops. If each group is replaced by one op, the
// uses of results contain no cycle.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Returns whether `op` can be a tensor of a schedule.
bool isFusible(Operation *op);
/// Returns whether `op` is copied into the fusions that use its result. This
/// holds for ops that create initial tensors, sizes or constants.
bool isSunkIntoFusions(Operation *op);

/// The dependences between the ops of a block. An op depends on the ops whose
/// results it uses. An op with side effects also depends on all earlier ops
/// with side effects. `needs[k]` contains the numbers of the ops on which op k,
/// in the order of the block, depends.
struct BlockDependences {
  explicit BlockDependences(Block &block);

  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::vector<SmallVector<unsigned, 4>> needs;
};

/// Ops that can become one fusion. Groups of the same level can be combined
/// into one fusion.
struct OpGroup {
  SmallVector<Operation *> ops;
  unsigned level = 0;
};

/// Returns, in program order, the largest groups of fusible ops that are
/// connected by uses. If an op depends on another op through an op that is not
/// fusible, the two ops are in different groups.
std::vector<OpGroup> getConnectedGroups(const BlockDependences &dependences);

/// Combines groups that read all elements of a common input, if fewer bytes are
/// then moved according to the cost model.
void joinBySharedInputs(std::vector<OpGroup> &groups);

/// Moves the ops of `group` into a new fusion, which is inserted at the
/// position of the last op. Afterwards, other ops of the block may precede the
/// definitions of their operands.
FusionOp buildFusion(ArrayRef<Operation *> group);
/// Moves the ops of `fusion` to the position of `fusion`, and erases `fusion`.
void dissolve(FusionOp fusion);

/// Returns the ops of `fusion`, grouped by the loop nests that the cost model
/// prefers, in program order. Fails, with a diagnostic, if the fusion cannot be
/// read.
FailureOr<std::vector<SmallVector<Operation *>>>
getGroupsByCost(FusionOp fusion);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
