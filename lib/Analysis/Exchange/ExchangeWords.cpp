//===- ExchangeWords.cpp - Words of the runs of a move ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeWords.h"

#include "ExchangeProduct.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

static constexpr int64_t kWordBytes = 4;

int64_t mlir::ipu::getWordGrain(int64_t bytes) {
  return kWordBytes / std::gcd(bytes, kWordBytes);
}

void MoveTraffic::Part::addWords(const Run &run, int64_t elementBytes,
                                 int64_t times) {
  int64_t begin = run.from * elementBytes;
  int64_t end = (run.from + run.length) * elementBytes;
  if ((run.from - run.to) * elementBytes % kWordBytes != 0)
    packed += run.length * times;
  padding +=
      (llvm::alignTo(end, kWordBytes) - end + begin % kWordBytes) * times;
}

void MoveTraffic::Part::addWordsOfElements(const Run &first, int64_t fromStep,
                                           int64_t toStep, int64_t number,
                                           int64_t elementBytes) {
  // Positions in words repeat after at most kWordBytes elements.
  for (int64_t i = 0; i < std::min(number, kWordBytes); ++i)
    addWords({first.from + i * fromStep, first.to + i * toStep, 1},
             elementBytes, llvm::divideCeil(number - i, kWordBytes));
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void WordCounts::add(int64_t fromSize, int64_t from, int64_t to, int64_t length,
                     int64_t number, int64_t elements) {
  Entry added{static_cast<uint8_t>(fromSize % modulus),
              static_cast<uint8_t>(from % modulus),
              static_cast<uint8_t>(to % modulus),
              static_cast<uint8_t>(length % modulus),
              number,
              elements};
  for (Entry &entry : entries)
    if (entry.fromSize == added.fromSize && entry.from == added.from &&
        entry.to == added.to && entry.length == added.length) {
      entry.number += number;
      entry.elements += elements;
      return;
    }
  entries.push_back(added);
}

void WordCounts::add(const WordCounts &other) {
  modulus = other.modulus;
  for (const Entry &entry : other.entries)
    add(entry.fromSize, entry.from, entry.to, entry.length, entry.number,
        entry.elements);
}

void WordCounts::addRun(int64_t fromSize, int64_t from, int64_t to,
                        int64_t length) {
  add(fromSize, from, to, length, /*number=*/1, /*elements=*/length);
}

void WordCounts::addElements(int64_t fromSize, int64_t from, int64_t to,
                             int64_t number) {
  for (int64_t i = 0; i < std::min(number, modulus); ++i) {
    int64_t equal = llvm::divideCeil(number - i, modulus);
    add(fromSize, from + i, to + i, /*length=*/1, equal, equal);
  }
}

//===----------------------------------------------------------------------===//
// Runs of a region
//===----------------------------------------------------------------------===//

RunsByResidue::RunsByResidue(int64_t modulus)
    : modulus(modulus), numEntries(modulus * modulus * modulus * modulus) {
  std::fill_n(numbers.begin(), numEntries, Number());
}

/// Calls `visit` with the four residues and the number of each entry that has
/// runs.
template <typename Fn>
void RunsByResidue::forEach(Fn visit) const {
  for (size_t i = 0; i < numEntries; ++i)
    if (numbers[i].runs > 0) {
      int64_t rest = i;
      int64_t length = rest % modulus;
      rest /= modulus;
      int64_t to = rest % modulus;
      rest /= modulus;
      visit(/*fromSize=*/rest / modulus, /*from=*/rest % modulus, to, length,
            numbers[i]);
    }
}

void RunsByResidue::addRuns(const WordCounts &runs, int64_t inner) {
  int64_t scale = inner % modulus;
  for (const WordCounts::Entry &entry : runs.getEntries()) {
    Number &number = at(entry.fromSize * scale, entry.from * scale,
                        entry.to * scale, entry.length * scale);
    number.runs += entry.number;
    number.elements += entry.elements * inner;
  }
}

void RunsByResidue::addFull(int64_t size) {
  Number &number = at(size, /*from=*/0, /*to=*/0, size);
  number.runs += 1;
  number.elements += size;
}

void RunsByResidue::repeat(const WordCounts &elements, int64_t toStride) {
  toStride %= modulus;
  if (toStride == 0 && hasAlignedSource()) {
    int64_t times = 0;
    for (const WordCounts::Entry &entry : elements.getEntries())
      times += entry.number;
    return repeat(times);
  }
  RunsByResidue result(modulus);
  forEach([&](int64_t fromSize, int64_t from, int64_t to, int64_t length,
              const Number &number) {
    for (const WordCounts::Entry &entry : elements.getEntries()) {
      Number &repeated =
          result.at(fromSize * entry.fromSize, from + entry.from * fromSize,
                    to + entry.to * toStride, length);
      repeated.runs += number.runs * entry.number;
      repeated.elements += number.elements * entry.number;
    }
  });
  std::copy_n(result.numbers.begin(), numEntries, numbers.begin());
}

void RunsByResidue::repeat(int64_t times) {
  for (size_t i = 0; i < numEntries; ++i) {
    numbers[i].runs *= times;
    numbers[i].elements *= times;
  }
}

bool RunsByResidue::hasAlignedSource() const {
  bool isAligned = true;
  forEach([&](int64_t fromSize, int64_t, int64_t, int64_t, const Number &) {
    isAligned &= fromSize == 0;
  });
  return isAligned;
}

void RunsByResidue::addTo(MoveTraffic::Part &part, int64_t elementBytes) const {
  forEach([&](int64_t, int64_t from, int64_t to, int64_t length,
              const Number &number) {
    MoveTraffic::Part one;
    one.addWords({from, to, length}, elementBytes);
    part.padding += one.padding * number.runs;
    if ((from - to) * elementBytes % kWordBytes != 0)
      part.packed += number.elements;
  });
}

//===----------------------------------------------------------------------===//
// Words of a product
//===----------------------------------------------------------------------===//

void Factor::addWords(int64_t fromPart, int64_t toPart, Range common,
                      Sums &sums) const {
  int64_t fromSize = from.getRegionSize(fromPart);
  int64_t fromAt = common.begin - from.begins[fromPart];
  int64_t toAt = common.begin - to.begins[toPart];
  if (!isFull(fromPart, toPart, common.size()))
    sums.words.addRun(fromSize, fromAt, toAt, common.size());
  sums.elementWords.addElements(fromSize, fromAt, toAt, common.size());
}

LogicalResult Product::addWords(ArrayRef<int64_t> toParts,
                                ArrayRef<const Sums *> sums,
                                MoveTraffic::Part &part) const {
  RunsByResidue runs(wordModulus);
  SmallVector<int64_t, 8> toStrides(factors.size(), 1);
  int64_t toStride = 1;
  for (size_t i = factors.size(); i-- > 0;) {
    toStrides[i] = toStride;
    toStride *= factors[i].to.getRegionSize(toParts[i]);
  }
  // A factor of several dimensions may be inside another factor in the storage
  // of one side. Then only addresses of whole words are known.
  bool mustBeAligned = !outerJoints.empty();
  bool isFull = true;
  for (size_t i = factors.size(); i-- > firstInOrder;) {
    if (mustBeAligned &&
        (!runs.hasAlignedSource() ||
         (toStrides[i] > 1 && toStrides[i] % wordModulus != 0)))
      return failure();
    if (!factors[i].isInnermost)
      runs.repeat(sums[i]->elementWords, toStrides[i]);
    // A run that fills both regions stores equal numbers of elements inside.
    if (isFull)
      runs.addRuns(sums[i]->words, toStrides[i]);
    isFull &= sums[i]->full > 0;
  }
  int64_t inner = firstInOrder == 0 ? toStride : toStrides[firstInOrder - 1];
  if (isFull)
    runs.addFull(inner);
  if (mustBeAligned) {
    if (inner % wordModulus != 0 || !runs.hasAlignedSource())
      return failure();
    for (const Sums *outer : sums.take_front(firstInOrder))
      runs.repeat(outer->elements.get());
  } else {
    for (size_t outer : outerFactors)
      runs.repeat(sums[outer]->elementWords, toStrides[outer]);
  }
  runs.addTo(part, elementBytes);
  return success();
}

void Product::addWordsOfPair(ArrayRef<int64_t> fromParts,
                             ArrayRef<int64_t> toParts,
                             MoveTraffic::Part &part) const {
  SmallVector<Sums, 8> sums;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    Sums &pair = sums.emplace_back(wordModulus);
    int64_t fromPart = fromParts[i], toPart = toParts[i];
    if (!factor.from.several.empty()) {
      const Overlap &overlap = factor.overlaps.at({fromPart, toPart});
      pair.elements = overlap.elements;
      pair.words = overlap.words;
      continue;
    }
    Range common = factor.from.ranges[fromPart] & factor.to.ranges[toPart];
    pair.elements = common.size();
    pair.full = factor.isFull(fromPart, toPart, common.size());
    factor.addWords(fromPart, toPart, common, pair);
  }
  auto pointers =
      llvm::map_to_vector<8>(sums, [](const Sums &s) { return &s; });
  // The words of all runs to the region are a product, so these are one, too.
  LogicalResult result = addWords(toParts, pointers, part);
  assert(succeeded(result) && "addTileRegions() would have failed");
  (void)result;
}
