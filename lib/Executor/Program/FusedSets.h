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

/// A group of vertices, as it runs in blocks.
struct FusedGroup {
  const VertexGroup *group = nullptr;
  /// Rows as those of the group, or parts of them, those of a block after those
  /// of the one before. Regions in scratch memory count from the block's start.
  std::vector<int64_t> table;
  /// Where the rows of each block begin, and the end.
  std::vector<int64_t> firstRows;
  /// The vertex of each row; empty if rows are joined or parts.
  std::vector<int64_t> vertices;
  /// For each operand, where scratch memory holds a block of it, in bytes; -1
  /// for what is in memory.
  SmallVector<int64_t> scratch;
  /// For each operand, whether the group gives a variable that the range has
  /// used before all elements anew.
  SmallVector<bool> renews;
};

/// Groups that run as one, in a codelet of their own, which passes on elements
/// in registers: elementwise ones, or a contraction and what adds up the
/// partial sums that it writes.
struct MergedGroups {
  /// The groups [begin, end).
  size_t begin = 0, end = 0;
  /// What an engine runs, with the table below in place of its own.
  std::shared_ptr<const VertexGroup> group;
  /// For each operand, the group and its operand that it is; the last ones may
  /// be fetched only.
  SmallVector<std::pair<unsigned, unsigned>> operands;
  /// As of FusedGroup.
  std::vector<int64_t> table, firstRows;

  size_t getNumRows() const { return table.size() / group->rowSize; }
};

/// A float variable that the range writes and the host gets right after: NaNs
/// are looked for while a block is in a cache.
struct FusedScan {
  unsigned variable = 0;
  int64_t elementsOfPosition = 0;
};

/// Some nodes of a sequence, of which only compute sets do anything.
struct FusedSets {
  size_t numNodes = 0;
  std::vector<FusedGroup> groups;
  /// In order.
  std::vector<MergedGroups> merged;
  std::vector<FusedScan> scans;
  /// Positions between which blocks are.
  std::vector<int64_t> cuts;
  /// What a thread needs for variables that nothing else reads.
  int64_t scratchBytes = 0;
  /// Whether moves copy what the range does not compute.
  bool hasCopies = false;

  size_t getNumBlocks() const { return cuts.size() - 1; }
};

struct FusedSetsOptions {
  /// What a block should have of all buffers together.
  int64_t blockBytes = 0;
  /// What makes several sets worth to be one, in bytes of all buffers.
  int64_t leastBytes = 0;
  /// How many groups may run as one.
  size_t maxMerged = 8;
  /// What runs blocks.
  unsigned threads = 1;

  /// For the caches of the host.
  static FusedSetsOptions getForHost(unsigned threads);
};

/// Whether a move only says who holds a variable, too.
bool isWholeMove(const Program &program, const ProgramMove &move);

/// By the first of their nodes.
using FusedSetsMap = llvm::MapVector<const ProgramNode *, FusedSets>;
/// Finds what to run in blocks, as much as possible in one. Codelets of groups
/// that are merged are added to the program.
FusedSetsMap findFusedSets(Program &program, const FusedSetsOptions &options);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSETS_H
