//===- FusedSets.h - Compute sets that run block by block -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consecutive compute sets often pass on tensors in which each part depends
// only on one part of an earlier tensor. Examples are elementwise ops,
// reductions of rows, and ops that broadcast the reduced values over rows. Such
// sets may be executed part by part. The parts are small enough for a cache,
// and all sets are executed for one part before the next part. Compute sets
// that are executed in this way are called fused sets.
//
// The buffers that a range of nodes accesses part by part are all divided into
// the same number of positions. A position of a buffer has a fixed number of
// adjacent elements. A block is a range of positions. A vertex belongs to a
// block if the block contains all its accesses to these buffers. The vertex may
// only read other buffers. Therefore blocks do not depend on each other, and
// any order of blocks gives the same results.
//
// A range may include starts and ends of live ranges, and exchanges. An
// exchange in a range only changes which tiles hold a tensor, or copies
// elements that the range does not compute. These copies are executed before
// the blocks.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// A group of vertices that is executed in blocks.
struct FusedGroup {
  const VertexGroup *group = nullptr;
  /// The table of the group in the order of blocks. It contains the rows of the
  /// group, or parts of the rows. The offset of a region in scratch memory is
  /// relative to the start of the block.
  std::vector<int64_t> table;
  /// The first row of each block, and the number of rows.
  std::vector<int64_t> firstRows;
  /// The vertex of each row; empty if rows were joined or split.
  std::vector<int64_t> vertices;
  /// For each operand, the offset in bytes of its block in scratch memory, or
  /// -1 if the operand is not in scratch memory.
  SmallVector<int64_t> scratch;
  /// For each operand, whether the group writes all elements of its variable
  /// and the range has used the variable before.
  SmallVector<bool> renews;
};

/// Consecutive groups that are executed as one group. Its codelet passes
/// elements from one group to the next in registers. The groups are
/// elementwise, or they are a contraction and the group that adds its partial
/// sums.
struct MergedGroups {
  /// The merged groups are the groups [begin, end) of the fused sets.
  size_t begin = 0, end = 0;
  /// The group that the engine executes. The engine uses `table` below instead
  /// of the table of this group.
  std::shared_ptr<const VertexGroup> group;
  /// For each operand, the number of its group and its number in that group.
  /// The operands that the codelet only prefetches are last.
  SmallVector<std::pair<unsigned, unsigned>> operands;
  /// The table and the first row of each block, as in FusedGroup.
  std::vector<int64_t> table, firstRows;

  size_t getNumRows() const { return table.size() / group->rowSize; }
};

/// A float variable that the range writes and that the host reads directly
/// afterwards. The executor searches a block for NaNs while the block is in a
/// cache.
struct FusedScan {
  unsigned variable = 0;
  int64_t elementsOfPosition = 0;
};

/// A range of nodes of a sequence whose compute sets are executed block by
/// block.
struct FusedSets {
  size_t numNodes = 0;
  std::vector<FusedGroup> groups;
  /// The merged groups in the order of their groups.
  std::vector<MergedGroups> merged;
  std::vector<FusedScan> scans;
  /// The first position of each block, and the number of positions.
  std::vector<int64_t> cuts;
  /// The number of bytes of scratch memory for each thread. The scratch memory
  /// contains variables that no node outside of the range reads.
  int64_t scratchBytes = 0;
  /// Whether the range has moves that copy elements (for which isWholeMove() is
  /// false). They are executed before the blocks.
  bool hasCopies = false;

  size_t getNumBlocks() const { return cuts.size() - 1; }
};

struct FusedSetsOptions {
  /// The preferred number of bytes that a block has in all buffers together.
  int64_t blockBytes = 0;
  /// The minimum size of the buffers: sets are fused only if all their buffers
  /// together have at least this number of bytes.
  int64_t leastBytes = 0;
  /// The maximum number of groups that may be merged into one.
  size_t maxMerged = 8;
  /// The number of threads that run blocks.
  unsigned threads = 1;

  /// Returns the options for the sizes of the host's caches.
  static FusedSetsOptions getForHost(unsigned threads);
};

/// Returns whether a move only changes which tiles hold a variable.
bool isWholeMove(const Program &program, const ProgramMove &move);

/// The fused sets of a program. The key is the first node of the sets.
using FusedSetsMap = llvm::MapVector<const ProgramNode *, FusedSets>;
/// Finds the ranges of nodes to execute in blocks. Each range is as long as
/// possible. The function adds the codelets of merged groups to the program.
FusedSetsMap findFusedSets(Program &program, const FusedSetsOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H
