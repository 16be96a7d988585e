//===- FusionGroups.h - Groups of ops for fusions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a block. Out: groups of its linalg ops, each of which can be replaced by
// one op, all at once, without a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H

#include "ipu-mlir/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Whether a schedule can have `op` as a tensor.
bool isFusible(Operation *op);
/// Whether `op` is copied into a fusion that needs its result: an initial
/// tensor, a size or a constant.
bool isSunkIntoFusions(Operation *op);

/// A pure order of the ops of a block: before an op come what it uses, and, if
/// it has side effects, those ops with side effects that came before. Entry k
/// lists what op k (in order of the block) needs.
struct BlockDependences {
  explicit BlockDependences(Block &block);

  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::vector<SmallVector<unsigned, 4>> needs;
};

/// Ops that can become one fusion. All ops of one level can, too.
struct OpGroup {
  SmallVector<Operation *> ops;
  unsigned level = 0;
};

/// The largest groups of fusible ops of which each is computed from others of
/// the group or for them. Of ops that depend on each other through one that is
/// in no group, each has a group of its own. In program order.
std::vector<OpGroup> getConnectedGroups(const BlockDependences &dependences);

/// Makes one group of those that go over all of one input, where the cost model
/// says that less is moved if they do so together.
void joinBySharedInputs(std::vector<OpGroup> &groups);

/// Moves ops of a block into a new fusion, which stands where the last one
/// stood; other ops of the block may then stand before what they need.
FusionOp buildFusion(ArrayRef<Operation *> group);
/// Puts what is in a fusion where it was before.
void dissolve(FusionOp fusion);

/// The ops of a fusion by the nests that are worth making by the cost model, in
/// program order. Fails, with a diagnostic, if the fusion cannot be read.
FailureOr<std::vector<SmallVector<Operation *>>>
getGroupsByCost(FusionOp fusion);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_FUSIONFORMING_FUSIONGROUPS_H
