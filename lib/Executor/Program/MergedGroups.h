//===- MergedGroups.h - Merged elementwise groups ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: groups of vertices of a range that runs block by block.
// Out: codelets that compute several consecutive elementwise groups, element by
// element, so that intermediate results stay in registers. The operations on
// each element do not change, so no bit changes. The memory would be idle while
// a chain with much arithmetic runs. Therefore its codelet prefetches data for
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

/// A group of a range, and the contents of its operands: equal numbers mean
/// equal buffers. Each complete write of a buffer gives it a new number.
struct GroupInRange {
  const FusedGroup *fused = nullptr;
  ArrayRef<unsigned> buffers;
};

/// The groups [begin, end) of a range.
struct GroupChain {
  size_t begin = 0, end = 0;
};

/// A memory operand of a group next to a chain.
struct FetchedOperand {
  unsigned group = 0, operand = 0;
  /// For each block, the offset of the next elements that are needed.
  SmallVector<int64_t> begins;
};

class GroupMerger {
public:
  explicit GroupMerger(Program &program) : program(program) {
    // The merged codelet may equal an existing codelet.
    for (auto [number, text] : llvm::enumerate(program.codeletTexts))
      numberOfText.try_emplace(text, number);
  }

  /// Finds chains of two or more groups that may run as one. Tables of `groups`
  /// have rows in whole variables.
  std::vector<GroupChain> findChains(ArrayRef<GroupInRange> groups,
                                     size_t maxGroups);
  /// Whether the computation of the chain takes as long as a memory access, for
  /// each element.
  bool hasTimeToFetch(ArrayRef<GroupInRange> groups, GroupChain chain);
  /// Adds a codelet for a chain. No other node reads the buffers `isInternal`.
  /// The codelet prefetches as many elements of each of `fetched` as it writes.
  MergedGroups merge(ArrayRef<GroupInRange> groups, GroupChain chain,
                     function_ref<bool(unsigned)> isInternal,
                     ArrayRef<FetchedOperand> fetched);
  /// The number of a codelet of the program that equals `codelet`. `codelet` is
  /// added, or erased if there already is one.
  unsigned addCodelet(CodeletOp codelet);

private:
  class ChainBuilder;

  /// An elementwise codelet, and the position of the region of each operand in
  /// a row.
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
  /// Indexed by codelets and numbers of inputs. The op is null if the codelet
  /// is not elementwise.
  std::map<std::pair<unsigned, unsigned>, Body> bodies;
  llvm::StringMap<unsigned> numberOfText;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_MERGEDGROUPS_H
