//===- ProjectionTest.cpp - Dimensions to factors and back
//-----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Projection.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
/// `i=a:(1)2 j=closed`: what is not open, empty and free of overflow.
std::string project(StringRef tensor, StringRef ruleText, MeshSizes mesh) {
  Rule rule = parseRule(ruleText);
  TensorSharding sharding = parseTensor(tensor, mesh);
  TensorProjection projection =
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
  // The factor after the next is absent.
  EXPECT_EQ(project("{a ?}", "([ijk])->([i, j, k]) {4, 2, 2}", {6}),
            "i=a:(1)2 over a:(2)3, j= closed");
}

TEST(ProjectionTest, BackToDimensions) {
  EXPECT_EQ(roundTrip("{a ?}", "([ij])->([i, j]) {2, 4}", {4}), "{a ?}");
  EXPECT_EQ(roundTrip("{a b} {c:(2)2 ?} r={c:(1)2}",
                      "([ij, k])->([i, j, k]) {2, 4, 8}", {2, 4, 4}),
            "{a b} {c:(2)2 ?} r={c:(1)2}");
  // Closed by the factor that was blocked.
  EXPECT_EQ(roundTrip("{a ?}", "([ij])->([i, j]) {4, 2}", {6}), "{a ?}");
}

TEST(ProjectionTest, StridedViewsAreLeftOut) {
  Rule rule = parseRule("([ij])->([i, j]) {2, 4}");
  SmallVector<int64_t> mesh = {2};
  TensorProjection projection = projectTensor(nullptr, rule.operands[0], rule);
  projection.factors[1].axes = parseAxes("a", mesh);
  EXPECT_EQ(
      format(makeTensorSharding(projection, rule.operands[0], rule), mesh),
      "{?}");
}

TEST(ProjectionTest, ExpandNeedsAStrictPrefix) {
  Rule rule = parseRule("([i])->([i]) {8}");
  SmallVector<int64_t> mesh = {4, 2};
  TensorSharding operand = parseTensor("{a:(1)2 ?}", mesh);
  Projection projection = Projection::build({&operand, nullptr}, rule);
  EXPECT_FALSE(projection.expand(0, 0, parseAxes("b", mesh)));
  EXPECT_FALSE(projection.expand(0, 0, parseAxes("a:(1)2", mesh)));
  EXPECT_TRUE(projection.expand(0, 0, parseAxes("a b", mesh)));
  EXPECT_FALSE(projection.expand(0, 1, parseAxes("a b", mesh)));
}
