//===- FusionCostTest.cpp - Bytes and operations of schedules -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/FusionCost.h"
#include "ScheduleBuilder.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

static std::vector<TensorCost> getCosts(const Schedule &schedule) {
  return std::vector<TensorCost>(schedule.getNumTensors());
}

TEST(FusionCost, ExtentsOfSymbolsAreAssumed) {
  MLIRContext context;
  AffineExpr symbol = getAffineSymbolExpr(0, &context);
  CostParameters parameters;
  parameters.assumedExtent = 100;
  EXPECT_EQ(evaluateExtent(symbol.ceilDiv(32), parameters), 4);
  EXPECT_EQ(evaluateExtent(symbol * 3 + 1, parameters), 301);
}

TEST(FusionCost, ChainMovesInputAndOutputOnly) {
  ScheduleBuilder b;
  b.size('a', 1 << 20);
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "a", {{"T1", "a"}});
  b.output("T3", "a", {{"T2", "a"}});
  Schedule s = b.build();
  double array = 4 << 20;
  std::optional<FusionEstimate> unfused = estimateCost(s, getCosts(s));
  ASSERT_TRUE(unfused);
  EXPECT_EQ(unfused->bytes, 6 * array);
  FusionEstimate fused = choosePositions(s, getCosts(s));
  EXPECT_EQ(fused.bytes, 2 * array);
  EXPECT_EQ(fused.unfusedBytes, 6 * array);
  EXPECT_EQ(fused.getSavedBytes(), 4 * array);
  EXPECT_EQ(fused.getRecompute(), 1);
}

TEST(FusionCost, BuffersThatFitTheCacheMoveNothing) {
  // A row stays in the cache between the sum and the quotient.
  ScheduleBuilder b;
  b.size('a', 4096).size('b', 1024);
  b.input("X", "ab");
  b.add("E", "ab", {{"X", "ab"}});
  b.add("Z", "a r:b", {{"E", "ab"}});
  b.output("Y", "ab", {{"E", "ab"}, {"Z", "a"}});
  Schedule s = b.build();
  FusionEstimate fused = choosePositions(s, getCosts(s));
  double matrix = 16 << 20;
  EXPECT_EQ(fused.bytes, 2 * matrix);
  EXPECT_EQ(fused.tensors[*s.lookup("E")].bufferBytes, 4096);
  CostParameters small;
  small.cacheBytes = 1024;
  EXPECT_EQ(estimateCost(s, getCosts(s), small)->bytes, 5 * matrix);
}

TEST(FusionCost, InputReadTwiceInOneLoopIsMovedOnce) {
  ScheduleBuilder b;
  b.size('a', 4096).size('b', 1024);
  b.input("X", "ab");
  b.add("M", "a r:b", {{"X", "ab"}});
  b.output("Y", "ab", {{"X", "ab"}, {"M", "a"}});
  Schedule s = b.build();
  double matrix = 16 << 20;
  EXPECT_EQ(choosePositions(s, getCosts(s)).bytes, 2 * matrix);
}

TEST(FusionCost, CheapRecomputationIsKeptAndDearIsNot) {
  // P is recomputed for each b if it is computed in the loops of C.
  for (bool isDear : {false, true}) {
    ScheduleBuilder b;
    b.size('a', 1 << 20).size('b', 4);
    b.input("X", "a");
    TensorId p = b.add("P", "a", {{"X", "a"}});
    b.output("C", "ba", {{"P", "a"}});
    Schedule s = b.build();
    std::vector<TensorCost> costs = getCosts(s);
    costs[p].operations = isDear ? 100 : 1;
    FusionEstimate estimate = choosePositions(s, costs);
    EXPECT_EQ(s.getTensor(p).computeAt, isDear ? 0u : 1u);
    EXPECT_EQ(estimate.tensors[p].recompute, isDear ? 1 : 4);
  }
}

TEST(FusionCost, ProductsAreNotRepeated) {
  // A product that another product reads is not recomputed for each column of
  // the other product.
  ScheduleBuilder b;
  b.size('m', 256).size('n', 256).size('k', 256).size('p', 256);
  b.input("A", "mk");
  b.input("B", "kn");
  b.input("D", "np");
  TensorId c = b.add("C", "mn r:k", {{"A", "mk"}, {"B", "kn"}});
  TensorId r = b.add("R", "mn", {{"C", "mn"}});
  b.output("E", "mp r:n", {{"R", "mn"}, {"D", "np"}});
  Schedule s = b.build();
  FusionEstimate estimate = choosePositions(s, getCosts(s));
  EXPECT_EQ(estimate.tensors[c].recompute, 1);
  EXPECT_EQ(estimate.tensors[r].recompute, 1);
  EXPECT_EQ(s.getTensor(r).computeAt, 1u);
}

TEST(FusionCost, IllegalScheduleHasNoCost) {
  ScheduleBuilder b;
  b.input("X", "ab");
  TensorId e = b.add("E", "ab", {{"X", "ab"}});
  b.add("Z", "a r:b", {{"E", "ab"}});
  b.output("Y", "ab", {{"E", "ab"}, {"Z", "a"}});
  Schedule s = b.build();
  s.getTensor(e).computeAt = 2;
  EXPECT_FALSE(estimateCost(s, getCosts(s)));
}

TEST(FusionCost, GroupsAreWhatSharesLoops) {
  // No loop nest continues after the sum over all elements.
  ScheduleBuilder b;
  b.input("X", "a");
  b.add("P", "a", {{"X", "a"}});
  b.add("S", "r:a", {{"P", "a"}});
  b.add("Q", "a", {{"X", "a"}, {"S", ""}});
  b.output("R", "a", {{"Q", "a"}});
  Schedule s = b.build();
  inlineMost(s);
  EXPECT_EQ(groupByNest(s), (std::vector<unsigned>{~0u, 0, 0, 1, 1}));
}

TEST(FusionCost, BroadcastsAreWithTheirReaders) {
  ScheduleBuilder b;
  b.input("X", "a");
  b.add("S", "r:a", {{"X", "a"}});
  b.add("B", "a", {{"S", ""}});
  b.output("R", "a", {{"X", "a"}, {"B", "a"}});
  Schedule s = b.build();
  inlineMost(s);
  EXPECT_EQ(groupByNest(s), (std::vector<unsigned>{~0u, 0, 1, 1}));
}

TEST(FusionCost, GroupsDoNotDependOnEachOtherInACycle) {
  // The test forces P and C to share a loop. S, which is between them, is not
  // in this loop.
  ScheduleBuilder b;
  b.input("X", "a");
  TensorId p = b.add("P", "a", {{"X", "a"}});
  b.add("S", "r:a", {{"P", "a"}});
  b.output("C", "a", {{"P", "a"}, {"S", ""}});
  Schedule s = b.build();
  EXPECT_EQ(groupByNest(s), (std::vector<unsigned>{~0u, 0, 1, 2}));
  s.getTensor(p).computeAt = 1;
  EXPECT_EQ(groupByNest(s), (std::vector<unsigned>{~0u, 0, 0, 0}));
}
