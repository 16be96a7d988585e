//===- FusionGroups.h - Groups of ops for fusions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a block.
// Out: groups of its linalg ops. All groups can be replaced, each by one op,
// without creating a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Returns whether `op` can be a tensor of a schedule.
bool isFusible(Operation *op);
/// Returns whether `op` is copied into a fusion that uses its result: an
/// initial tensor, a size or a constant.
bool isSunkIntoFusions(Operation *op);

/// The necessary order of the ops of a block: an op follows the ops whose
/// results it uses. An op with side effects also follows all earlier ops with
/// side effects. Entry k lists the ops that op k (in the order of the block)
/// must follow.
struct BlockDependences {
  explicit BlockDependences(Block &block);

  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::vector<SmallVector<unsigned, 4>> needs;
};

/// Ops that can become one fusion. All ops of one level can also become one
/// fusion.
struct OpGroup {
  SmallVector<Operation *> ops;
  unsigned level = 0;
};

/// Returns the largest groups of fusible ops that are connected by uses. If ops
/// depend on each other through an op that is in no group, they are in
/// different groups. In program order.
std::vector<OpGroup> getConnectedGroups(const BlockDependences &dependences);

/// Joins groups that read all of a common input, if the cost model says that
/// this moves fewer bytes.
void joinBySharedInputs(std::vector<OpGroup> &groups);

/// Moves ops of a block into a new fusion at the position of the last op. Other
/// ops of the block may then precede ops whose results they use.
FusionOp buildFusion(ArrayRef<Operation *> group);
/// Moves the contents of a fusion back to its position.
void dissolve(FusionOp fusion);

/// Returns the ops of a fusion, grouped by the nests that the cost model
/// prefers, in program order. Fails, with a diagnostic, if the fusion cannot be
/// read.
FailureOr<std::vector<SmallVector<Operation *>>>
getGroupsByCost(FusionOp fusion);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
