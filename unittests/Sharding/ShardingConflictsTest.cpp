//===- ShardingConflictsTest.cpp - Tests of conflicts between tensors -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ShardingConflicts.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

static StringRef getName(Obstacle obstacle) {
  switch (obstacle) {
  case Obstacle::OtherFactor:
    return "other-factor";
  case Obstacle::Replicated:
    return "replicated";
  case Obstacle::Unreduced:
    return "unreduced";
  case Obstacle::Closed:
    return "closed";
  case Obstacle::Overflow:
    return "overflow";
  case Obstacle::Indivisible:
    return "indivisible";
  case Obstacle::OtherTensor:
    return "other-tensor";
  case Obstacle::Blocked:
    return "blocked";
  case Obstacle::View:
    return "view";
  }
  return "";
}

/// Returns the conflicts, with one line for each, in the form `i {choice}
/// {candidate}T1 T2 {..}T3, T0: obstacle axis`.
static std::string find(StringRef ruleText, ArrayRef<int64_t> mesh,
                        ArrayRef<StringRef> tensors, bool blocked = false) {
  Rule rule = parseRule(ruleText);
  rule.factors[0].blocked = blocked;
  std::vector<TensorSharding> shardings;
  for (StringRef text : tensors)
    shardings.push_back(parseTensor(text, mesh));
  SmallVector<const TensorSharding *> pointers;
  for (const TensorSharding &sharding : shardings)
    pointers.push_back(&sharding);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Conflict &conflict :
       findConflicts(ShardingProjection::build(pointers, rule), rule)) {
    os << (text.empty() ? "" : "\n") << char('i' + conflict.factor) << " {"
       << format(conflict.choice, mesh) << "}";
    for (const Conflict::Candidate &candidate : conflict.candidates) {
      os << " {" << format(candidate.axes, mesh) << "}";
      for (unsigned tensor : candidate.tensors)
        os << "T" << tensor;
    }
    for (const Refusal &refusal : conflict.refusals) {
      os << ", T" << refusal.tensor << ": " << getName(refusal.obstacle) << " "
         << format({refusal.axis}, mesh);
      if (refusal.obstacle == Obstacle::OtherFactor ||
          refusal.obstacle == Obstacle::OtherTensor)
        os << " " << char('i' + refusal.otherFactor) << " T"
           << refusal.otherTensor;
    }
  }
  return text;
}

constexpr StringLiteral kUnary = "([i])->([i]) {8}";
constexpr StringLiteral kDot = "([i, k], [k, j])->([i, j]) {8, 8, 8}";

TEST(Conflicts, NoneWhereAllAgree) {
  EXPECT_EQ(find(kUnary, {2}, {"{a}", "{a ?}"}), "");
  EXPECT_EQ(find(kDot, {2, 2}, {"{a} {b}", "{b} {}", "{a} {}"}), "");
}

TEST(Conflicts, DifferentAxes) {
  EXPECT_EQ(find(kUnary, {2, 2, 2}, {"{a b}", "{a c}"}),
            "i {a} {a b}T0 {a c}T1");
  EXPECT_EQ(find(kUnary, {4, 2}, {"{a:(1)2 b}", "{a}"}),
            "i {a:(1)2} {a:(1)2 b}T0 {a}T1");
}

TEST(Conflicts, OneAxisForTwoFactors) {
  EXPECT_EQ(find(kDot, {2}, {"{a} {?}", "{?} {a}", "{a} {?}"}),
            "j {} {a}T1, T2: other-factor a i T2");
  // The result has neither axis.
  EXPECT_EQ(find(kDot, {2}, {"{a} {?}", "{?} {a}", "{?} {?}"}),
            "i {} {a}T0, T2: other-tensor a j T1\n"
            "j {} {a}T1, T2: other-tensor a i T0");
}

TEST(Conflicts, RefusalsWithinATensor) {
  EXPECT_EQ(find(kUnary, {2}, {"{a}", "{}"}), "i {} {a}T0, T1: closed a");
  EXPECT_EQ(find(kUnary, {2}, {"{a}", "{?} r={a}"}),
            "i {} {a}T0, T1: replicated a");
  EXPECT_EQ(find(kUnary, {2}, {"{a}", "{?} u={a}"}),
            "i {} {a}T0, T1: unreduced a");
  EXPECT_EQ(find(kUnary, {2}, {"{a}", "{?}"}, /*blocked=*/true),
            "i {} {a}T0, T1: blocked a");
  EXPECT_EQ(find("([ij])->([i, j]) {4, 3}", {3}, {"{?}", "{a} {?}"}),
            "i {} {a}T1, T0: indivisible a");
  // A part of a with two devices divides the factor of size 4. The other part,
  // of size 3, blocks the dimension.
  EXPECT_EQ(
      find("([ij])->([i, j]) {4, 2}", {6, 2}, {"{a ?}", "{a:(1)2 b} {?}"}),
      "i {a:(1)2} {a:(1)2 a:(2)3}T0 {a:(1)2 b}T1, T0: overflow a:(2)3");
  EXPECT_EQ(find("([ij])->([i, j]) {4, 2}", {2, 2}, {"{?}", "{?} {b ?}"}),
            "j {} {b}T1, T0: view b");
}
