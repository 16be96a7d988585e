//===- LoopMerger.h - Merging of loops --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_LOOPMERGER_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_LOOPMERGER_H

#include "../Graph/BlockGraph.h"
#include "BlockLevels.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::pop {

/// Merges loops of the blocks of a module. find() finds the loops to merge, and
/// merge() merges them. The module must not change between them.
class LoopMerger {
public:
  explicit LoopMerger(ModuleOp module);

  /// Finds the loops to merge. Only candidates are merged, that is, loops for
  /// which `isCandidate` returns true.
  void find(function_ref<bool(scf::ForOp)> isCandidate);
  /// Returns the number of the group of `loop`. Loops of one group will be
  /// merged. Fails if `loop` will not be merged.
  FailureOr<size_t> getGroup(scf::ForOp loop) const {
    auto it = groupOf.find(loop);
    return it == groupOf.end() ? FailureOr<size_t>(failure()) : it->second;
  }
  /// Returns the reason why `loop` cannot be merged with `other`, a candidate
  /// that comes earlier in the program. Call this function after find().
  std::string explain(scf::ForOp loop, scf::ForOp other) const;
  /// Returns the candidates in an order in which nested loops come before the
  /// loops around them.
  ArrayRef<scf::ForOp> getCandidates() const { return candidates; }

  /// Merges the loops. Returns the candidates that remain, in the same order.
  SmallVector<scf::ForOp> merge();

private:
  /// The loops to merge in a block, in groups, and the order of ops in which
  /// the loops of each group follow each other.
  struct BlockPlan {
    std::unique_ptr<BlockGraph> graph;
    ipu::Schedule schedule;
    SmallVector<SmallVector<scf::ForOp>> groups;
  };

  void findIn(Block &block, function_ref<bool(scf::ForOp)> isCandidate);
  /// Adds the groups of `loops`, which are nodes of a graph, to `plan`, and
  /// changes the keys of their nodes.
  void addGroups(BlockPlan &plan,
                 const llvm::MapVector<unsigned, scf::ForOp> &loops,
                 ArrayRef<unsigned> levels, MutableArrayRef<OrderKey> keys);
  bool draws(scf::ForOp loop) const;
  bool canShareLevel(scf::ForOp before, scf::ForOp after) const;
  bool readsOnlyStoredRows(scf::ForOp before, scf::ForOp after) const;
  scf::ForOp mergeGroup(ArrayRef<scf::ForOp> loops) const;
  void mergeDuplicates(ArrayRef<scf::ForOp> merged) const;

  ModuleOp module;
  std::unique_ptr<ScheduledModule> scheduled;
  SmallVector<scf::ForOp> candidates;
  SmallVector<BlockPlan> plans;
  llvm::DenseMap<Operation *, size_t> groupOf;
  size_t numGroups = 0;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_SERIALIZE_LOOPMERGER_H
