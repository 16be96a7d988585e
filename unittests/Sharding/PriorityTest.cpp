//===- PriorityTest.cpp - Arithmetic of directions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/Rule.h"

#include <gtest/gtest.h>

using namespace mlir::ipu::sharding;

constexpr Direction kNone = Direction::None, kForward = Direction::Forward,
                    kBackward = Direction::Backward, kBoth = Direction::Both;
constexpr Direction kAll[] = {kNone, kForward, kBackward, kBoth};

TEST(PriorityTest, Unite) {
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

TEST(PriorityTest, Intersect) {
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
