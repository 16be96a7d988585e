//===- MergedGroups.h - Merged elementwise groups ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: groups of vertices of a range that runs block by block. Out: codelets
// that compute several consecutive elementwise ones, element by element, so
// that intermediate results stay in registers.
//
// The operations on each element do not change: no bit changes.
//
// While a chain with much arithmetic runs, the memory would be idle, so its
// codelet prefetches data for the groups around it.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H

#include "FusedSets.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mlir::ipu {

/// A group of a range, and what its operands hold: equal numbers are equal
/// buffers, a new one for all that is given anew.
struct GroupInRange {
  const FusedGroup *fused = nullptr;
  ArrayRef<unsigned> buffers;
};

/// The groups [begin, end) of a range.
struct GroupChain {
  size_t begin = 0, end = 0;
};

/// What a group around a chain reads or writes in memory.
struct FetchedOperand {
  unsigned group = 0, operand = 0;
  /// Where in the buffer it is that is needed next, for each block.
  SmallVector<int64_t> begins;
};

class GroupMerger {
public:
  explicit GroupMerger(Program &program) : program(program) {
    // What is merged may be what another codelet does by itself.
    for (auto [number, text] : llvm::enumerate(program.codeletTexts))
      numberOfText.try_emplace(text, number);
  }

  /// What may run as one, of two groups or more. Tables of `groups` have rows
  /// in whole variables.
  std::vector<GroupChain> findChains(ArrayRef<GroupInRange> groups,
                                     size_t maxGroups);
  /// Whether the chain computes for as long as memory takes for an element.
  bool hasTimeToFetch(ArrayRef<GroupInRange> groups, GroupChain chain);
  /// Adds a codelet for a chain; nothing else needs the buffers `isInternal`.
  /// It fetches as many elements of each of `fetched` as it gives.
  MergedGroups merge(ArrayRef<GroupInRange> groups, GroupChain chain,
                     function_ref<bool(unsigned)> isInternal,
                     ArrayRef<FetchedOperand> fetched);
  /// The number of a codelet of the program like `codelet`, which is added or
  /// erased.
  unsigned addCodelet(CodeletOp codelet);

private:
  class ChainBuilder;

  /// An elementwise codelet, and where a row has the region of each operand.
  struct Body {
    linalg::GenericOp op;
    SmallVector<int64_t> columns;
  };
  const Body &getBody(const GroupInRange &group);
  bool mayBegin(const GroupInRange &group);
  bool follows(ArrayRef<GroupInRange> chain, const GroupInRange &next);
  ArrayRef<int64_t> getBox(const GroupInRange &group, int64_t row,
                           unsigned operand);
  /// Whether regions of both operands are equal in all rows.
  bool hasSameBoxes(const GroupInRange &group, unsigned operand,
                    const GroupInRange &other, unsigned otherOperand);

  Program &program;
  /// Of codelets with so many inputs; without op if they are not elementwise.
  std::map<std::pair<unsigned, unsigned>, Body> bodies;
  llvm::StringMap<unsigned> numberOfText;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H
