//===- RepeatSearch.h - Repeated sequences of tokens ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the sequences of tokens that occur several times in a text. This is
// plain C++ without IR.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_REPEATS_REPEATSEARCH_H
#define IPU_MLIR_ANALYSIS_REPEATS_REPEATSEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace mlir::ipu {

/// A sequence of tokens that starts at two or more positions of a text.
struct Repeat {
  /// The number of tokens. Occurrences of this length do not overlap those that
  /// start at the next greater position.
  unsigned length;
  /// The positions are those of the suffixes [first, last) in lexicographical
  /// order.
  unsigned first, last;

  unsigned getNumPositions() const { return last - first; }
};

/// The repeats of a text with N tokens, by the suffix array of the text.
class RepeatSearch {
public:
  /// Takes O(N log^2 N) time.
  explicit RepeatSearch(llvm::ArrayRef<unsigned> text);

  /// Returns less than N repeats. They include the longest sequence at each set
  /// of positions, shortened to the smallest distance between two of them.
  /// Repeats that an equally long repeat with more positions contains are left
  /// out. The order is deterministic.
  llvm::ArrayRef<Repeat> getRepeats() const { return repeats; }

  /// Returns the positions of `repeat` in ascending order.
  llvm::SmallVector<unsigned> getPositions(const Repeat &repeat) const;
  /// Returns one of the positions of `repeat`, in O(1) time.
  unsigned getAnyPosition(const Repeat &repeat) const {
    return suffixes[(repeat.first + repeat.last) / 2];
  }

private:
  void sortSuffixes(llvm::ArrayRef<unsigned> text);
  std::vector<unsigned> getCommonPrefixes(llvm::ArrayRef<unsigned> text) const;
  void findRepeats(llvm::ArrayRef<unsigned> commonPrefixes);

  /// The positions of the suffixes in lexicographical order.
  std::vector<unsigned> suffixes;
  std::vector<Repeat> repeats;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_REPEATS_REPEATSEARCH_H
