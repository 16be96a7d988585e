//===- MergedGroups.h - Merged elementwise groups ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the groups of vertices of a range that is executed block by block
// (FusedSets.h).
// Out: codelets that each compute several consecutive elementwise groups. They
// compute all groups for one element before the next element, so that
// intermediate results stay in registers. The operations on each element do not
// change, so no bit changes. While a codelet with much arithmetic runs, the
// memory would be idle. Therefore such a codelet prefetches data for
// neighbouring groups.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H

#include "FusedSets.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mlir::ipu {

/// A group of a range, and, for each operand, a number for the contents of its
/// buffer. Operands with equal numbers have the same buffer. Each complete
/// write of a buffer gives its contents a new number.
struct GroupInRange {
  const FusedGroup *fused = nullptr;
  ArrayRef<unsigned> buffers;
};

/// The consecutive groups [begin, end) of a range that are merged.
struct GroupChain {
  size_t begin = 0, end = 0;
};

/// An operand of a group next to a chain that the codelet of the chain
/// prefetches. The operand is not in scratch memory.
struct FetchedOperand {
  unsigned group = 0, operand = 0;
  /// For each block, the offset of the operand's elements that are needed next.
  SmallVector<int64_t> begins;
};

class GroupMerger {
public:
  explicit GroupMerger(Program &program) : program(program) {
    // A merged codelet may equal an existing codelet.
    for (auto [number, text] : llvm::enumerate(program.codeletTexts))
      numberOfText.try_emplace(text, number);
  }

  /// Finds chains of two or more groups that may be executed as one group; a
  /// chain has at most `maxGroups` groups. The offsets in the tables of
  /// `groups` must be offsets in whole variables.
  std::vector<GroupChain> findChains(ArrayRef<GroupInRange> groups,
                                     size_t maxGroups);
  /// Returns whether the computation of an element in the chain takes at least
  /// as long as a memory access.
  bool hasTimeToFetch(ArrayRef<GroupInRange> groups, GroupChain chain);
  /// Adds a codelet for a chain. `isInternal` returns whether only groups of
  /// the chain use a buffer. For each operand in `fetched`, the codelet
  /// prefetches as many elements as it writes.
  MergedGroups merge(ArrayRef<GroupInRange> groups, GroupChain chain,
                     function_ref<bool(unsigned)> isInternal,
                     ArrayRef<FetchedOperand> fetched);
  /// Returns the number of a codelet of the program that equals `codelet`. If
  /// there is no such codelet, adds `codelet` to the program; otherwise, erases
  /// `codelet`.
  unsigned addCodelet(CodeletOp codelet);

private:
  class ChainBuilder;

  /// An elementwise codelet, and, for each operand, the index in a row at which
  /// the description of its region begins.
  struct Body {
    linalg::GenericOp op;
    SmallVector<int64_t> columns;
  };
  const Body &getBody(const GroupInRange &group);
  bool mayBegin(const GroupInRange &group);
  bool follows(ArrayRef<GroupInRange> chain, const GroupInRange &next);
  ArrayRef<int64_t> getRegion(const GroupInRange &group, int64_t row,
                              unsigned operand);
  /// Returns whether the regions of both operands are equal in all rows.
  bool hasSameRegions(const GroupInRange &group, unsigned operand,
                      const GroupInRange &other, unsigned otherOperand);

  Program &program;
  /// The bodies by the number of the codelet and the number of inputs. The op
  /// is null if the codelet is not elementwise.
  std::map<std::pair<unsigned, unsigned>, Body> bodies;
  llvm::StringMap<unsigned> numberOfText;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H
