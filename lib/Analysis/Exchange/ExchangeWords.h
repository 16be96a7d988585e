//===- ExchangeWords.h - Words of the runs of a move ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exchange moves words of 4 bytes. The words of a run depend on its length
// and on the addresses of its first element in the regions of the source and
// the target, all modulo the size of a word. This file declares sums of runs by
// these residues. A residue is counted in elements: a word and `modulus`
// elements have the same size or, if an element is larger than a word, elements
// with equal residues have equal positions in their words.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEWORDS_H
#define IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEWORDS_H

#include "ExchangeDetail.h"

#include <array>

namespace mlir::ipu::exchange {

/// Counts of runs or of elements, by residues.
class WordCounts {
public:
  struct Entry {
    /// The size of the region of the source along the dimensions of the count,
    /// the indices of the first element in the regions of the source and of the
    /// target, and the number of elements of a run. All of these are residues.
    uint8_t fromSize, from, to, length;
    /// The number of runs (or elements), and of all their elements.
    int64_t number, elements;
  };

  explicit WordCounts(int64_t modulus = 1) : modulus(modulus) {}

  /// Adds a run of `length` elements. Its first element has the index `from` in
  /// a region of `fromSize` elements of the source, and the index `to` in the
  /// region of the target.
  void addRun(int64_t fromSize, int64_t from, int64_t to, int64_t length);
  /// Adds the runs or elements of `other`.
  void add(const WordCounts &other);
  /// Adds `number` consecutive elements, one by one.
  void addElements(int64_t fromSize, int64_t from, int64_t to, int64_t number);

  ArrayRef<Entry> getEntries() const { return entries; }

private:
  void add(int64_t fromSize, int64_t from, int64_t to, int64_t length,
           int64_t number, int64_t elements);

  int64_t modulus;
  SmallVector<Entry, 2> entries;
};

/// The runs that one region of the target receives, along more and more
/// dimensions of the storage, innermost first.
class RunsByResidue {
public:
  explicit RunsByResidue(int64_t modulus);

  /// Adds runs that end in the current dimension. Both regions store `inner`
  /// elements for each element of this dimension.
  void addRuns(const WordCounts &runs, int64_t inner);
  /// Adds one run that fills the regions of both sides, `size` elements, up to
  /// the current dimension.
  void addFull(int64_t size);
  /// Repeats all runs for each of the elements `elements` of the next
  /// dimension. The region of the target stores `toStride` elements for each of
  /// these elements.
  void repeat(const WordCounts &elements, int64_t toStride);
  /// Repeats all runs `times` times at addresses with the same residues.
  void repeat(int64_t times);
  /// Returns whether the elements of all outer dimensions start at the
  /// beginning of a word at the source.
  bool hasAlignedSource() const;

  /// Adds the packed elements and the padding of all runs to `part`.
  void addTo(MoveTraffic::Part &part, int64_t elementBytes) const;

private:
  struct Number {
    int64_t runs = 0, elements = 0;
  };
  /// The greatest number of values of the four residues of an entry.
  static constexpr size_t kMaxEntries = 256;

  Number &at(int64_t fromSize, int64_t from, int64_t to, int64_t length) {
    return numbers[((fromSize % modulus * modulus + from % modulus) * modulus +
                    to % modulus) *
                       modulus +
                   length % modulus];
  }
  template <typename Fn>
  void forEach(Fn visit) const;

  int64_t modulus;
  size_t numEntries;
  std::array<Number, kMaxEntries> numbers;
};

} // namespace mlir::ipu::exchange

#endif // IPU_MLIR_LIB_ANALYSIS_EXCHANGE_EXCHANGEWORDS_H
