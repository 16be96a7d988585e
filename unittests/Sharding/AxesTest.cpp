//===- AxesTest.cpp - Arithmetic of sub-axes
//-------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Axes.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace mlir::ipu::sharding;

/// All sub-axes of an axis of `size` devices, and the axis.
static AxisList getAllRefs(int64_t size) {
  AxisList refs;
  for (int64_t pre = 1; pre <= size; ++pre)
    for (int64_t length = 2; pre * length <= size; ++length)
      if (size % (pre * length) == 0)
        refs.push_back({0, pre, length});
  return refs;
}

/// How a sub-axis groups devices: its digit of each device's position.
static std::vector<int64_t> getDigits(const AxisRef &ref, int64_t size) {
  std::vector<int64_t> digits;
  for (int64_t device = 0; device < size; ++device)
    digits.push_back(device / (size / ref.getNext()) % ref.size);
  return digits;
}

/// The digits of a list as one number.
static std::vector<int64_t> getDigits(ArrayRef<AxisRef> list, int64_t size) {
  std::vector<int64_t> digits(size, 0);
  for (const AxisRef &ref : list)
    for (auto [all, digit] : llvm::zip_equal(digits, getDigits(ref, size)))
      all = all * ref.size + digit;
  return digits;
}

TEST(AxesTest, PrefixAndSuffixMakeUpTheAxis) {
  for (int64_t size : {2, 4, 6, 8, 12, 24, 36})
    for (const AxisRef &a : getAllRefs(size))
      for (const AxisRef &b : getAllRefs(size)) {
        if (!contains(a, b))
          continue;
        AxisList parts;
        if (auto prefix = getPrefixWithoutOverlap(a, b)) {
          EXPECT_TRUE(isPrefixOf(*prefix, a));
          parts.push_back(*prefix);
        }
        parts.push_back(b);
        if (auto suffix = getSuffixWithoutOverlap(a, b)) {
          EXPECT_TRUE(isSuffixOf(*suffix, a));
          parts.push_back(*suffix);
        }
        if (!canCoexist(a, b))
          continue;
        EXPECT_EQ(getDigits(parts, size), getDigits({a}, size));
        AxisList merged;
        for (const AxisRef &part : parts)
          appendMerged(merged, part);
        EXPECT_EQ(merged, AxisList{a});
      }
}

/// Two sub-axes coexist iff some factorisation has both as unions of adjacent
/// factors, that is if their borders form a chain of divisors.
TEST(AxesTest, CoexistenceIsAChainOfDivisors) {
  for (int64_t size : {6, 8, 12, 24, 36, 60})
    for (const AxisRef &a : getAllRefs(size))
      for (const AxisRef &b : getAllRefs(size)) {
        std::set<int64_t> borders = {1,     a.pre,       a.getNext(),
                                     b.pre, b.getNext(), size};
        bool isChain = true;
        for (auto it = borders.begin(); std::next(it) != borders.end(); ++it)
          isChain &= *std::next(it) % *it == 0;
        EXPECT_EQ(canCoexist(a, b), isChain);
        EXPECT_EQ(canCoexist(a, b), canCoexist(b, a));
        EXPECT_EQ(overlaps(a, b), overlaps(b, a));
        if (!isChain) {
          EXPECT_FALSE(getPrefixWithoutOverlap(a, b));
          continue;
        }
        // Disjoint sub-axes are independent: all pairs of digits occur.
        std::set<std::pair<int64_t, int64_t>> pairs;
        for (auto [x, y] :
             llvm::zip_equal(getDigits(a, size), getDigits(b, size)))
          pairs.insert({x, y});
        EXPECT_EQ(!overlaps(a, b), int64_t(pairs.size()) == a.size * b.size);
        if (auto overlap = getOverlap(a, b)) {
          EXPECT_TRUE(contains(a, *overlap));
          EXPECT_TRUE(contains(b, *overlap));
        }
      }
}

TEST(AxesTest, SubAxesThatCannotCoexist) {
  EXPECT_FALSE(canCoexist({0, 1, 2}, {0, 1, 3}));
  EXPECT_TRUE(canCoexist({0, 1, 2}, {0, 2, 3}));
  EXPECT_TRUE(canCoexist({0, 1, 2}, {1, 1, 3}));
}

TEST(AxesTest, AnAxisOfOneDeviceOverlapsItself) {
  AxisRef one{0, 1, 1};
  EXPECT_TRUE(overlaps(one, one));
  EXPECT_FALSE(canMerge(one, one));
  EXPECT_FALSE(getPrefixWithoutOverlap(one, one));
}

TEST(AxesTest, Lists) {
  SmallVector<int64_t> mesh = {8, 4, 2};
  auto parse = [&](StringRef text) { return parseAxes(text, mesh); };
  EXPECT_EQ(getCommonPrefix(parse("b a:(1)4"), parse("b a:(1)2 c")),
            parse("b a:(1)2"));
  EXPECT_EQ(getCommonPrefix(parse("b a"), parse("c a")), parse(""));
  EXPECT_EQ(getDifference(parse("a b"), parse("a:(2)2 c")),
            parse("a:(1)2 a:(4)2 b"));
  EXPECT_EQ(getPrefixStatus(parse("b a:(1)4"), parse("b a c")),
            PrefixStatus::StrictPrefix);
  EXPECT_EQ(getPrefixStatus(parse("a:(1)4 c"), parse("a c")),
            PrefixStatus::NotPrefix);
  EXPECT_EQ(getPrefixStatus(parse(""), parse("")), PrefixStatus::Equal);
  EXPECT_EQ(getProduct(parse("a:(2)2 b")), 8);
  EXPECT_EQ(getPrefixWithoutOverlap(parse("a")[0], parse("b a:(4)2 a:(2)2")),
            parse("a:(1)2")[0]);
}
