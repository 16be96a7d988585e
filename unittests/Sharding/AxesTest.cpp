//===- AxesTest.cpp - Arithmetic of sub-axes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Axes.h"

#include "RandomShardings.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace mlir::ipu::sharding;

/// Returns all sub-axes of an axis of `size` devices, and the axis itself.
static AxisList getAllRefs(int64_t size) {
  AxisList refs;
  for (int64_t pre = 1; pre <= size; ++pre)
    for (int64_t length = 2; pre * length <= size; ++length)
      if (size % (pre * length) == 0)
        refs.push_back({0, pre, length});
  return refs;
}

/// Returns the digit of a sub-axis for the position of each device.
static std::vector<int64_t> getDigits(const AxisRef &ref, int64_t size) {
  std::vector<int64_t> digits;
  digits.reserve(size);
  for (int64_t device = 0; device < size; ++device)
    digits.push_back(device / (size / ref.getNextPreSize()) % ref.size);
  return digits;
}

/// Returns the digits of a list as one number for each device.
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

/// Two sub-axes can coexist if and only if a factorisation has both as unions
/// of adjacent factors, that is, if their borders form a chain of divisors.
TEST(AxesTest, CoexistenceIsAChainOfDivisors) {
  for (int64_t size : {6, 8, 12, 24, 36, 60})
    for (const AxisRef &a : getAllRefs(size))
      for (const AxisRef &b : getAllRefs(size)) {
        std::set<int64_t> borders = {
            1,         a.preSize,          a.getNextPreSize(),
            b.preSize, b.getNextPreSize(), size};
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
        // Disjoint sub-axes are independent, so that all pairs of digits occur.
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

/// Returns the results of a function of two sub-axes as text. A sub-axis is
/// written as `(1)2`, and no result as `-`.
template <typename Fn>
static std::string apply(Fn fn, StringRef a, StringRef b) {
  SmallVector<int64_t> mesh = {72};
  std::optional<AxisRef> ref =
      fn(parseAxis(("a:" + a).str(), mesh), parseAxis(("a:" + b).str(), mesh));
  return ref ? format(*ref, mesh) : "-";
}

TEST(AxesTest, Contains) {
  AxisRef full{0, 1, 24}, whole{1, 1, 24};
  for (const AxisRef &a : getAllRefs(24)) {
    EXPECT_TRUE(contains(full, a));
    EXPECT_TRUE(contains(a, a));
    EXPECT_EQ(contains(a, full), a == full);
    EXPECT_FALSE(contains(whole, a));
    EXPECT_TRUE(overlaps(full, a));
    EXPECT_FALSE(overlaps(whole, a));
  }
  EXPECT_TRUE(contains({0, 1, 8}, {0, 2, 2}));
  EXPECT_FALSE(contains({0, 2, 2}, {0, 1, 8}));
  EXPECT_FALSE(contains({0, 1, 4}, {0, 2, 4}));
  EXPECT_FALSE(contains({0, 1, 2}, {0, 2, 2}));
}

TEST(AxesTest, PrefixesAndSuffixes) {
  EXPECT_TRUE(isPrefixOf({0, 2, 2}, {0, 2, 4}));
  EXPECT_TRUE(isPrefixOf({0, 2, 2}, {0, 2, 2}));
  EXPECT_FALSE(isPrefixOf({0, 2, 4}, {0, 2, 2}));
  EXPECT_FALSE(isPrefixOf({0, 4, 2}, {0, 2, 4}));
  EXPECT_FALSE(isPrefixOf({1, 2, 2}, {0, 2, 4}));
  EXPECT_TRUE(isSuffixOf({0, 4, 2}, {0, 2, 4}));
  EXPECT_TRUE(isSuffixOf({0, 4, 2}, {0, 4, 2}));
  EXPECT_FALSE(isSuffixOf({0, 2, 2}, {0, 2, 4}));
  EXPECT_FALSE(isSuffixOf({0, 1, 8}, {0, 2, 4}));
  EXPECT_FALSE(isSuffixOf({1, 4, 2}, {0, 2, 4}));
}

TEST(AxesTest, PrefixesWithoutOverlap) {
  auto cut = [](StringRef a, StringRef b) {
    return apply([](const AxisRef &a,
                    const AxisRef &b) { return getPrefixWithoutOverlap(a, b); },
                 a, b);
  };
  EXPECT_EQ(cut("(1)8", "(2)2"), "a:(1)2");
  EXPECT_EQ(cut("(1)8", "(2)36"), "a:(1)2");
  EXPECT_EQ(cut("(1)4", "(4)2"), "a:(1)4");
  EXPECT_EQ(cut("(4)2", "(1)4"), "a:(4)2");
  EXPECT_EQ(cut("(2)4", "(1)4"), "-");
  EXPECT_EQ(cut("(2)2", "(2)2"), "-");
  EXPECT_EQ(cut("(2)4", "(2)2"), "-");
  EXPECT_EQ(cut("(2)2", "(1)8"), "-");
  EXPECT_EQ(cut("(1)2", "(1)3"), "-");
  EXPECT_EQ(cut("(1)8", "(3)2"), "-");
}

TEST(AxesTest, SuffixesWithoutOverlap) {
  auto cut = [](StringRef a, StringRef b) {
    return apply([](const AxisRef &a,
                    const AxisRef &b) { return getSuffixWithoutOverlap(a, b); },
                 a, b);
  };
  EXPECT_EQ(cut("(1)8", "(2)2"), "a:(4)2");
  EXPECT_EQ(cut("(2)4", "(1)4"), "a:(4)2");
  EXPECT_EQ(cut("(4)2", "(1)4"), "a:(4)2");
  EXPECT_EQ(cut("(1)4", "(4)2"), "a:(1)4");
  EXPECT_EQ(cut("(1)4", "(2)4"), "-");
  EXPECT_EQ(cut("(2)2", "(2)2"), "-");
  EXPECT_EQ(cut("(1)2", "(1)3"), "-");
}

TEST(AxesTest, Overlaps) {
  auto meet = [](StringRef a, StringRef b) {
    EXPECT_EQ(apply(getOverlap, a, b), apply(getOverlap, b, a));
    return apply(getOverlap, a, b);
  };
  EXPECT_EQ(meet("(1)4", "(2)4"), "a:(2)2");
  EXPECT_EQ(meet("(1)8", "(2)2"), "a:(2)2");
  EXPECT_EQ(meet("(1)8", "(1)8"), "a:(1)8");
  EXPECT_EQ(meet("(1)4", "(4)2"), "-");
  EXPECT_EQ(meet("(1)2", "(1)3"), "-");
  EXPECT_EQ(meet("(1)4", "(1)6"), "-");
}

/// Searches for the largest prefix (suffix) of `a` that does not overlap `b`.
TEST(AxesTest, WithoutOverlapIsTheLargestPart) {
  auto isLarger = [](const AxisRef &a, const std::optional<AxisRef> &b) {
    return !b || a.size > b->size;
  };
  for (int64_t size : {8, 12, 24, 36})
    for (const AxisRef &a : getAllRefs(size))
      for (const AxisRef &b : getAllRefs(size)) {
        std::optional<AxisRef> prefix, suffix, overlap;
        for (const AxisRef &part : getAllRefs(size)) {
          if (!contains(a, part) || !canCoexist(a, b))
            continue;
          bool isDisjoint = canCoexist(part, b) && !overlaps(part, b);
          if (part.preSize == a.preSize && isDisjoint && isLarger(part, prefix))
            prefix = part;
          if (part.getNextPreSize() == a.getNextPreSize() && isDisjoint &&
              isLarger(part, suffix))
            suffix = part;
          if (contains(b, part) && isLarger(part, overlap))
            overlap = part;
        }
        EXPECT_EQ(getPrefixWithoutOverlap(a, b), prefix);
        EXPECT_EQ(getSuffixWithoutOverlap(a, b), suffix);
        EXPECT_EQ(getOverlap(a, b), overlap);
      }
}

/// The digits of a difference and of the removed parts together are the digits
/// of the list.
TEST(AxesTest, DifferencesOfLists) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    SmallVector<int64_t> mesh = {random.pick<int64_t>({8, 12, 24, 36})};
    // Both lists contain some parts of one factorisation.
    AxisList pieces;
    for (int64_t pre = 1; pre < mesh[0]; pre = pieces.back().getNextPreSize()) {
      int64_t size = mesh[0] / pre;
      for (int64_t d = 2; d < size; ++d)
        if (size % d == 0 && random.chance(60))
          size = d;
      pieces.push_back({0, pre, size});
    }
    AxisList a, b, expected;
    for (const AxisRef &piece : pieces) {
      bool inA = random.chance(70), inB = random.chance(40);
      if (inA)
        appendMerged(a, piece);
      if (inB)
        appendMerged(b, piece);
      if (inA && !inB)
        appendMerged(expected, piece);
    }
    AxisList merged;
    for (const AxisRef &piece : getDifference(a, b))
      appendMerged(merged, piece);
    EXPECT_EQ(merged, expected) << format(a, mesh) << " - " << format(b, mesh);
  }
}

TEST(AxesTest, NeighboursMerge) {
  for (const AxisRef &a : getAllRefs(24))
    for (const AxisRef &b : getAllRefs(24)) {
      EXPECT_EQ(canMerge(a, b), a.getNextPreSize() == b.preSize);
      AxisList list;
      appendMerged(list, a);
      appendMerged(list, b);
      EXPECT_EQ(list.size(), canMerge(a, b) ? 1u : 2u);
      if (canCoexist(a, b)) {
        EXPECT_EQ(getDigits(list, 24), getDigits({a, b}, 24));
      }
    }
  EXPECT_FALSE(canMerge({0, 1, 2}, {1, 2, 2}));
  SmallVector<int64_t> mesh = {8};
  AxisList list = parseAxes("a:(1)2", mesh);
  appendMerged(list, {0, 2, 4});
  EXPECT_TRUE(isFull(list[0], mesh));
}

TEST(AxesTest, OrderOfAMesh) {
  SmallVector<int64_t> mesh = {8, 4};
  AxisList list = parseAxes("b a:(2)2 b:(1)2 a a:(4)2 a:(1)4 b:(2)2 a:(1)2 "
                            "a:(2)4",
                            mesh);
  llvm::sort(list, isBefore);
  EXPECT_EQ(format(list, mesh),
            "a:(1)2 a:(1)4 a a:(2)2 a:(2)4 a:(4)2 b:(1)2 b b:(2)2");
}

TEST(AxesTest, CommonPrefixes) {
  AxisRef half{0, 1, 2}, quarter{0, 1, 4}, minor{0, 2, 2};
  EXPECT_EQ(getCommonPrefix(half, quarter), half);
  EXPECT_EQ(getCommonPrefix(quarter, half), half);
  EXPECT_EQ(getCommonPrefix(half, half), half);
  EXPECT_EQ(getCommonPrefix(half, minor), std::nullopt);
  EXPECT_EQ(getCommonPrefix(quarter, minor), std::nullopt);
}

TEST(AxesTest, PrefixStatusOfLists) {
  SmallVector<int64_t> mesh = {8, 4, 2};
  auto status = [&](StringRef a, StringRef b) {
    return getPrefixStatus(parseAxes(a, mesh), parseAxes(b, mesh));
  };
  EXPECT_EQ(status("a b", "a b"), PrefixStatus::Equal);
  EXPECT_EQ(status("", "a"), PrefixStatus::StrictPrefix);
  EXPECT_EQ(status("a", ""), PrefixStatus::NotPrefix);
  EXPECT_EQ(status("a", "a b"), PrefixStatus::StrictPrefix);
  EXPECT_EQ(status("a b", "a"), PrefixStatus::NotPrefix);
  EXPECT_EQ(status("a:(1)2", "a"), PrefixStatus::StrictPrefix);
  EXPECT_EQ(status("a", "a:(1)2"), PrefixStatus::NotPrefix);
  EXPECT_EQ(status("a:(1)2", "a b"), PrefixStatus::StrictPrefix);
  EXPECT_EQ(status("a:(2)2", "a b"), PrefixStatus::NotPrefix);
  EXPECT_EQ(status("b a:(2)2", "b a:(2)4 c"), PrefixStatus::StrictPrefix);
  EXPECT_EQ(status("b:(1)2 a", "b a"), PrefixStatus::NotPrefix);
  EXPECT_EQ(status("c b", "b c"), PrefixStatus::NotPrefix);
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
  EXPECT_EQ(getDifference(parse("a"), parse("a:(4)2 a:(1)2")), parse("a:(2)2"));
  EXPECT_EQ(getDifference({{0, 1, 2}, {1, 1, 4}}, {{0, 1, 3}, {1, 1, 4}}),
            (AxisList{{0, 1, 2}}));
  EXPECT_EQ(getPrefixStatus(parse("b a:(1)4"), parse("b a c")),
            PrefixStatus::StrictPrefix);
  EXPECT_EQ(getPrefixStatus(parse("a:(1)4 c"), parse("a c")),
            PrefixStatus::NotPrefix);
  EXPECT_EQ(getPrefixStatus(parse(""), parse("")), PrefixStatus::Equal);
  EXPECT_EQ(getProduct(parse("a:(2)2 b")), 8);
  EXPECT_EQ(getPrefixWithoutOverlap(parse("a")[0], parse("b a:(4)2 a:(2)2")),
            parse("a:(1)2")[0]);
}
