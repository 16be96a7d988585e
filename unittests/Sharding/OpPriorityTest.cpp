//===- OpPriorityTest.cpp - Arithmetic of directions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/OpPriority.h"

#include <gtest/gtest.h>
#include <string>

using namespace mlir::ipu::sharding;

constexpr Direction kNone = Direction::None, kForward = Direction::Forward,
                    kBackward = Direction::Backward, kBoth = Direction::Both;
constexpr Direction kAll[] = {kNone, kForward, kBackward, kBoth};

TEST(OpPriorityTest, Unite) {
  constexpr Direction expected[4][4] = {
      {kNone, kForward, kBackward, kBoth},
      {kForward, kForward, kBoth, kBoth},
      {kBackward, kBoth, kBackward, kBoth},
      {kBoth, kBoth, kBoth, kBoth},
  };
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      EXPECT_EQ(unite(kAll[a], kAll[b]), expected[a][b]) << a << " " << b;
}

TEST(OpPriorityTest, Intersect) {
  constexpr Direction expected[4][4] = {
      {kNone, kNone, kNone, kNone},
      {kNone, kForward, kNone, kForward},
      {kNone, kNone, kBackward, kBackward},
      {kNone, kForward, kBackward, kBoth},
  };
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      EXPECT_EQ(intersect(kAll[a], kAll[b]), expected[a][b]) << a << " " << b;
}

/// Returns the directions of op priorities 0 to 4, with one letter for each.
static std::string getDirections(OpClass opClass, FactorType type,
                                 bool hasSingleUses) {
  std::string text;
  for (unsigned opPriority = 0; opPriority <= kLastOpPriority; ++opPriority)
    switch (getOpPriorityDirection(opClass, type, hasSingleUses, opPriority)) {
    case kNone:
      text += '-';
      break;
    case kForward:
      text += 'F';
      break;
    case kBackward:
      text += 'B';
      break;
    case kBoth:
      text += '*';
      break;
    }
  return text;
}

TEST(OpPriorityTest, Directions) {
  constexpr FactorType pass = FactorType::PassThrough,
                       reduction = FactorType::Reduction;
  for (OpClass opClass : {OpClass::Elementwise, OpClass::PassThrough})
    for (FactorType type : {pass, reduction}) {
      EXPECT_EQ(getDirections(opClass, type, true), "*****");
      EXPECT_EQ(getDirections(opClass, type, false), "-****");
    }
  EXPECT_EQ(getDirections(OpClass::Slice, pass, true), "FF***");
  EXPECT_EQ(getDirections(OpClass::Slice, pass, false), "-F***");
  EXPECT_EQ(getDirections(OpClass::Slice, FactorType::NeedReplication, true),
            "FFF**");
  EXPECT_EQ(getDirections(OpClass::Broadcast, pass, true), "--BB*");
  EXPECT_EQ(getDirections(OpClass::Broadcast, reduction, true), "---B*");
  EXPECT_EQ(getDirections(OpClass::Other, pass, true), "--***");
  for (FactorType type :
       {reduction, FactorType::NeedReplication, FactorType::Permutation})
    EXPECT_EQ(getDirections(OpClass::Other, type, true), "---**");
}

// A direction that is active in one op priority is active in all later ones.
TEST(OpPriorityTest, LaterOnesHaveMore) {
  for (OpClass opClass : {OpClass::Elementwise, OpClass::PassThrough,
                          OpClass::Slice, OpClass::Broadcast, OpClass::Other})
    for (FactorType type :
         {FactorType::PassThrough, FactorType::Reduction,
          FactorType::NeedReplication, FactorType::Permutation})
      for (bool hasSingleUses : {false, true})
        for (unsigned opPriority = 1; opPriority <= kLastOpPriority;
             ++opPriority) {
          Direction before = getOpPriorityDirection(
              opClass, type, hasSingleUses, opPriority - 1);
          EXPECT_EQ(intersect(before, getOpPriorityDirection(opClass, type,
                                                             hasSingleUses,
                                                             opPriority)),
                    before);
        }
}
