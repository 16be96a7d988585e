//===- ShardingProjectionTest.cpp - Dimensions to factors and back --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ShardingProjection.h"

#include "RandomShardings.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
/// Returns the projection of a tensor in the form `i=a:(1)2 j=closed`. Factors
/// that are open, empty and without overflow are omitted.
std::string project(StringRef tensor, StringRef ruleText, MeshSizes mesh) {
  Rule rule = parseRule(ruleText);
  TensorSharding sharding = parseTensor(tensor, mesh);
  TensorFactorShardings projection =
      projectTensor(&sharding, rule.operands[0], rule);
  std::string text;
  for (const FactorSharding &entry : projection.factors) {
    text += text.empty() ? "" : ", ";
    text += char('i' + entry.factor);
    text += "=" + format(entry.axes, mesh);
    if (!entry.overflow.empty())
      text += " over " + format(entry.overflow, mesh);
    if (entry.isClosed)
      text += " closed";
  }
  return text;
}

std::string roundTrip(StringRef tensor, StringRef ruleText, MeshSizes mesh) {
  Rule rule = parseRule(ruleText);
  TensorSharding sharding = parseTensor(tensor, mesh);
  return format(
      makeTensorSharding(projectTensor(&sharding, rule.operands[0], rule),
                         rule.operands[0], rule),
      mesh);
}
} // namespace

TEST(ProjectionTest, AxesGoToFactorsThatTheyDivide) {
  EXPECT_EQ(project("{a b}", "([ij])->([i, j]) {2, 4}", {2, 4}),
            "i=a closed, j=b closed");
  EXPECT_EQ(project("{a ?}", "([ij])->([i, j]) {2, 4}", {4}),
            "i=a:(1)2, j=a:(2)2");
  EXPECT_EQ(project("{a ?}", "([ij])->([i, j]) {4, 2}", {2}), "i=a, j=");
}

TEST(ProjectionTest, TheMinorMostFactorTakesTheRest) {
  EXPECT_EQ(project("{a ?}", "([i])->([i]) {4}", {3}), "i=a");
  EXPECT_EQ(project("{a:(1)2 a:(2)2 ?}", "([i])->([i]) {4}", {8}), "i=a:(1)4");
}

TEST(ProjectionTest, CoprimeAxesOverflowAndBlockTheNextFactor) {
  EXPECT_EQ(project("{a ?}", "([ij])->([i, j]) {4, 2}", {6}),
            "i=a:(1)2 over a:(2)3, j= closed");
  // The second factor after the overflowing one is absent.
  EXPECT_EQ(project("{a ?}", "([ijk])->([i, j, k]) {4, 2, 2}", {6}),
            "i=a:(1)2 over a:(2)3, j= closed");
}

TEST(ProjectionTest, AxesAndFactorsInAnyNumber) {
  constexpr StringLiteral kThree = "([ijk])->([i, j, k]) {2, 4, 3}";
  EXPECT_EQ(project("{a ?}", kThree, {24}), "i=a:(1)2, j=a:(2)4, k=a:(8)3");
  EXPECT_EQ(project("{a ?}", kThree, {4}), "i=a:(1)2, j=a:(2)2, k=");
  EXPECT_EQ(project("{a ?}", kThree, {2}), "i=a, j=, k=");
  EXPECT_EQ(project("{a b c ?}", kThree, {2, 4, 3}), "i=a, j=b, k=c");
  EXPECT_EQ(project("{a b c ?}", kThree, {4, 2, 3}),
            "i=a:(1)2, j=a:(2)2 b, k=c");
  EXPECT_EQ(project("{a b ?}", "([ij])->([i, j]) {8, 2}", {2, 4}), "i=a b, j=");
  EXPECT_EQ(project("{b} {a ?}", "([i, jk])->([i, j, k]) {2, 4, 2}", {4, 2}),
            "i=b closed, j=a, k=");
}

TEST(ProjectionTest, PartsOfAxes) {
  constexpr StringLiteral kSplit = "([ij])->([i, j]) {2, 4}";
  EXPECT_EQ(project("{a:(2)4 ?}", kSplit, {8}), "i=a:(2)2, j=a:(4)2");
  EXPECT_EQ(project("{a:(1)2 a:(4)2 ?}", kSplit, {8}), "i=a:(1)2, j=a:(4)2");
  EXPECT_EQ(project("{a:(4)2 a:(1)4 ?}", kSplit, {8}), "i=a:(4)2, j=a:(1)4");
}

TEST(ProjectionTest, MoreThanTheDimensionHolds) {
  EXPECT_EQ(project("{a ?}", "([i])->([i]) {4}", {8}), "i=a");
  EXPECT_EQ(project("{a b}", "([i])->([i]) {4}", {3, 8}), "i=a b closed");
  EXPECT_EQ(project("{a b ?}", "([ij])->([i, j]) {2, 2}", {2, 12}), "i=a, j=b");
  EXPECT_EQ(project("{a ?}", "([i])->([i]) {1}", {8}), "i=a");
}

TEST(ProjectionTest, AxesOfOneDevice) {
  EXPECT_EQ(project("{a b ?}", "([ij])->([i, j]) {2, 2}", {1, 2}), "i=a b, j=");
  EXPECT_EQ(project("{b a ?}", "([ij])->([i, j]) {4, 2}", {1, 2}), "i=b a, j=");
  EXPECT_EQ(
      roundTrip("{b a} {c ?}", "([ij, k])->([i, j, k]) {4, 2, 2}", {1, 2, 2}),
      "{b a} {c ?}");
}

TEST(ProjectionTest, WithoutSharding) {
  Rule rule = parseRule("([ij, k])->([i, j, k]) {2, 4, 8}");
  for (bool isClosed : {false, true}) {
    TensorFactorShardings projection =
        projectTensor(nullptr, rule.operands[0], rule, isClosed);
    ASSERT_EQ(projection.factors.size(), 3u);
    for (const FactorSharding &entry : projection.factors) {
      EXPECT_TRUE(entry.axes.empty() && entry.overflow.empty());
      EXPECT_EQ(entry.isClosed, isClosed);
    }
    EXPECT_EQ(
        format(makeTensorSharding(projection, rule.operands[0], rule), {}),
        isClosed ? "{} {}" : "{?} {?}");
  }
}

TEST(ProjectionTest, RankZero) {
  Rule rule = parseRule("([], [i])->([i]) {4}");
  TensorSharding scalar;
  scalar.replicated = {{0, 1, 2}};
  ShardingProjection projection =
      ShardingProjection::build({&scalar, nullptr, nullptr}, rule);
  EXPECT_TRUE(projection.getTensor(0).factors.empty());
  EXPECT_EQ(makeTensorSharding(projection.getTensor(0), rule.operands[0], rule),
            scalar);
}

TEST(ProjectionTest, ReplicatedAndUnreducedAreKept) {
  Rule rule = parseRule("([i])->([i]) {4}");
  SmallVector<int64_t> mesh = {2, 4, 2};
  TensorSharding sharding = parseTensor("{?} r={b:(2)2} u={a c}", mesh);
  TensorFactorShardings projection =
      projectTensor(&sharding, rule.operands[0], rule);
  EXPECT_EQ(format(projection.replicated, mesh), "b:(2)2");
  EXPECT_EQ(format(projection.unreduced, mesh), "a c");
  EXPECT_EQ(makeTensorSharding(projection, rule.operands[0], rule), sharding);
}

TEST(ProjectionTest, WhichFactorIsTheLast) {
  Rule rule = parseRule("([ij, k])->([j, ik]) {2, 4, 8}");
  ShardingProjection projection =
      ShardingProjection::build({nullptr, nullptr}, rule);
  EXPECT_EQ(projection.getNumOperands(), 1u);
  auto isMinorMost = [&](unsigned tensor, unsigned factor) {
    return projection.getTensor(tensor).find(factor)->isMinorMost;
  };
  EXPECT_FALSE(isMinorMost(0, 0));
  EXPECT_TRUE(isMinorMost(0, 1));
  EXPECT_TRUE(isMinorMost(0, 2));
  EXPECT_TRUE(isMinorMost(1, 1));
  EXPECT_FALSE(isMinorMost(1, 0));
  EXPECT_TRUE(isMinorMost(1, 2));
}

TEST(ProjectionTest, WhatOverflows) {
  constexpr StringLiteral kThree = "([ijk])->([i, j, k]) {2, 4, 2}";
  // All further axes are overflow, too.
  EXPECT_EQ(project("{a b c ?}", kThree, {3, 2, 2}),
            "i= over a b c, j= closed");
  EXPECT_EQ(project("{b a c ?}", kThree, {3, 2, 2}),
            "i=b, j= over a c, k= closed");
  EXPECT_EQ(project("{b a}", kThree, {6, 2}),
            "i=b closed, j=a:(1)2 over a:(2)3 closed, k= closed");
  // The last factor gets all remaining axes.
  EXPECT_EQ(project("{b c a ?}", kThree, {3, 2, 4}), "i=b, j=c, k=a");
  // Other dimensions are not affected.
  EXPECT_EQ(project("{a ?} {b ?}", "([ij, k])->([i, j, k]) {2, 2, 2}", {3, 2}),
            "i= over a, j= closed, k=b");
}

TEST(ProjectionTest, BackToDimensions) {
  EXPECT_EQ(roundTrip("{a ?}", "([ij])->([i, j]) {2, 4}", {4}), "{a ?}");
  EXPECT_EQ(roundTrip("{a b} {c:(2)2 ?} r={c:(1)2}",
                      "([ij, k])->([i, j, k]) {2, 4, 8}", {2, 4, 4}),
            "{a b} {c:(2)2 ?} r={c:(1)2}");
  // Overflow does not close the dimension.
  EXPECT_EQ(roundTrip("{a ?}", "([ij])->([i, j]) {4, 2}", {6}), "{a ?}");
  EXPECT_EQ(
      roundTrip("{a b} {?}", "([ijk, l])->([i, j, k, l]) {4, 2, 2, 2}", {6, 2}),
      "{a b} {?}");
}

/// Returns the sharding by dimension for `axes` of the factors i, j, ...
static std::string combine(ArrayRef<StringRef> axes, StringRef ruleText,
                           MeshSizes mesh) {
  Rule rule = parseRule(ruleText);
  TensorFactorShardings projection =
      projectTensor(nullptr, rule.operands[0], rule);
  for (auto [i, factorAxes] : llvm::enumerate(axes)) {
    StringRef text = factorAxes;
    FactorSharding &entry = *projection.find(i);
    entry.isClosed = text.consume_back("!");
    entry.axes = parseAxes(text, mesh);
  }
  return format(makeTensorSharding(projection, rule.operands[0], rule), mesh);
}

TEST(ProjectionTest, PartsMergeOnlyBetweenFactors) {
  constexpr StringLiteral kSplit = "([ij])->([i, j]) {4, 8}";
  EXPECT_EQ(combine({"a:(1)4", "a:(4)2"}, kSplit, {8}), "{a ?}");
  EXPECT_EQ(combine({"a:(1)4", "a:(4)2 b"}, kSplit, {16, 2}), "{a:(1)8 b ?}");
  EXPECT_EQ(combine({"a:(1)2 a:(2)2", ""}, kSplit, {8}), "{a:(1)2 a:(2)2 ?}");
  EXPECT_EQ(combine({"a:(4)4", "a:(1)4"}, kSplit, {16}), "{a:(4)4 a:(1)4 ?}");
}

TEST(ProjectionTest, ClosedIfAWrittenFactorIs) {
  constexpr StringLiteral kSplit = "([ij])->([i, j]) {2, 8}";
  EXPECT_EQ(combine({"a", "!"}, kSplit, {2}), "{a}");
  EXPECT_EQ(combine({"a!", "b"}, kSplit, {2, 2}), "{a b}");
  // The second factor is not considered.
  EXPECT_EQ(combine({"", "b!"}, kSplit, {2, 2}), "{?}");
}

TEST(ProjectionTest, StridedViewsAreLeftOut) {
  Rule rule = parseRule("([ij])->([i, j]) {2, 4}");
  SmallVector<int64_t> mesh = {2};
  TensorFactorShardings projection =
      projectTensor(nullptr, rule.operands[0], rule);
  projection.factors[1].axes = parseAxes("a", mesh);
  EXPECT_EQ(
      format(makeTensorSharding(projection, rule.operands[0], rule), mesh),
      "{?}");
}

TEST(ProjectionTest, ExpandChangesOneFactorOfOneTensor) {
  Rule rule = parseRule("([i, j])->([i, j]) {8, 8}");
  SmallVector<int64_t> mesh = {4, 2};
  TensorSharding sharding = parseTensor("{a:(1)2 ?} {?}", mesh);
  ShardingProjection projection =
      ShardingProjection::build({&sharding, &sharding}, rule);
  ShardingProjection before = projection;
  EXPECT_TRUE(projection == before);
  EXPECT_TRUE(projection.expandSharding(1, 0, parseAxes("a", mesh)));
  EXPECT_FALSE(projection == before);
  EXPECT_TRUE(projection.getTensor(0) == before.getTensor(0));
  EXPECT_EQ(
      format(makeTensorSharding(projection.getTensor(1), rule.results[0], rule),
             mesh),
      "{a ?} {?}");
}

TEST(ProjectionTest, ExpandNeedsAStrictPrefix) {
  Rule rule = parseRule("([i])->([i]) {8}");
  SmallVector<int64_t> mesh = {4, 2};
  TensorSharding operand = parseTensor("{a:(1)2 ?}", mesh);
  ShardingProjection projection =
      ShardingProjection::build({&operand, nullptr}, rule);
  EXPECT_FALSE(projection.expandSharding(0, 0, parseAxes("b", mesh)));
  EXPECT_FALSE(projection.expandSharding(0, 0, parseAxes("a:(1)2", mesh)));
  EXPECT_TRUE(projection.expandSharding(0, 0, parseAxes("a b", mesh)));
  EXPECT_FALSE(projection.expandSharding(0, 1, parseAxes("a b", mesh)));
}

TEST(ProjectionTest, BackIsTheInverse) {
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    SmallVector<int64_t> mesh = makeMesh(random);
    Rule rule = makeRule(random);
    const TensorMapping &mapping = rule.operands[0];
    TensorSharding sharding = makeSharding(random, mapping.size(), mesh, 80);
    ASSERT_EQ(format(makeTensorSharding(projectTensor(&sharding, mapping, rule),
                                        mapping, rule),
                     mesh),
              format(sharding, mesh))
        << format(rule);
  }
}

//===----------------------------------------------------------------------===//
// Elements of devices
//===----------------------------------------------------------------------===//

/// Returns the position of `device` along `axes`, from major to minor.
static int64_t getIndex(ArrayRef<AxisRef> axes, int64_t device,
                        MeshSizes mesh) {
  int64_t index = 0;
  for (const AxisRef &ref : axes) {
    int64_t position = device;
    for (size_t axis = mesh.size() - 1; axis > ref.axis; --axis)
      position /= mesh[axis];
    position %= mesh[ref.axis];
    index = index * ref.size +
            position / (mesh[ref.axis] / ref.getNextPreSize()) % ref.size;
  }
  return index;
}

/// Returns whether `element` of `size` elements is in the block that the device
/// holds.
static bool isHeld(int64_t element, int64_t size, ArrayRef<AxisRef> axes,
                   int64_t device, MeshSizes mesh) {
  int64_t block = size / getProduct(axes);
  return element / block == getIndex(axes, device, mesh);
}

/// Returns the elements that `device` holds along dimension `dim`, if it holds
/// a block of each factor.
static std::set<int64_t> getHeld(const TensorFactorShardings &projection,
                                 const DimMapping &dim, const Rule &rule,
                                 int64_t size, int64_t device, MeshSizes mesh) {
  std::set<int64_t> held;
  for (int64_t element = 0; element < size; ++element) {
    bool isIn = true;
    int64_t stride = size;
    for (unsigned factor : dim) {
      int64_t factorSize = rule.factors[factor].size;
      stride /= factorSize;
      isIn &= isHeld(element / stride % factorSize, factorSize,
                     projection.find(factor)->axes, device, mesh);
    }
    if (isIn)
      held.insert(element);
  }
  return held;
}

static bool divides(const TensorFactorShardings &projection, const Rule &rule) {
  return llvm::all_of(projection.factors, [&](const FactorSharding &entry) {
    return entry.overflow.empty() &&
           rule.factors[entry.factor].size % getProduct(entry.axes) == 0;
  });
}

/// If all sizes divide, the blocks of factors that a device holds together are
/// the block of the dimension that it holds.
TEST(ProjectionTest, DevicesHoldTheSameByFactors) {
  int numChecked = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    SmallVector<int64_t> mesh = makeMesh(random);
    int64_t numDevices = 1;
    for (int64_t size : mesh)
      numDevices *= size;
    Rule rule = makeRule(random);
    const TensorMapping &mapping = rule.operands[0];
    TensorSharding sharding = makeSharding(random, mapping.size(), mesh, 80);
    TensorFactorShardings projection = projectTensor(&sharding, mapping, rule);
    if (!divides(projection, rule) || numDevices > 64)
      continue;
    for (auto [dim, factors] : llvm::enumerate(mapping)) {
      int64_t size = 1;
      for (unsigned factor : factors)
        size *= rule.factors[factor].size;
      if (size > 256 || sharding.dims[dim].axes.empty())
        continue;
      ++numChecked;
      for (int64_t device = 0; device < numDevices; ++device) {
        std::set<int64_t> expected;
        for (int64_t element = 0; element < size; ++element)
          if (isHeld(element, size, sharding.dims[dim].axes, device, mesh))
            expected.insert(element);
        ASSERT_EQ(getHeld(projection, factors, rule, size, device, mesh),
                  expected)
            << format(rule) << " " << format(sharding, mesh);
      }
    }
  }
  EXPECT_GT(numChecked, 500);
}
