//===- FusedSets.h - Compute sets that run block by block -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consecutive compute sets often pass on tensors each part of which depends on
// one part of an earlier tensor: elementwise ops, reductions of rows, and ops
// that broadcast these over rows. Such sets may run part by part, with parts
// small enough for a cache: all sets run on one part before the next part.
//
// All buffers of a range of nodes that are accessed by part are divided into
// the same number of positions, each of equally many adjacent elements. A block
// is a range of positions. A vertex belongs to a block if its accesses to these
// buffers are in the block; it only reads other buffers. So blocks do not
// depend on each other, and any order of them gives the same results.
//
// Such a range includes exchanges that only change which tiles hold a tensor,
// and starts and ends of live ranges.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H

#include "ipu-mlir/Executor/Program/Program.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// A group of vertices that runs in blocks.
struct FusedGroup {
  const VertexGroup *group = nullptr;
  /// The rows of the group, or parts of them, in the order of blocks. Offsets
  /// of regions in scratch memory are relative to the start of the block.
  std::vector<int64_t> table;
  /// The first row of each block, and the end.
  std::vector<int64_t> firstRows;
  /// The vertex of each row; empty if rows are joined or split.
  std::vector<int64_t> vertices;
  /// For each operand, the offset in scratch memory, in bytes, of a block of
  /// it; -1 for operands in memory.
  SmallVector<int64_t> scratch;
  /// For each operand, whether the group writes all elements of a variable that
  /// the range has used before.
  SmallVector<bool> renews;
};

/// Groups that run as one group with a codelet of their own, which passes
/// elements in registers: elementwise groups, or a contraction and the group
/// that adds up its partial sums.
struct MergedGroups {
  /// The groups [begin, end).
  size_t begin = 0, end = 0;
  /// The group for the engine. Its table is replaced by the table below.
  std::shared_ptr<const VertexGroup> group;
  /// For each operand, its group and its operand number in that group. The last
  /// operands may only be prefetched.
  SmallVector<std::pair<unsigned, unsigned>> operands;
  /// As in FusedGroup.
  std::vector<int64_t> table, firstRows;

  size_t getNumRows() const { return table.size() / group->rowSize; }
};

/// A float variable that the range writes and that the host reads directly
/// afterwards. NaNs are searched while a block is in a cache.
struct FusedScan {
  unsigned variable = 0;
  int64_t elementsOfPosition = 0;
};

/// Some nodes of a sequence, in which only compute sets have an effect.
struct FusedSets {
  size_t numNodes = 0;
  std::vector<FusedGroup> groups;
  /// In order.
  std::vector<MergedGroups> merged;
  std::vector<FusedScan> scans;
  /// The positions of the borders of blocks.
  std::vector<int64_t> cuts;
  /// The bytes of a thread for variables that no other node reads.
  int64_t scratchBytes = 0;
  /// Whether moves copy variables that the range does not compute.
  bool hasCopies = false;

  size_t getNumBlocks() const { return cuts.size() - 1; }
};

struct FusedSetsOptions {
  /// The preferred number of bytes of a block, for all buffers together.
  int64_t blockBytes = 0;
  /// The least number of bytes of all buffers for which sets are fused.
  int64_t leastBytes = 0;
  /// The greatest number of groups that may be merged.
  size_t maxMerged = 8;
  /// The number of threads that run blocks.
  unsigned threads = 1;

  /// Options for the caches of the host.
  static FusedSetsOptions getForHost(unsigned threads);
};

/// Whether a move only changes which tiles hold a variable.
bool isWholeMove(const Program &program, const ProgramMove &move);

/// Indexed by the first of their nodes.
using FusedSetsMap = llvm::MapVector<const ProgramNode *, FusedSets>;
/// Finds the ranges to run in blocks, each as long as possible. Codelets of
/// merged groups are added to the program.
FusedSetsMap findFusedSets(Program &program, const FusedSetsOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H
